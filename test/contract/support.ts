import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { EventStore, NewEvent, SubscriptionMessage } from '../../src/store/event-store.ts';
import { StoreError, type StoreFault } from '../../src/store/store-error.ts';

/** Opens an engine. What it opens need not be empty, so the stories use streams of their own. */
export type OpenEngine = () => Promise<EventStore>;

/** A stream name nobody has used. */
export const freshStream = (kind = 'port'): string => `${kind}-${randomUUID()}`;

/** The beginning of stream names nobody has used, for reads across several streams. */
export const freshPrefix = (): string => `story${randomUUID().slice(0, 8)}-`;

export const someEvent = (given: Partial<NewEvent> = {}): NewEvent => ({
  id: randomUUID(),
  type: 'PortStatusChanged',
  v: 1,
  time: '2026-03-01T12:00:00.000Z',
  data: '{"status":"ACTIVE"}',
  metadata: '{"actor":{"type":"user","id":"ann"}}',
  ...given,
});

export const someEvents = (count: number, given: Partial<NewEvent> = {}): NewEvent[] =>
  Array.from({ length: count }, () => someEvent(given));

/** Appends to the end of a stream that nobody else writes. */
export async function write(store: EventStore, stream: string, events: readonly NewEvent[]): Promise<string> {
  const { position } = await store.append({ stream, expectedRevision: await revisionOf(store, stream), events });
  return position;
}

export async function revisionOf(store: EventStore, stream: string): Promise<number> {
  for await (const { revision } of store.readStream(stream, { direction: 'backwards', limit: 1 })) return revision;
  return -1;
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

/** The fault an operation is refused with. */
export async function faultOf(operation: Promise<unknown>): Promise<StoreFault> {
  const error = await operation.then(
    () => expect.fail('it was accepted'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw error;
  return error.fault;
}

/** The ids of the next `count` events of a subscription, words of progress left out. */
export async function nextIds(messages: AsyncIterator<SubscriptionMessage>, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { done, value } = await messages.next();
    if (done) return ids;
    if (value.kind === 'event') ids.push(value.event.id);
  }
  return ids;
}

/** Reads on until the subscriber is at the head; the position it has then considered. */
export async function untilCaughtUp(messages: AsyncIterator<SubscriptionMessage>): Promise<string> {
  for (;;) {
    const { done, value } = await messages.next();
    if (done) throw new Error('the subscription ended');
    if (value.kind === 'caught-up') return value.position;
  }
}

export const iterate = <T>(items: AsyncIterable<T>): AsyncIterator<T> => items[Symbol.asyncIterator]();
