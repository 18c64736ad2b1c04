import { type Aggregate, type Lifetime, viewOf } from '../domain/kernel/aggregate.ts';
import { type ResourceRef, streamOf } from '../domain/kernel/resource.ts';
import type { EventStore, RecordedEvent, Snapshot } from '../store/event-store.ts';
import { foldRecorded } from './folding.ts';

/** A point in a resource's past: what was recorded up to and including it. */
export type Moment =
  | { readonly by: 'revision'; readonly revision: number }
  | { readonly by: 'position'; readonly position: string }
  /** RFC 3339 UTC with milliseconds. */
  | { readonly by: 'time'; readonly time: string };

export type StateThen =
  | {
      readonly found: 'state';
      readonly revision: number;
      readonly position: string;
      readonly deletedAt?: string;
      /** JSON text of the state as people see it. */
      readonly stateText: string;
    }
  /** Nothing was ever recorded. */
  | { readonly found: 'nothing' }
  /** The moment lies before the first event. */
  | { readonly found: 'before'; readonly firstRevision: number; readonly createdAt: string }
  /** The revision asked for lies after the last event. */
  | { readonly found: 'after'; readonly firstRevision: number; readonly lastRevision: number };

/** A resource as it was. Reads no more of its stream than it must: from the snapshot, where that is early enough. */
export async function stateAt(
  store: EventStore,
  aggregate: Aggregate,
  resource: ResourceRef,
  moment: Moment,
): Promise<StateThen> {
  const stream = streamOf(resource);
  const snapshot = await usableSnapshot(store, aggregate, stream, moment);

  let state = snapshot && (JSON.parse(snapshot.state) as Lifetime);
  let last: RecordedEvent | undefined;
  let beyond: RecordedEvent | undefined;
  for await (const event of store.readStream(stream, { from: snapshot?.revision ?? 0 })) {
    if (isAfter(event, moment)) {
      beyond = event;
      break;
    }
    last = event;
    if (event.revision !== snapshot?.revision) state = foldRecorded(aggregate, resource.id, state, event);
  }

  if (!last) return beyond ? before(beyond) : { found: 'nothing' };
  if (moment.by === 'revision' && last.revision < moment.revision) {
    return { found: 'after', firstRevision: 0, lastRevision: last.revision };
  }
  if (!state) return { found: 'nothing' };
  return {
    found: 'state',
    revision: last.revision,
    position: last.position,
    stateText: JSON.stringify(viewOf(aggregate, state)),
    ...(state.deletedAt !== undefined && { deletedAt: state.deletedAt }),
  };
}

const before = ({ revision, time }: RecordedEvent): StateThen => ({
  found: 'before',
  firstRevision: revision,
  createdAt: time,
});

const isAfter = (event: RecordedEvent, moment: Moment): boolean => comparisons[moment.by](event, moment as never);

const comparisons: {
  readonly [B in Moment['by']]: (event: RecordedEvent, moment: Extract<Moment, { by: B }>) => boolean;
} = {
  revision: (event, { revision }) => event.revision > revision,
  position: (event, { position }) => event.position > position,
  time: (event, { time }) => event.time > time,
};

/** The snapshot, if this version of the fold made it and it does not lie after the moment. */
async function usableSnapshot(
  store: EventStore,
  aggregate: Aggregate,
  stream: string,
  moment: Moment,
): Promise<Snapshot | null> {
  const snapshot = await store.loadSnapshot(stream);
  if (snapshot?.foldVersion !== aggregate.foldVersion) return null;
  for await (const event of store.readStream(stream, { from: snapshot.revision, limit: 1 })) {
    return isAfter(event, moment) ? null : snapshot;
  }
  return null;
}
