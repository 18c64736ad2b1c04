import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../api/schemas/duration.ts';
import { aggregates } from '../../domain/aggregates.ts';
import { type Archived, archiveDeleted } from '../../runtime/archiving/archive-deleted.ts';
import type { ArchiveSizes } from '../../store/archive.ts';
import { ledgerFileOf, openStore } from '../../store/open-store.ts';
import { archiverAlone } from '../../store/sqlite/start-archiver.ts';
import { isStoreError } from '../../store/store-error.ts';
import { withoutPassword } from '../../without-password.ts';
import { CommandFailed, UsageError } from '../failure.ts';
import { formatDuration } from '../output/duration.ts';
import { formatBytes, plural } from '../output/table.ts';
import { showProgress } from '../progress.ts';
import { Terminal } from '../terminal.ts';
import { storeOption } from './options.ts';

interface ArchiveOptions {
  readonly store: string;
  readonly deletedBefore: string;
  readonly archiveFile?: string;
}

export function addArchive(program: Command): void {
  program
    .command('archive')
    .summary('move the events of deleted resources into a second file')
    .description(
      'Moves the events of resources that were deleted long enough ago into an archive beside the ledger, on which no ' +
        'server may run meanwhile. They are read from there as before: no answer changes, and `verify` checks them.',
    )
    .addOption(storeOption())
    .requiredOption(
      '--deleted-before <time>',
      'a time, or how long ago as an ISO 8601 duration: 2026-01-01T00:00:00Z, P90D',
      parseMoment,
    )
    .option('--archive-file <file>', 'where the archive is made, or was moved to; the ledger remembers it')
    .action(async (options: ArchiveOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const began = performance.now();
      const done = await run(options, terminal);
      const took = performance.now() - began;
      if (terminal.json) terminal.document(done);
      else terminal.print(...describe(done, options.store, took));
    });
}

type Done = Omit<Archived, 'complete'> &
  Omit<ArchiveSizes, 'streams'> & { readonly deletedBefore: string; readonly archive: string };

async function run({ store: url, deletedBefore, archiveFile }: ArchiveOptions, { json }: Terminal): Promise<Done> {
  const { archiver, archive } = open(url, archiveFile);
  try {
    const store = await openStore(url, { readOnly: true });
    const progress = showProgress('archiving', (await archiver.sizes()).streams, json);
    try {
      const { streams, events, receipts } = await archiveDeleted({
        store,
        aggregates,
        archiver,
        span: { from: '', before: deletedBefore },
        onProgress: (looked) => progress.update(looked),
      });
      const { streams: _, ...sizes } = await archiver.sizes();
      return { deletedBefore, streams, events, receipts, archive, ...sizes };
    } finally {
      progress.stop();
      await store.close();
    }
  } finally {
    await archiver.close();
  }
}

function open(url: string, archiveFile: string | undefined): ReturnType<typeof archiverAlone> {
  const file = ledgerFileOf(url);
  if (file === null) throw new UsageError(`${withoutPassword(url)} has no archive: ${whyNone(url)}`);
  try {
    return archiverAlone(file, archiveFile);
  } catch (error) {
    if (!isStoreError(error, 'ledger-locked')) throw error;
    throw new CommandFailed(
      `${error.message} A server archives by itself where it is started with --archive-deleted-after.`,
    );
  }
}

const whyNone = (url: string): string =>
  url.startsWith('memory:')
    ? 'it is gone with its process.'
    : 'a cluster keeps every event of a resource. docs/archive.md says what to do about its size.';

/** @throws InvalidArgumentError */
function parseMoment(text: string): string {
  const duration = parseDuration(text);
  const time =
    duration === null && /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Date.now() - (duration ?? Number.NaN);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError('It must be a time, as in 2026-01-01T00:00:00Z, or a duration, as in P90D.');
}

function describe(done: Done, url: string, tookMs: number): string[] {
  const { streams, events, receipts, archive, archiveBytes, ledgerBytes, freeBytes, deletedBefore } = done;
  const ledger = basename(ledgerFileOf(url)!);
  // Of a stream that holds the last event of the ledger, that event stays: it has not moved as a whole.
  const whole = streams === 0 ? '' : `${plural(streams, 'stream')} with `;
  return [
    `${whole}${plural(events, 'event')} and ${plural(receipts, 'receipt')} moved to ${archive} (${formatDuration(tookMs)}): deleted, and silent since ${deletedBefore}.`,
    `The archive has ${formatBytes(archiveBytes)}; ${ledger} has ${formatBytes(ledgerBytes)}, of which ${formatBytes(freeBytes)} are free for what is recorded next.`,
  ];
}
