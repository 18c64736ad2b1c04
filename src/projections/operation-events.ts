import { type ResourceRef, streamOf } from '../domain/kernel/resource.ts';
import type { EventStore, RecordedEvent } from '../store/event-store.ts';
import type { Page, Touch } from './queries.ts';

export interface OperationPage {
  /** The position of the model that found the events. */
  readonly position: string;
  /** In the order of the ledger. */
  readonly events: readonly RecordedEvent[];
  readonly next: string | null;
}

/** Consecutive events of one resource. */
interface Stretch {
  readonly resource: ResourceRef;
  readonly first: number;
  last: number;
}

/** Reads the events that a page of an operation points at. */
export async function operationEvents(
  store: EventStore,
  correlationId: string,
  { items, next }: Page<Touch>,
): Promise<Omit<OperationPage, 'position'>> {
  const events: RecordedEvent[] = [];
  for (const { resource, first, last } of stretches(items)) {
    const limit = last - first + 1;
    for await (const event of store.readStream(streamOf(resource), { from: first, limit })) {
      if (event.metadata.$correlationId === correlationId) events.push(event);
    }
  }
  return { events: events.sort((a, b) => (a.position < b.position ? -1 : 1)), next };
}

function stretches(touches: readonly Touch[]): Stretch[] {
  const found: Stretch[] = [];
  for (const { kind, id, revision } of touches) {
    const current = found.at(-1);
    const goesOn = current?.resource.kind === kind && current.resource.id === id && current.last === revision - 1;
    if (goesOn) current.last = revision;
    else found.push({ resource: { kind, id }, first: revision, last: revision });
  }
  return found;
}
