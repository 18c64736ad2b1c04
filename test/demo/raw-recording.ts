import { readdirSync, readFileSync } from 'node:fs';
import { ownRecordings } from '../../src/cli/demo/nova/recording.ts';

/** A recording as it stands in its file, read here without the program's help. */
export interface RawRecording {
  readonly trace: readonly RawStep[];
}

export interface RawStep {
  readonly step: string;
  readonly request?: { readonly method: string; readonly path: string };
  readonly response?: { readonly status: number; readonly body?: { readonly server?: RawServer } | null };
  readonly notifications_since_last_step: readonly unknown[];
}

type RawServer = Readonly<Record<string, unknown>>;

export interface RawNotification {
  readonly event_type: string;
  readonly payload: { readonly 'nova_object.data': Readonly<Record<string, string | null>> };
}

/** Path of each recording's file without its ending, below the folder of recordings. */
export const rawNames: readonly string[] = readdirSync(ownRecordings, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.notifications.json'))
  .map((file) => file.replace(/\.notifications\.json$/, ''))
  .sort();

const read = <T>(file: string): T => JSON.parse(readFileSync(`${ownRecordings}${file}`, 'utf8')) as T;

export const rawRecording = (name: string): RawRecording => read(`${name}.json`);
export const rawNotifications = (name: string): RawNotification[] => read(`${name}.notifications.json`);

export interface RawView {
  readonly step: number;
  readonly id: string;
  readonly server: RawServer;
}

/** Every answer that shows one server: where, and what. */
export const rawViews = ({ trace }: RawRecording): RawView[] =>
  trace.flatMap(({ response }, index) => {
    const server = response?.body?.server;
    return server?.status === undefined ? [] : [{ step: index + 1, id: server.id as string, server }];
  });

/** The last row that Nova told of each server. */
export function lastRows(notifications: readonly RawNotification[]): Map<string, object> {
  const rows = new Map<string, object>();
  for (const { event_type, payload } of notifications) {
    if (event_type !== 'instance.update') continue;
    const { uuid, state, task_state, host } = payload['nova_object.data'];
    rows.set(uuid!, { vmState: state, taskState: task_state, host });
  }
  return rows;
}
