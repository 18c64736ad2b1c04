import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { parkingTable } from './parking.ts';
import { type Aggregates, projections } from './projector.ts';

/** The path of models that live as long as their process. */
export const inMemory = ':memory:';

/** Where models are built that are to take the place of others. */
export const buildingPath = (path: string): string => (path === inMemory ? inMemory : `${path}.building`);

/** "StkV", in the header of the file: tells read models from any other SQLite database. */
const applicationId = 0x53746b56;

const metaTables = `
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint (
  position INTEGER NOT NULL
) STRICT;
`;

const tables = [metaTables, parkingTable, ...projections.map((projection) => projection.tables)].join('');
const indexes = projections.map((projection) => projection.indexes).join('');

/** How long a write waits for another program that holds a lock on the file. */
const busyTimeoutMs = 2000;

/** Pages after which the write-ahead log is copied into the file: a page that changes often is then copied once for many commits. */
const walPages = 4000;

/** What a file must have been made from to be of use. */
export interface Identity {
  readonly ledgerId: string;
  /** JSON text: the version of every projection and every fold. */
  readonly versions: string;
}

export function identityOf(ledgerId: string, aggregates: Aggregates): Identity {
  const folds = Object.values(aggregates).map(({ kind, foldVersion }) => [kind, foldVersion] as const);
  const models = projections.map(({ name, version }) => [name, version] as const);
  return { ledgerId, versions: JSON.stringify(Object.fromEntries([...models, ...folds].sort())) };
}

/**
 * - `current`: goes on from its checkpoint.
 * - `outdated`: another version made it. Its tables are the same, so it can answer while a new one is built.
 * - `unusable`: not there, not finished, of another ledger or format, or damaged.
 */
export type Verdict = 'current' | 'outdated' | 'unusable';

/** Opens a file of read models as it is. */
export function openExisting(path: string, identity: Identity): { db: Database.Database | null; verdict: Verdict } {
  if (path === inMemory || !existsSync(path)) return { db: null, verdict: 'unusable' };
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: busyTimeoutMs });
    const verdict = judge(db, identity);
    if (verdict !== 'unusable') {
      keepSafely(db);
      return { db, verdict };
    }
    db.close();
  } catch (error) {
    db?.close();
    if (!isDamage(error)) throw error;
  }
  return { db: null, verdict: 'unusable' };
}

/**
 * Makes an empty file, whatever was there. For a bulk load it is made fast and unsafe: until {@link seal} it is worth
 * nothing after a crash, and has no indexes.
 */
export function createFile(path: string, identity: Identity, forBulkLoad: boolean): Database.Database {
  if (path !== inMemory) {
    remove(path);
    mkdirSync(dirname(path), { recursive: true });
  }
  const db = new Database(path, { timeout: busyTimeoutMs });
  if (forBulkLoad) {
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.pragma('cache_size = -131072');
  } else {
    keepSafely(db);
  }
  db.transaction(() => {
    db.exec(tables);
    db.prepare('INSERT INTO checkpoint VALUES (0)').run();
    db.pragma(`application_id = ${applicationId}`);
    if (forBulkLoad) return;
    db.exec(indexes);
    writeMeta(db, identity);
  })();
  return db;
}

/** Ends a bulk load: what was written is complete, indexed and on disk before the file says so. */
export function seal(db: Database.Database, path: string, identity: Identity): void {
  db.exec(indexes);
  db.pragma('analysis_limit = 1000');
  db.exec('ANALYZE');
  if (path !== inMemory) syncToDisk(path);
  keepSafely(db);
  db.transaction(() => writeMeta(db, identity))();
}

/** Puts a finished file into the place of another one. Both are closed. */
export function replace(path: string, by: string): void {
  remove(path);
  renameSync(by, path);
}

/** The file goes before its log: a log that met another file would be copied into it. */
export function remove(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
}

/** Whether an error says that the file itself is broken, so that it is of no use to try again. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);

/** What a crash of the machine may lose of such a file are its last commits; the ledger still has their events. */
function keepSafely(db: Database.Database): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('cache_size = -65536');
  db.pragma(`wal_autocheckpoint = ${walPages}`);
}

function writeMeta(db: Database.Database, { ledgerId, versions }: Identity): void {
  const insert = db.prepare('INSERT INTO meta VALUES (?, ?)');
  insert.run('ledger_id', ledgerId);
  insert.run('versions', versions);
  insert.run('tables', tables + indexes);
}

function judge(db: Database.Database, identity: Identity): Verdict {
  if (db.pragma('application_id', { simple: true }) !== applicationId) return 'unusable';
  const rows = db.prepare('SELECT key, value FROM meta').raw().all() as [string, string][];
  const meta = Object.fromEntries(rows);
  if (meta.ledger_id !== identity.ledgerId || meta.tables !== tables + indexes) return 'unusable';
  return meta.versions === identity.versions ? 'current' : 'outdated';
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
