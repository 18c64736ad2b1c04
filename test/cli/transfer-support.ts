import { Readable, Writable } from 'node:stream';
import { ExportFile } from '../../src/cli/transfer/export-file.ts';
import { exportLedger } from '../../src/cli/transfer/export-ledger.ts';
import { importLedger } from '../../src/cli/transfer/import-ledger.ts';
import { LineReader, LineWriter } from '../../src/cli/transfer/line-file.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';

export async function exported(store: EventStore): Promise<string> {
  let text = '';
  const out = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  await exportLedger(store, new LineWriter(out));
  return text;
}

export async function exportOf(url: string): Promise<string> {
  const store = await openStore(url, { readOnly: true });
  const text = await exported(store);
  await store.close();
  return text;
}

/** The file in pieces as small as a slow pipe would give them. */
export const inPieces = (text: string, size = 1000): Readable => {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return Readable.from(Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)));
};

export async function importInto(store: EventStore, text: string) {
  const file = new ExportFile(new LineReader(inPieces(text)));
  await file.ledger();
  return importLedger(file, store);
}

export async function emptyCopyFor(text: string, url = 'memory:'): Promise<EventStore> {
  const { ledger } = JSON.parse(text.slice(0, text.indexOf('\n')));
  return openStore(url, { copyOf: ledger });
}
