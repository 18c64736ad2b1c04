import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Aggregate, isAlive } from '../../domain/kernel/aggregate.ts';
import { type Kind, resourceOf } from '../../domain/kernel/resource.ts';
import type { Archiver, Moved, StreamEnd, TimeSpan } from '../../store/archive.ts';
import type { EventStore } from '../../store/event-store.ts';
import { loadHead, UnreadableResource } from '../head.ts';

export interface ArchivingOptions {
  readonly store: EventStore;
  readonly aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly archiver: Archiver;
  /** Only streams whose last event is of this time. */
  readonly span: TimeSpan;
  readonly signal?: AbortSignal;
  /** Is awaited after each step, with the time that it took. */
  readonly pause?: (tookMs: number) => Promise<void>;
  /** Is told how many streams have been looked at. */
  readonly onProgress?: (streams: number) => void;
}

/** What was archived; `complete` where all that was due is in the archive now. */
export interface Archived extends Moved {
  readonly complete: boolean;
}

/**
 * Archives the resources that were deleted, and of which nothing was heard since: their streams, as they stand. A late
 * report begins the time anew, so that what is still talked about stays at hand.
 */
export async function archiveDeleted({
  store,
  aggregates,
  archiver,
  span,
  signal,
  pause = async () => {},
  onProgress = () => {},
}: ArchivingOptions): Promise<Archived> {
  const total = { streams: 0, events: 0, receipts: 0 };
  let seen = 0;
  for (let after: number | null = 0; after !== null; ) {
    if (signal?.aborted) return { ...total, complete: false };
    const { ends, looked, next } = await archiver.idle(span, after);
    const over: StreamEnd[] = [];
    for (const end of ends) {
      if (signal?.aborted) return { ...total, complete: false };
      if (await isOver(store, aggregates, end)) over.push(end);
      await nextTurn();
    }
    for (let done = over.length === 0; !done; ) {
      const began = performance.now();
      const moved = await archiver.move(over);
      total.streams += moved.streams;
      total.events += moved.events;
      total.receipts += moved.receipts;
      done = moved.done;
      await pause(performance.now() - began);
      if (signal?.aborted) return { ...total, complete: false };
    }
    seen += looked;
    onProgress(seen);
    after = next;
  }
  return { ...total, complete: true };
}

/** Whether the life of a stream's resource has ended. What this program cannot understand may still go on. */
async function isOver(
  store: EventStore,
  aggregates: Readonly<Record<Kind, Aggregate>>,
  { stream, revision }: StreamEnd,
): Promise<boolean> {
  const resource = resourceOf(stream);
  if (!resource) return false;
  let isUnderstood = true;
  try {
    const head = await loadHead(store, aggregates[resource.kind], resource, () => {
      isUnderstood = false;
    });
    return isUnderstood && head.revision === revision && head.state !== null && !isAlive(head.state);
  } catch (error) {
    if (error instanceof UnreadableResource) return false;
    throw error;
  }
}
