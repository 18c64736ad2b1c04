import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PowerState, power, powerStateWords } from '../../../domain/server/states.ts';
import { UsageError } from '../../failure.ts';

/** A run of a real Nova, as it was recorded: what was asked of it, what it answered, and what it told meanwhile. */
export interface Recording {
  readonly name: string;
  readonly description: string;
  /** Whether that Nova had the option that lets a server wait for capacity. */
  readonly usesPendingState: boolean;
  readonly beginsAt: string;
  readonly steps: readonly Step[];
}

export interface Step {
  /** Counted from 1. */
  readonly number: number;
  readonly label: string;
  readonly request: Request | null;
  readonly response: Response | null;
  /** Sent since the step before, up to the answer to the request, in this order. */
  readonly notifications: readonly Notification[];
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly as: string;
  readonly body: unknown;
}

export interface Response {
  readonly status: number;
  /** The minor number of the microversion it was given in. */
  readonly microversion: number;
  readonly body: unknown;
  /** Of a list: the status and the vm_state of each server in it. */
  readonly listed: readonly (readonly [status: string, vmState: string])[] | null;
}

/** A server's row in Nova's database, as far as notifications show it. */
export interface Row {
  readonly vmState: string;
  readonly taskState: string | null;
  readonly powerState: PowerState;
  readonly host: string | null;
}

export interface Notification {
  readonly type: string;
  readonly serverId: string | null;
  /** Null in those that tell nothing of a row. */
  readonly row: Row | null;
  readonly fault: { readonly reason: string; readonly message: string } | null;
  readonly initiator: string | null;
  readonly requestId: string | null;
  /** In whole seconds, as all of them are; null where it does not say. */
  readonly at: string | null;
  readonly createdAt: string | null;
}

/** Those that come with the program. */
export const ownRecordings = fileURLToPath(new URL('../../../../demo/recordings/nova/', import.meta.url));

const notificationsOf = (file: string): string => file.replace(/\.json$/, '.notifications.json');

/**
 * Every recording in a folder and those below it, in the order in which they were made.
 * @throws UsageError where there is none, or a file is none
 */
export function novaRecordings(folder = ownRecordings): Recording[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const recordings = files.filter((file) => files.includes(notificationsOf(file)) && file.endsWith('.json'));
  if (recordings.length === 0) {
    throw new UsageError(`${folder} holds no recording: a <name>.json with a <name>.notifications.json beside it.`);
  }
  return recordings.map((file) => readRecording(join(folder, file))).sort((a, b) => (a.beginsAt < b.beginsAt ? -1 : 1));
}

interface RecordedFile {
  readonly doc: string;
  readonly nova: string;
  readonly trace: readonly RecordedStep[];
}

interface RecordedStep {
  readonly step: string;
  readonly request?: {
    readonly method: Request['method'];
    readonly path: string;
    readonly as: string;
    readonly body: unknown;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly notifications_since_last_step: readonly unknown[];
  readonly summary?: Response['listed'];
}

function readRecording(file: string): Recording {
  try {
    return recordingOf(basename(file, '.json'), readJson(file), readJson(notificationsOf(file)));
  } catch (error) {
    throw new UsageError(`${file} is no recording: ${(error as Error).message}`);
  }
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

function recordingOf(name: string, { doc, nova, trace }: RecordedFile, envelopes: readonly Envelope[]): Recording {
  const told = envelopes.map(notificationOf);
  const counts = trace.map((step) => step.notifications_since_last_step.length);
  // The second file also has those that were sent before the first step.
  let next = told.length - counts.reduce((sum, count) => sum + count, 0);

  const steps = trace.map((recorded, index): Step => {
    const notifications = told.slice(next, next + counts[index]!);
    next += counts[index]!;
    return {
      number: index + 1,
      label: recorded.step,
      request: recorded.request ? requestOf(recorded.request) : null,
      response: recorded.response ? responseOf(recorded.response, recorded.summary ?? null) : null,
      notifications,
    };
  });
  const created = steps.flatMap((step) => [createdIn(step), ...step.notifications.map(({ createdAt }) => createdAt)]);
  return {
    name,
    description: doc,
    usesPendingState: nova.includes('use_pending_state=True'),
    beginsAt: created.filter((time) => time !== null).sort()[0]!,
    steps,
  };
}

function requestOf({ method, path, as, body }: NonNullable<RecordedStep['request']>): Request {
  const url = new URL(path, 'http://nova.invalid');
  return { method, path: url.pathname, query: url.searchParams, as, body };
}

function responseOf({ status, headers, body }: NonNullable<RecordedStep['response']>, summary: Response['listed']) {
  const microversion = Number(headers['X-OpenStack-Nova-API-Version']?.split('.')[1] ?? 1);
  return { status, microversion, body: body ?? null, listed: summary ?? listedIn(body) };
}

function listedIn(body: unknown): Response['listed'] {
  const servers = (body as { servers?: Record<string, string>[] } | null)?.servers;
  return servers?.map((server) => [server.status!, server['OS-EXT-STS:vm_state']!]) ?? null;
}

/** The server that an answer shows, with Nova's names for its members. */
export function shownServer(response: Response | null): Readonly<Record<string, unknown>> | null {
  const { server } = (response?.body ?? {}) as { server?: Record<string, unknown> };
  return server && 'status' in server ? server : null;
}

const createdIn = ({ response }: Step): string | null => (shownServer(response)?.created as string | undefined) ?? null;

interface Envelope {
  readonly event_type: string;
  readonly payload: Wrapped;
}
interface Wrapped {
  readonly 'nova_object.data': Readonly<Record<string, unknown>>;
}

/** A notification without its wrapping. What is left out says nothing about a server. */
function notificationOf({ event_type: type, payload }: Envelope): Notification {
  const data = payload['nova_object.data'];
  const text = (name: string): string | null => (typeof data[name] === 'string' ? (data[name] as string) : null);
  const fault = unwrap(data.fault ?? data.reason);
  return {
    type,
    serverId: type.startsWith('service.') ? null : (text('uuid') ?? text('instance_uuid')),
    row: 'task_state' in data ? rowOf(data) : null,
    fault: fault && { reason: String(fault.exception), message: String(fault.exception_message) },
    initiator: text('action_initiator_user'),
    requestId: text('request_id'),
    at: latestOf(
      unwrap(data.audit_period)?.audit_period_ending,
      ...['updated_at', 'launched_at', 'terminated_at', 'deleted_at'].map(text),
    ),
    createdAt: text('created_at'),
  };
}

const unwrap = (value: unknown): Readonly<Record<string, unknown>> | null =>
  value === null || value === undefined ? null : (value as Wrapped)['nova_object.data'];

const latestOf = (...times: readonly unknown[]): string | null =>
  times
    .filter((time) => typeof time === 'string')
    .sort()
    .at(-1) ?? null;

const rowOf = (data: Readonly<Record<string, unknown>>): Row => ({
  vmState: data.state as string,
  taskState: data.task_state as string | null,
  powerState: powerStateOf(data.power_state as string),
  host: data.host as string | null,
});

/** Notifications say it in words. */
const powerStateOf = (word: string): PowerState =>
  Object.values(power).find((state) => powerStateWords[state] === word) ?? power.none;
