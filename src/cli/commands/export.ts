import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { parsePosition } from '../../store/event-store.ts';
import { openStore } from '../../store/open-store.ts';
import { formatDuration } from '../output/duration.ts';
import { plural } from '../output/table.ts';
import { showProgress } from '../progress.ts';
import { Terminal } from '../terminal.ts';
import { exportLedger } from '../transfer/export-ledger.ts';
import type { EndLine } from '../transfer/format.ts';
import { LineWriter } from '../transfer/line-file.ts';
import { storeOption } from './options.ts';

interface ExportOptions {
  readonly store: string;
  readonly to: string;
  readonly force?: boolean;
}

export function addExport(program: Command): void {
  program
    .command('export')
    .summary('write a ledger into a file that another ledger can be made from')
    .description(
      'Writes every event and receipt, as newline-delimited JSON, as they are at this moment; also beside a running server.',
    )
    .addOption(storeOption())
    .requiredOption('--to <file>', 'the file to write, or - for standard output')
    .option('--force', 'overwrite the file if it is there')
    .action(async (options: ExportOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const began = performance.now();
      const end = options.to === '-' ? await toStdout(options, terminal) : await toFile(options, terminal);
      const took = performance.now() - began;
      const summary = terminal.json ? JSON.stringify(end) : describe(end, options.to, took);
      if (options.to === '-') terminal.note(summary);
      else terminal.print(summary);
    });
}

async function toFile(options: ExportOptions, terminal: Terminal): Promise<EndLine> {
  const stream = createWriteStream(options.to, { flags: options.force ? 'w' : 'wx', flush: true });
  const written = finished(stream);
  written.catch(() => {}); // said where it is waited for
  await once(stream, 'open');
  const end = await run(options, terminal, new LineWriter(stream));
  stream.end();
  await written;
  return end;
}

const toStdout = (options: ExportOptions, terminal: Terminal): Promise<EndLine> =>
  run(options, terminal, new LineWriter(process.stdout));

async function run({ store: url, to }: ExportOptions, { json }: Terminal, writer: LineWriter): Promise<EndLine> {
  const store = await openStore(url, { readOnly: true });
  const quiet = json || (to === '-' && process.stdout.isTTY === true);
  const progress = showProgress('exporting', parsePosition(await store.head()), quiet);
  try {
    return await exportLedger(store, writer, (position) => progress.update(parsePosition(position)));
  } finally {
    progress.stop();
    await store.close();
  }
}

const describe = ({ events, receipts, sha256 }: EndLine, to: string, tookMs: number): string =>
  `${plural(events, 'event')} and ${plural(receipts, 'receipt')} written to ${to === '-' ? 'standard output' : to} in ${formatDuration(tookMs)}; sha256 ${sha256}`;
