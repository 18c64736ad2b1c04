import { type ResourceRef, streamOf } from '../../domain/kernel/resource.ts';
import type { EventStore, RecordedEvent } from '../../store/event-store.ts';
import type { Retried } from '../models/model.ts';
import type { ModelClient } from './model-client.ts';
import { encodeEvents } from './protocol.ts';

/** Events of a parked resource that are tried in one transaction. */
const batchEvents = 256;

/**
 * Gives every parked resource the events from its bad one on again, read from the ledger. What can be processed now is as
 * if it had never failed.
 */
export async function retryParked(
  store: EventStore,
  client: ModelClient,
  onRetried: (retried: Retried) => void,
): Promise<void> {
  let marker: string | undefined;
  do {
    const { value } = await client.ask('parked', marker === undefined ? {} : { marker });
    for (const { resource, revision } of value.items) await retryOne(store, client, { resource, revision }, onRetried);
    marker = value.next ?? undefined;
  } while (marker !== undefined);
}

async function retryOne(
  store: EventStore,
  client: ModelClient,
  { resource, revision }: { readonly resource: ResourceRef; readonly revision: number },
  onRetried: (retried: Retried) => void,
): Promise<void> {
  let from: number | null = revision;
  while (from !== null) {
    const { events, complete } = await pageOf(store, resource, from);
    const retried: Retried = await client.call('retry', { resource, events: encodeEvents(events), complete });
    onRetried(retried);
    from = retried.next;
  }
}

async function pageOf(store: EventStore, resource: ResourceRef, from: number) {
  const events: RecordedEvent[] = [];
  for await (const event of store.readStream(streamOf(resource), { from, limit: batchEvents + 1 })) events.push(event);
  return { events: events.slice(0, batchEvents), complete: events.length <= batchEvents };
}
