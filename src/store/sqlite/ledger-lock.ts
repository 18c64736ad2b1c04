import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { StoreError, unusable } from '../store-error.ts';
import { faultIn, reasonOf } from './sqlite-fault.ts';

/**
 * Keeps a second process off a ledger. The lock is one that the operating system holds on a file beside the ledger, taken
 * through SQLite: it goes with its process, however that ends. The file also says who the holder is; that text is only
 * for people and decides nothing.
 */
export class LedgerLock {
  readonly #db: Database.Database;

  private constructor(db: Database.Database) {
    this.#db = db;
  }

  /** @throws StoreError ledger-locked | unusable-ledger */
  static acquire(path: string, now: () => number): LedgerLock {
    const lockPath = `${path}.lock`;
    let db: Database.Database | undefined;
    try {
      db = new Database(lockPath, { timeout: 0 });
      if (!take(db, `pid ${process.pid} on ${hostname()} since ${new Date(now()).toISOString()}`)) {
        throw new StoreError({ code: 'ledger-locked', path, holder: holderIn(db) });
      }
      return new LedgerLock(db);
    } catch (error) {
      db?.close();
      if (error instanceof StoreError) throw error;
      throw unusable(path, `its lock ${lockPath} cannot be taken: ${reasonOf(faultIn(error))}`, error);
    }
  }

  release(): void {
    this.#db.close();
  }
}

/**
 * Readers see only what is committed, so the holder's name is committed first and the lock taken again for good. Whoever
 * slips in between writes his own name, and the one who then no longer finds his gives way.
 */
function take(db: Database.Database, holder: string): boolean {
  const token = randomUUID();
  if (!begin(db)) return false;
  db.exec('CREATE TABLE IF NOT EXISTS holder (token TEXT NOT NULL, name TEXT NOT NULL); DELETE FROM holder');
  db.prepare('INSERT INTO holder VALUES (?, ?)').run(token, holder);
  db.exec('COMMIT');

  db.pragma('busy_timeout = 1000');
  return begin(db) && db.prepare('SELECT token FROM holder').pluck().get() === token;
}

function begin(db: Database.Database): boolean {
  try {
    db.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (faultIn(error).code.startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

function holderIn(db: Database.Database): string {
  if (db.inTransaction) db.exec('ROLLBACK');
  try {
    return String(db.prepare('SELECT name FROM holder').pluck().get());
  } catch {
    return 'another process that is just starting';
  }
}
