/** Archives all streams of a ledger but for the last, and prints a line after each half of a step, until it is killed. */
import { writeSync } from 'node:fs';
import { LedgerArchiver } from '../../../src/store/sqlite/archiver.ts';

const path = process.argv[2]!;
const archiver = new LedgerArchiver(path, `${path}.archive`);
const { ends } = archiver.idle({ from: '', before: '9999' }, 0);
for (const end of ends) {
  const copied = archiver.copy([end]);
  writeSync(1, `copied ${end.stream}\n`);
  archiver.release(copied);
  writeSync(1, `released ${end.stream}\n`);
}
