import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import type { LedgerIdentity, LedgerInfo } from '../event-store.ts';
import { StoreError, unusable } from '../store-error.ts';
import { applicationId, archiveApplicationId, archivedVersion, schema, schemaVersion } from './schema.ts';
import { faultIn, reasonOf } from './sqlite-fault.ts';

/**
 * The one name of a ledger's file, so that two names for it meet at the same lock. Creates the folder unless the ledger
 * has to be there already. @throws StoreError unusable-ledger
 */
export function locate(path: string, mustExist: boolean): string {
  if (path === ':memory:' || path.trim() === '') throw unusable(path, 'a ledger in memory is opened as memory:');
  try {
    const full = resolve(path);
    if (existsSync(full)) {
      if (statSync(full).isDirectory()) throw unusable(path, 'it is a folder; name a file in it');
      return realpathSync(full);
    }
    if (mustExist) throw unusable(path, 'there is no such file');
    mkdirSync(dirname(full), { recursive: true });
    return join(realpathSync(dirname(full)), basename(full));
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw unusable(path, reasonOf(faultIn(error)), error);
  }
}

/** The facts that a ledger, or an archive, has in its table `meta`. */
export type Meta = Readonly<Record<string, string>>;

export const factsIn = (db: Database.Database): Meta =>
  Object.fromEntries(db.prepare('SELECT key, value FROM meta').raw().all() as [string, string][]);

/** What the file says of itself, or null where nothing was ever written to it. @throws StoreError unusable-ledger */
export function inspect(path: string): LedgerInfo | null {
  if (!existsSync(path) || statSync(path).size === 0) return null;
  return withDatabase(path, { readonly: true }, (db) => {
    const application = db.pragma('application_id', { simple: true });
    if (application === archiveApplicationId)
      throw unusable(path, 'it is the archive of a ledger, which is read with it; name the ledger');
    if (application !== applicationId) throw unusable(path, 'it is an SQLite database, but not a ledger');
    const meta = factsIn(db);
    const version = Number(meta.schema_version);
    if (version > archivedVersion) {
      const known = `this one reads formats up to ${archivedVersion}`;
      throw unusable(path, `it has the format ${version} of a newer Stackledger; ${known}`);
    }
    return {
      ledgerId: meta.ledger_id!,
      engine: 'sqlite',
      clock: meta.clock as LedgerInfo['clock'],
      createdAt: meta.created_at!,
    };
  });
}

/** The same of a file that has to be a ledger. @throws StoreError unusable-ledger */
export function inspectLedger(path: string): LedgerInfo {
  const info = inspect(path);
  if (!info) throw unusable(path, 'the file is empty; name one that holds a ledger');
  return info;
}

/** Makes an empty ledger. The caller holds its lock. @throws StoreError unusable-ledger */
export function create(path: string, { ledgerId, clock, createdAt }: LedgerIdentity): LedgerInfo {
  const info: LedgerInfo = { ledgerId, engine: 'sqlite', clock, createdAt };
  return withDatabase(path, {}, (db) => {
    db.pragma('journal_mode = WAL');
    db.transaction(() => {
      db.exec(schema);
      db.pragma(`application_id = ${applicationId}`);
      const insert = db.prepare('INSERT INTO meta VALUES (?, ?)');
      insert.run('ledger_id', info.ledgerId);
      insert.run('schema_version', String(schemaVersion));
      insert.run('clock', info.clock);
      insert.run('created_at', info.createdAt);
    })();
    return info;
  });
}

/** Opens a file for as long as somebody uses it. @throws StoreError unusable-ledger */
export function withDatabase<T>(path: string, options: Database.Options, use: (db: Database.Database) => T): T {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, options);
    return use(db);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw unusable(path, reasonOf(faultIn(error)), error);
  } finally {
    db?.close();
  }
}
