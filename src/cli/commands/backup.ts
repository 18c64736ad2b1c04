import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { aggregates } from '../../domain/aggregates.ts';
import { openStore } from '../../store/open-store.ts';
import { backUpLedger } from '../../store/sqlite/backup.ts';
import { CommandFailed } from '../failure.ts';
import { formatDuration } from '../output/duration.ts';
import { plural } from '../output/table.ts';
import { showProgress } from '../progress.ts';
import { Terminal } from '../terminal.ts';
import { type Verification, verifyLedger } from '../verify/verify-ledger.ts';
import { ledgerFile, storeOption } from './options.ts';

interface BackupOptions {
  readonly store: string;
  readonly to: string;
  readonly force?: boolean;
  readonly archive: boolean;
}

export function addBackup(program: Command): void {
  program
    .command('backup')
    .summary('copy a ledger while its server runs, and verify the copy')
    .description(
      'Copies the file of a ledger as it is at one moment, also beside a running server, and verifies the copy before it ' +
        'gets its name. A server can be started on it as it is. An archive is copied along, to <file>.archive.',
    )
    .addOption(storeOption())
    .requiredOption('--to <file>', 'the file to make')
    .option('--force', 'replace the file if it is there')
    .option('--no-archive', 'leave the archive where it is: the copy is then read with that one')
    .action(async (options: BackupOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const began = performance.now();
      const copy = await run(options, terminal);
      const took = performance.now() - began;
      if (terminal.json) terminal.document(copy);
      else terminal.print(describe(copy, options.to, took));
    });
}

type Copy = Pick<Verification, 'ledger' | 'position' | 'events' | 'streams' | 'receipts'> & {
  readonly bytes: number;
  /** Null where there is none, or was not to be copied. */
  readonly archive: { readonly file: string; readonly bytes: number } | null;
};

async function run({ store, to, force = false, archive }: BackupOptions, { json }: Terminal): Promise<Copy> {
  const from = ledgerFile(store);
  const progress = showProgress('copying', 100, json);
  let verification: Verification | undefined;
  let archiveCopy: string | undefined;
  try {
    archiveCopy = await backUpLedger({
      from,
      to,
      replace: force,
      withArchive: archive,
      onProgress: (pages, ofPages) => progress.update(Math.floor((pages / ofPages) * 100)),
      async accept(path, archiveFile) {
        verification = await verified(path, archiveFile);
      },
    });
  } finally {
    progress.stop();
  }
  const { ledger, position, events, streams, receipts } = verification!;
  const copied = archiveCopy === undefined ? null : { file: archiveCopy, bytes: statSync(archiveCopy).size };
  return { ledger, position, events, streams, receipts, bytes: statSync(to).size, archive: copied };
}

/** @throws CommandFailed where the copy is not sound: then the ledger itself is not */
async function verified(path: string, archiveFile: string | undefined): Promise<Verification> {
  const store = await openStore(`sqlite:${path}`, { readOnly: true, ...(archiveFile && { archiveFile }) });
  try {
    const verification = await verifyLedger(store, aggregates, null);
    const { findingCount } = verification;
    if (findingCount === 0) return verification;
    throw new CommandFailed(
      `${plural(findingCount, 'fault')} found in the copy, which was not kept. The ledger has them as well: \`stackledger verify\` lists them.`,
    );
  } finally {
    await store.close();
  }
}

const describe = ({ events, streams, position, archive }: Copy, to: string, tookMs: number): string =>
  `${plural(events, 'event')} in ${plural(streams, 'stream')} copied to ${to}${archive ? ` and ${archive.file}` : ''}, up to position ${position}, and verified (${formatDuration(tookMs)}).`;
