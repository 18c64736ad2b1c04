import type { EventStore } from '../../store/event-store.ts';
import { cutOf, type LedgerRecord, ledgerRecords } from '../ledger-records.ts';
import { checkpointLine, type EndLine, endLine, eventLine, ledgerLine, receiptLine } from './format.ts';
import type { LineWriter } from './line-file.ts';

/** Writes a ledger as it is at this moment; what is recorded meanwhile is left out. */
export async function exportLedger(
  store: EventStore,
  writer: LineWriter,
  onPosition: (position: string) => void = () => {},
): Promise<EndLine> {
  const cut = await cutOf(store);
  const counts = { events: 0, receipts: 0, checkpoints: 0 };
  await writer.write(ledgerLine(store.info));
  for await (const record of ledgerRecords(store, cut)) {
    await writer.write(lineOf(record));
    counts[`${record.kind}s`]++;
    if (record.kind === 'event') onPosition(record.event.position);
  }
  const end = { ...counts, sha256: await writer.digest() };
  await writer.write(endLine(end));
  await writer.flush();
  return end;
}

function lineOf(record: LedgerRecord): string {
  if (record.kind === 'event') return eventLine(record.event);
  return record.kind === 'receipt' ? receiptLine(record.receipt) : checkpointLine(record.checkpoint);
}
