import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { StoreError, unusable } from '../store-error.ts';
import { findArchive, renameArchive } from './archive-file.ts';
import { inspectLedger, locate } from './ledger-file.ts';
import { faultIn, reasonOf } from './sqlite-fault.ts';

export interface BackupOptions {
  /** The ledger's file. A server may be writing it. */
  readonly from: string;
  /** The file to make. */
  readonly to: string;
  /** Whether a file that is there may be replaced: in one step, once `accept` is content. */
  readonly replace?: boolean;
  /** Whether its archive is copied, too; otherwise the copy is read with the one that the ledger has. */
  readonly withArchive?: boolean;
  /** Is given the copy, and the archive's, before they get their names; where it throws, there is no copy. */
  readonly accept: (path: string, archive: string | undefined) => Promise<void>;
  readonly onProgress?: (pages: number, ofPages: number) => void;
}

/** Copied between two looks at the event loop. */
const pagesAtOnce = 1_000;

/**
 * Copies a ledger's file as it is at one moment. A read that stays open for as long holds that moment: without it SQLite
 * would begin anew at every commit of the server, and a busy one would never let it finish.
 *
 * The archive is copied after it, to `<to>.archive`: what leaves the ledger meanwhile is in both, and told once.
 *
 * @returns the copy of the archive; undefined where there is none
 * @throws StoreError unusable-ledger, and whatever `accept` throws
 */
export async function backUpLedger({
  from,
  to,
  replace = false,
  withArchive = true,
  accept,
  onProgress = () => {},
}: BackupOptions): Promise<string | undefined> {
  const path = locate(from, true);
  inspectLedger(path);
  const archive = findArchive(path);
  const target = resolve(to);
  const archiveTarget = archive !== null && withArchive ? `${target}.archive` : undefined;
  if (target === path) throw unusable(to, 'it is the ledger itself; name another file');
  for (const file of [target, archiveTarget]) {
    if (file === undefined || replace || !existsSync(file)) continue;
    throw unusable(file, 'it is there already; choose another name, or add --force');
  }
  if (!existsSync(dirname(target))) throw unusable(to, 'there is no such folder');
  const unfinished = `${target}.unfinished`;
  const archiveUnfinished = archiveTarget && `${archiveTarget}.unfinished`;
  const remains = [unfinished, archiveUnfinished].filter((file) => file !== undefined);
  remains.forEach(remove);
  try {
    await copy(path, unfinished, onProgress);
    if (archive !== null) {
      if (archiveUnfinished) await copy(archive, archiveUnfinished, onProgress);
      renameArchive(unfinished, archiveTarget ? basename(archiveTarget) : archive);
    }
    await accept(unfinished, archiveUnfinished);
    for (const file of [archiveTarget, target]) {
      if (file === undefined) continue;
      if (existsSync(`${file}-wal`)) throw unusable(file, 'somebody has it open, or left its write-ahead log behind');
      flush(`${file}.unfinished`);
      renameSync(`${file}.unfinished`, file);
    }
    flush(dirname(target));
    return archiveTarget;
  } catch (error) {
    if (error instanceof StoreError || !isOfSqlite(error)) throw error;
    throw unusable(from, `it cannot be copied to ${to}: ${reasonOf(faultIn(error))}`, error);
  } finally {
    remains.forEach(remove);
  }
}

async function copy(from: string, to: string, onProgress: (pages: number, ofPages: number) => void): Promise<void> {
  const source = new Database(from, { readonly: true, fileMustExist: true, timeout: 2000 });
  try {
    source.exec('BEGIN');
    source.prepare('SELECT max(position) FROM events').get();
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        onProgress(totalPages - remainingPages, totalPages);
        return pagesAtOnce;
      },
    });
  } finally {
    source.close();
  }
  // One file, without a log beside it: it can be carried away as it is. A server that is started on it makes a log again.
  const made = new Database(to);
  try {
    made.pragma('journal_mode = DELETE');
  } finally {
    made.close();
  }
}

function remove(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
}

/** What was written is on the disk, or, of a folder, what was named in it. */
function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const isOfSqlite = (error: unknown): boolean => faultIn(error).code.startsWith('SQLITE_');
