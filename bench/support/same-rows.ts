/**
 * The ceiling of whatever writes: the very rows that the program wrote, written once more by bare SQLite into tables like
 * those they are from, in transactions of the same size and as durably. Nothing is decided and nothing is made there; the
 * rows are in memory before the clock runs.
 */

import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { rate } from './measure.ts';
import { eventInserter, rawLedger } from './raw-ledger.ts';

type Row = readonly unknown[];

/** Rows of `events`, in the order in which a ledger got them. */
export class EventRows {
  readonly #from: Database.Database;
  readonly #into: Database.Database;
  readonly #insert: ReturnType<typeof eventInserter>;
  #last = 0;

  /** @param from the file of a ledger, which may be growing */
  static async of(from: string, into: string): Promise<EventRows> {
    return new EventRows(new Database(from, { readonly: true }), await rawLedger(into));
  }

  private constructor(from: Database.Database, into: Database.Database) {
    this.#from = from;
    this.#into = into;
    this.#insert = eventInserter(into);
  }

  /** Writes the next `count` of the rows, `batch` a transaction. Rows a second. */
  async write(count: number, batch: number): Promise<number> {
    this.#writeStreams();
    const rows = this.#from
      .prepare('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?')
      .raw()
      .all(this.#last, count) as Row[];
    if (rows.length < count) throw new Error(`the ledger has got ${rows.length} more rows, not ${count}`);
    this.#last = rows.at(-1)![0] as number;
    return rate(count, () => this.#insert(rows, batch));
  }

  close(): void {
    this.#from.close();
    this.#into.close();
  }

  #writeStreams(): void {
    const known = this.#into.prepare('SELECT coalesce(max(id), 0) FROM streams').pluck().get();
    const insert = this.#into.prepare('INSERT INTO streams VALUES (?, ?)');
    const streams = this.#from.prepare('SELECT id, name FROM streams WHERE id > ?').raw().all(known) as Row[];
    this.#into.transaction(() => {
      for (const stream of streams) insert.run(...stream);
    })();
  }
}

interface Table {
  readonly name: string;
  readonly sql: string;
  readonly rows: readonly Row[];
}

/** All rows of a file of read models, and then the indexes, as the program fills a new one. */
export class ModelRows {
  readonly #tables: readonly Table[];
  readonly #indexes: readonly string[];

  constructor(models: string) {
    const db = new Database(models, { readonly: true });
    const sqlOf = (type: string) =>
      db.prepare('SELECT name, sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL').all(type) as Table[];
    this.#tables = sqlOf('table')
      .filter(({ name }) => !name.startsWith('sqlite_'))
      .map(({ name, sql }) => ({ name, sql, rows: db.prepare(`SELECT * FROM "${name}"`).raw().all() as Row[] }));
    this.#indexes = sqlOf('index').map(({ sql }) => sql);
    db.close();
  }

  write(path: string): void {
    rmSync(path, { force: true });
    const db = new Database(path);
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.pragma('cache_size = -131072');
    for (const { name, sql, rows } of this.#tables) {
      db.exec(sql);
      const places = rows[0]?.map(() => '?').join(', ');
      const insert = rows[0] && db.prepare(`INSERT INTO "${name}" VALUES (${places})`);
      db.transaction(() => {
        for (const row of rows) insert!.run(...row);
      })();
    }
    for (const sql of this.#indexes) db.exec(sql);
    db.close();
  }
}
