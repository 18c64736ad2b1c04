import type { EventStore, RecordedEvent, StreamReceipt } from '../store/event-store.ts';

/** All that a ledger holds and nothing can rebuild. */
export type LedgerRecord =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'receipt'; readonly receipt: StreamReceipt };

/**
 * A ledger in one pass, up to the position `until`: events in position order, each followed by the receipts that point to
 * it. A ledger that is being written can be read so, too; what comes later is left out.
 */
export async function* ledgerRecords(store: EventStore, until: string): AsyncGenerator<LedgerRecord, void, undefined> {
  const receipts = store.readReceipts()[Symbol.asyncIterator]();
  let receipt = await receipts.next();
  try {
    for await (const event of store.readAll()) {
      for (; !receipt.done && receipt.value.position < event.position; receipt = await receipts.next())
        yield { kind: 'receipt', receipt: receipt.value };
      if (event.position > until) return;
      yield { kind: 'event', event };
    }
    for (; !receipt.done && receipt.value.position <= until; receipt = await receipts.next())
      yield { kind: 'receipt', receipt: receipt.value };
  } finally {
    await receipts.return?.();
  }
}
