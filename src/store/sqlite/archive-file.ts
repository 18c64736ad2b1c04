import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { unusable } from '../store-error.ts';
import { factsIn, type Meta, withDatabase } from './ledger-file.ts';
import { archiveApplicationId, archivedSchema, archivedVersion, schema } from './schema.ts';

/** Facts about an archive that the ledger keeps among its own, under these keys of `meta`. */
export const archiveFacts = {
  /** Its file: a bare name where that lies beside the ledger, so that the two can be carried elsewhere together. */
  file: 'archive_file',
  /** How many of the ledger's events lie there. The archive has the same key, and never the lower number. */
  events: 'archive_events',
  /** The highest position among them. */
  position: 'archive_position',
} as const;

/**
 * The file of a ledger's archive; null where it has none. It has to be there, and to hold all that the ledger left to it;
 * one that nothing was left to may be missing.
 *
 * @param elsewhere where the archive was moved to, if it was
 * @throws StoreError unusable-ledger
 */
export function findArchive(path: string, elsewhere = ''): string | null {
  const ledger = metaOf(path);
  const recorded = ledger[archiveFacts.file];
  if (recorded === undefined) return null;
  const file = elsewhere === '' ? resolve(dirname(realpathSync(path)), recorded) : resolve(elsewhere);
  if (holdsNothing(ledger) && !existsSync(file)) return null;
  requireArchive(path, file, ledger);
  return file;
}

/**
 * The same for the one who has the ledger to itself: where the archive was moved, that is remembered.
 *
 * @throws StoreError unusable-ledger
 */
export const openArchive = (path: string, elsewhere = ''): string | null =>
  metaOf(path)[archiveFacts.file] === undefined ? null : prepareArchive(path, elsewhere);

/**
 * Sees to it that a ledger has an archive, and remembers where. The caller holds the ledger's lock.
 *
 * @param wanted where a new one is made, or where the archive was moved to. Default: beside the ledger
 * @throws StoreError unusable-ledger
 */
export function prepareArchive(path: string, wanted = ''): string {
  const ledger = metaOf(path);
  const recorded = ledger[archiveFacts.file];
  const file = recorded !== undefined && wanted === '' ? resolve(dirname(path), recorded) : locateNew(path, wanted);
  if (file === path) throw unusable(file, 'it is the ledger itself; name another file for its archive');
  if (holdsNothing(ledger) && !existsSync(file)) createArchive(file, ledger);
  requireArchive(path, file, ledger);
  const name = dirname(file) === dirname(path) ? basename(file) : file;
  if (name !== recorded) remember(path, name, recorded === undefined);
  return file;
}

/** Makes a copy of a ledger know an archive by another name. */
export function renameArchive(path: string, name: string): void {
  remember(path, name, false);
}

function locateNew(path: string, wanted: string): string {
  if (wanted === '') return `${path}.archive`;
  const full = resolve(wanted);
  mkdirSync(dirname(full), { recursive: true });
  return join(realpathSync(dirname(full)), basename(full));
}

/** @throws StoreError unusable-ledger, of the ledger: it is not whole without its archive */
function requireArchive(path: string, file: string, ledger: Meta): void {
  const useless = (reason: string) => unusable(path, `its archive ${file} ${reason}`);
  const events = Number(ledger[archiveFacts.events] ?? 0);
  if (!existsSync(file)) {
    throw useless(
      `is not there, and ${events} of its events are. Put the file back, or say with STACKLEDGER_ARCHIVE_FILE where it is now`,
    );
  }
  const archive = withDatabase(file, { readonly: true }, (db) =>
    db.pragma('application_id', { simple: true }) === archiveApplicationId ? factsIn(db) : null,
  );
  if (archive === null) throw useless('is some other file. Put the archive in its place');
  if (archive.ledger_id !== ledger.ledger_id) {
    throw useless(
      `is that of the ledger ${archive.ledger_id}; this one is ${ledger.ledger_id}. Put its own in its place`,
    );
  }
  const held = Number(archive[archiveFacts.events]);
  if (held >= events) return;
  throw useless(
    `is an older copy: it holds ${held} events, and the ledger left ${events} to it. Put the newest one in its place`,
  );
}

/** It gets its name last: what has the name is an archive, whenever the power fails. */
function createArchive(file: string, ledger: Meta): void {
  const unfinished = `${file}.unfinished`;
  rmSync(unfinished, { force: true });
  withDatabase(unfinished, {}, (db) => {
    db.pragma('journal_mode = WAL');
    db.transaction(() => {
      db.exec(schema);
      db.pragma(`application_id = ${archiveApplicationId}`);
      const insert = db.prepare('INSERT INTO meta VALUES (?, ?)');
      for (const key of ['ledger_id', 'clock', 'created_at']) insert.run(key, ledger[key]);
      insert.run('schema_version', String(archivedVersion));
      insert.run(archiveFacts.events, '0');
    })();
  });
  renameSync(unfinished, file);
}

function remember(path: string, name: string, isNew: boolean): void {
  withDatabase(path, {}, (db) => {
    db.transaction(() => {
      const put = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
      put.run(archiveFacts.file, name);
      if (!isNew) return;
      db.exec(archivedSchema);
      put.run('schema_version', String(archivedVersion));
      put.run(archiveFacts.events, '0');
      put.run(archiveFacts.position, '0');
    }).immediate();
  });
}

const holdsNothing = (ledger: Meta): boolean => Number(ledger[archiveFacts.events] ?? 0) === 0;

const metaOf = (path: string): Meta => withDatabase(path, { readonly: true }, factsIn);
