/** A ledger's file as bare SQLite uses it: opened as the store's writer opens it, with nothing of the program in between. */

import Database from 'better-sqlite3';
import { openStore } from '../../src/store/open-store.ts';

/** Has the ledger's schema, also where it is new. */
export async function rawLedger(path: string): Promise<Database.Database> {
  await openStore(`sqlite:${path}`).then((store) => store.close());
  const db = new Database(path);
  db.pragma('synchronous = FULL');
  db.pragma('cache_size = -65536');
  db.pragma('wal_autocheckpoint = 2000');
  return db;
}

/** Inserts rows of `events`, `batch` a transaction. */
export function eventInserter(db: Database.Database): (rows: readonly (readonly unknown[])[], batch: number) => void {
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const insertAll = db.transaction((rows: readonly (readonly unknown[])[]) => {
    for (const row of rows) insert.run(...row);
  });
  return (rows, batch) => {
    for (let start = 0; start < rows.length; start += batch) insertAll.immediate(rows.slice(start, start + batch));
  };
}
