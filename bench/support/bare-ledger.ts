import type Database from 'better-sqlite3';
import { eventInserter, rawLedger } from './raw-ledger.ts';

/** A row of `events` behind its position, stream, revision and id. */
type Texts = readonly [type: string, v: number, time: string, data: string, metadata: string];

/** Prime, so that one stream after the other is far from the last. */
const stride = 7919;

/** What bare SQLite takes to write to a ledger's file as commands do: a row for one stream after the other, all over it. */
export class BareLedger {
  readonly #db: Database.Database;
  readonly #streams: readonly number[];
  readonly #texts: Texts;
  #picked = 0;

  private constructor(db: Database.Database) {
    this.#db = db;
    this.#streams = db.prepare('SELECT id FROM streams').pluck().all() as number[];
    this.#texts = db
      .prepare(`SELECT type, v, time, data, metadata FROM events WHERE type = 'PortUpdated' LIMIT 1`)
      .raw()
      .get() as Texts;
  }

  static async open(file: string): Promise<BareLedger> {
    return new BareLedger(await rawLedger(file));
  }

  /** Adds a row to each of `count` streams, `batch` a transaction; microseconds of CPU each. What to add is known before. */
  append(count: number, batch: number): number {
    const lastRevision = this.#db.prepare('SELECT max(revision) FROM events WHERE stream = ?').pluck();
    const insert = eventInserter(this.#db);
    let position = this.#db.prepare('SELECT max(position) FROM events').pluck().get() as number;
    const revisions = new Map<number, number>();
    const rows = Array.from({ length: count }, () => {
      const stream = this.#pick();
      const revision = (revisions.get(stream) ?? (lastRevision.get(stream) as number)) + 1;
      revisions.set(stream, revision);
      return [++position, stream, revision, crypto.randomUUID(), ...this.#texts];
    });
    const before = process.cpuUsage();
    insert(rows, batch);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  }

  close(): void {
    this.#db.close();
  }

  #pick(): number {
    return this.#streams[(this.#picked++ * stride) % this.#streams.length]!;
  }
}
