import type { Checkpoint, EventStore, RecordedEvent, StreamReceipt } from '../store/event-store.ts';

/** All that a ledger holds and nothing can rebuild. */
export type LedgerRecord =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'receipt'; readonly receipt: StreamReceipt }
  | { readonly kind: 'checkpoint'; readonly checkpoint: Checkpoint };

/** A ledger as it is at one moment; it may go on to be written while it is read so far. */
export interface Cut {
  readonly checkpoints: readonly Checkpoint[];
  /** Position of the last event. */
  readonly head: string;
}

/** Checkpoints first: those that move meanwhile would be ahead of the events. */
export async function cutOf(store: EventStore): Promise<Cut> {
  const checkpoints = [...(await store.readCheckpoints())].sort((a, b) => (a.position < b.position ? -1 : 1));
  return { checkpoints, head: await store.head() };
}

/**
 * A ledger in one pass: events in position order, each followed by the receipts that point to it and the checkpoints that
 * stand there.
 */
export async function* ledgerRecords(
  store: EventStore,
  { checkpoints, head }: Cut,
): AsyncGenerator<LedgerRecord, void, undefined> {
  const receipts = store.readReceipts()[Symbol.asyncIterator]();
  let receipt = await receipts.next();
  let standing = 0;
  try {
    for await (const event of andThenNull(store.readAll())) {
      const next = event && event.position <= head ? event : null;
      const isDue = (position: string): boolean => (next ? position < next.position : position <= head);
      for (; !receipt.done && isDue(receipt.value.position); receipt = await receipts.next())
        yield { kind: 'receipt', receipt: receipt.value };
      for (; standing < checkpoints.length && isDue(checkpoints[standing]!.position); standing++)
        yield { kind: 'checkpoint', checkpoint: checkpoints[standing]! };
      if (!next) return;
      yield { kind: 'event', event: next };
    }
  } finally {
    await receipts.return?.();
  }
}

async function* andThenNull<T>(items: AsyncIterable<T>): AsyncGenerator<T | null, void, undefined> {
  yield* items;
  yield null;
}
