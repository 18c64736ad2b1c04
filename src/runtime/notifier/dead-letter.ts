import type { DataOf } from '../../domain/port/events.ts';
import type { Runtime } from '../runtime.ts';
import type { Notification } from './notification.ts';

/** What Nova was told and did not want. */
export interface DeadLetter extends Notification {
  readonly answer: { readonly code: number | null; readonly detail: string };
  /** How often it was sent. */
  readonly attempts: number;
}

const actor = { type: 'system', id: 'nova-notifier' } as const;

/**
 * Writes it down with the port it is about, in the operation it belongs to, where `why` finds it and RepeatNotification
 * what to tell again. A port that is deleted has nothing more to be told of: its log entry is all there is.
 */
export async function recordDeadLetter(runtime: Pick<Runtime, 'execute'>, letter: DeadLetter): Promise<void> {
  const { event, revision, eventId, correlationId, answer, attempts } = letter;
  const { tag, server_uuid: server, name, status } = event;
  const data: DataOf<'NotificationRefused'> = {
    server,
    name,
    ...(status !== undefined && { status }),
    revision,
    ...answer,
    attempts,
  };
  const resource = { kind: 'port', id: tag } as const;
  const cause = { causationId: eventId, correlationId };
  await runtime.execute({ resource, type: 'RecordRefusedNotification', data, actor, ...cause });
}
