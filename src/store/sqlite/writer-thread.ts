/** The writer thread: opens the ledger, then turns each batch it is sent into a transaction and answers. */

import { parentPort, workerData } from 'node:worker_threads';
import { decodeBatch, type FromWriter, type ToWriter } from './protocol.ts';
import { faultIn } from './sqlite-fault.ts';
import { LedgerWriter, type WriterOptions } from './writer.ts';

const port = parentPort!;
const answer = (message: FromWriter): void => port.postMessage(message);

try {
  const writer = new LedgerWriter(workerData as WriterOptions);
  answer({ kind: 'ready', head: writer.head });
  port.on('message', (message: ToWriter) => {
    if (message.kind === 'commit') return answer(committed(writer, message));
    port.close();
    writer.close();
  });
} catch (error) {
  answer({ kind: 'unready', fault: faultIn(error) });
}

function committed(writer: LedgerWriter, { batch }: ToWriter & { kind: 'commit' }): FromWriter {
  try {
    return { kind: 'committed', ...writer.commit(decodeBatch(batch)) };
  } catch (error) {
    return { kind: 'failed', fault: faultIn(error) };
  }
}
