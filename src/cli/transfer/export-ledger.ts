import type { EventStore } from '../../store/event-store.ts';
import { ledgerRecords } from '../ledger-records.ts';
import { type EndLine, endLine, eventLine, ledgerLine, receiptLine } from './format.ts';
import type { LineWriter } from './line-file.ts';

/** Writes a ledger as it is at this moment; what is recorded meanwhile is left out. */
export async function exportLedger(
  store: EventStore,
  writer: LineWriter,
  onEvent: (events: number) => void = () => {},
): Promise<EndLine> {
  const until = await store.head();
  let events = 0;
  let receipts = 0;
  await writer.write(ledgerLine(store.info));
  for await (const record of ledgerRecords(store, until)) {
    if (record.kind === 'event') {
      await writer.write(eventLine(record.event));
      onEvent(++events);
    } else {
      await writer.write(receiptLine(record.receipt));
      receipts++;
    }
  }
  const end = { events, receipts, sha256: await writer.digest() };
  await writer.write(endLine(end));
  await writer.flush();
  return end;
}
