import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { type EventStore, startPosition } from '../../store/event-store.ts';
import { openStore } from '../../store/open-store.ts';
import { withoutPassword } from '../../without-password.ts';
import { CommandFailed, UsageError } from '../failure.ts';
import { formatDuration } from '../output/duration.ts';
import { formatCount, plural } from '../output/table.ts';
import { type Progress, showProgress } from '../progress.ts';
import { Terminal } from '../terminal.ts';
import { ExportFile } from '../transfer/export-file.ts';
import { type ImportResult, importLedger } from '../transfer/import-ledger.ts';
import { LineReader } from '../transfer/line-file.ts';
import { storeOption } from './options.ts';

interface ImportOptions {
  readonly store: string;
  readonly from: string;
  readonly resume?: boolean;
}

export function addImport(program: Command): void {
  program
    .command('import')
    .summary('make a ledger from an exported file')
    .description(
      'Reads what `export` wrote into an empty ledger, with ids, order, times and metadata as they were, and checks every ' +
        'chain on the way. No server may run on that ledger.',
    )
    .addOption(storeOption())
    .requiredOption('--from <file>', 'the file to read, or - for standard input')
    .option('--resume', 'go on with an import that was interrupted')
    .action(async (options: ImportOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const began = performance.now();
      const result = options.from === '-' ? await fromStdin(options, terminal) : await fromFile(options, terminal);
      const took = performance.now() - began;
      if (terminal.json) terminal.document(result);
      else terminal.print(...describe(result, options, took));
    });
}

async function fromFile(options: ImportOptions, terminal: Terminal): Promise<ImportResult> {
  const file = await open(options.from);
  const { size } = await file.stat();
  const progress = showProgress('importing', size, terminal.json);
  try {
    return await run(
      options,
      file.createReadStream({ highWaterMark: 1024 * 1024, autoClose: false }),
      progress,
      'bytes',
    );
  } finally {
    progress.stop();
    await file.close();
  }
}

async function fromStdin(options: ImportOptions, terminal: Terminal): Promise<ImportResult> {
  if (process.stdin.isTTY) throw new UsageError('--from - reads standard input; pipe an export into it.');
  const progress = showProgress('importing', 0, terminal.json);
  try {
    return await run(options, process.stdin, progress, 'events');
  } finally {
    progress.stop();
  }
}

async function run(
  { store: url, resume = false }: ImportOptions,
  input: Readable,
  progress: Progress,
  measure: 'bytes' | 'events',
): Promise<ImportResult> {
  const reader = new LineReader(input);
  const file = new ExportFile(reader);
  const { ledgerId, clock, createdAt } = await file.ledger();
  const store = await openStore(url, { copyOf: { ledgerId, clock, createdAt } });
  try {
    if (!resume) await requireEmpty(store, url);
    return await importLedger(file, store, (events) => progress.update(measure === 'bytes' ? reader.bytes : events));
  } finally {
    await store.close();
  }
}

async function requireEmpty(store: EventStore, url: string): Promise<void> {
  const head = await store.head();
  if (head === startPosition) return;
  throw new CommandFailed(
    `${withoutPassword(url)} is not empty: it goes up to position ${head}. Name another --store; or, where this is an import that was interrupted, add --resume.`,
  );
}

function describe(result: ImportResult, { store, from }: ImportOptions, tookMs: number): string[] {
  const { events, receipts, found, positionsKept } = result;
  return [
    `${plural(events, 'event')} and ${plural(receipts, 'receipt')} from ${from === '-' ? 'standard input' : from} are in ${withoutPassword(store)} (${formatDuration(tookMs)}).`,
    ...(found > 0 ? [`${formatCount(found)} of the events were there already.`] : []),
    ...(positionsKept ? [] : ['The ledger gave the events new positions: whoever follows it must begin anew.']),
  ];
}
