import { type Aggregate, fold, type Lifetime, viewOf } from '../domain/kernel/aggregate.ts';
import { isKnown } from '../domain/kernel/events.ts';
import { type ResourceRef, streamOf } from '../domain/kernel/resource.ts';
import type { EventStore, RecordedEvent } from '../store/event-store.ts';
import { chainStart } from './chain.ts';
import { CurrentState } from './command.ts';

/**
 * The end of one stream in memory: the folded state that the next decision sees, and, apart from it, the last state that
 * is known to be durable. The two differ while appends are in flight: commands on one stream are decided one after the
 * other without waiting for each other's fsync.
 */
export interface Head {
  readonly resource: ResourceRef;
  readonly stream: string;
  state: Lifetime | null;
  revision: number;
  chain: string;
  /** Id of the last event; null where there is none. */
  eventId: string | null;
  /** The operation that the last event belonged to when the head was loaded. */
  readonly correlationId?: string;
  /** Time of the last event; the next one is never earlier, whatever the wall clock does. */
  time: string;
  /** Settles when everything decided so far is durable; rejects when some of it was lost. */
  durable: Promise<unknown>;
  /** What readers see. Null where nothing was ever recorded. */
  current: CurrentState | null;
  /** Something decided here was not stored: the state is fiction, and the head must be loaded again. */
  broken: boolean;
  snapshotRevision: number;
}

/** A recorded event that the rules of this program cannot fold: the resource can be neither read nor changed. */
export class UnreadableResource extends Error {
  override readonly name = 'UnreadableResource';
  readonly resource: ResourceRef;

  constructor(resource: ResourceRef, cause: unknown) {
    super(`The history of the ${resource.kind} ${resource.id} cannot be folded.`, { cause });
    this.resource = resource;
  }
}

/**
 * Loads a stream's end: the latest snapshot, if this version of the fold made it, and the events from there on. The
 * snapshot's own event is read again for its time, position and chain, so a snapshot holds nothing but the state.
 */
export async function loadHead(
  store: EventStore,
  aggregate: Aggregate,
  resource: ResourceRef,
  onUnknownEvent: (type: string) => void = () => {},
): Promise<Head> {
  const stream = streamOf(resource);
  const kept = await store.loadSnapshot(stream);
  const snapshot = kept?.foldVersion === aggregate.foldVersion ? kept : null;

  let state = snapshot && (JSON.parse(snapshot.state) as Lifetime);
  let last: RecordedEvent | undefined;
  for await (const event of store.readStream(stream, { from: snapshot?.revision ?? 0 })) {
    last = event;
    if (event.revision === snapshot?.revision) continue;
    if (!isKnown(aggregate.events, event)) onUnknownEvent(event.type);
    try {
      state = fold(aggregate, resource.id, state, event);
    } catch (error) {
      throw new UnreadableResource(resource, error);
    }
  }

  return {
    resource,
    stream,
    state,
    revision: last?.revision ?? -1,
    chain: (last?.metadata.chain as string | undefined) ?? chainStart,
    eventId: last?.id ?? null,
    time: last?.time ?? '',
    ...(last && { correlationId: String(last.metadata.$correlationId) }),
    durable: Promise.resolve(),
    current:
      state && last
        ? new CurrentState(last.revision, last.position, viewText(aggregate, state), state.deletedAt)
        : null,
    broken: false,
    snapshotRevision: snapshot?.revision ?? -1,
  };
}

/** The state as readers see it: what `current` becomes once the events that led there are durable. */
export const viewText = (aggregate: Aggregate, state: Lifetime): string => JSON.stringify(viewOf(aggregate, state));
