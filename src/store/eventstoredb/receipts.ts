import type { StreamReceipt } from '../event-store.ts';
import { formatPosition } from '../event-store.ts';
import type { Calls } from './calls.ts';
import { idleReceiptIn, subjectOf } from './idle-receipts.ts';
import { decode } from './wire-event.ts';

/**
 * All receipts in the order of their positions. Those with events come in that order by themselves; those without lie
 * later in the database than where they belong, so they are gathered first: they are few, and small.
 */
export async function* allReceipts(calls: Calls): AsyncGenerator<StreamReceipt> {
  const idle = await idleReceipts(calls);
  let next = 0;
  for await (const receipt of receiptsWithEvents(calls)) {
    while (next < idle.length && inOrder(idle[next]!, receipt) < 0) yield idle[next++]!;
    yield receipt;
  }
  yield* idle.slice(next);
}

async function idleReceipts(calls: Calls): Promise<StreamReceipt[]> {
  const found: StreamReceipt[] = [];
  for await (const resolved of calls.everything()) {
    const stream = subjectOf(resolved.event?.streamId ?? '');
    if (stream === null) continue;
    const { position, ...receipt } = idleReceiptIn(resolved.event!.data);
    found.push({ stream, ...receipt, position: formatPosition(position) });
  }
  return found.sort(inOrder);
}

async function* receiptsWithEvents(calls: Calls): AsyncGenerator<StreamReceipt> {
  for await (const resolved of calls.everything()) {
    const stored = decode(resolved);
    if (!stored?.receipt) continue;
    const { stream, revision, position } = stored.event;
    yield { stream, ...stored.receipt, lastRevision: revision, position };
  }
}

const inOrder = (a: StreamReceipt, b: StreamReceipt): number => {
  if (a.position !== b.position) return a.position < b.position ? -1 : 1;
  return a.commandId < b.commandId ? -1 : 1;
};
