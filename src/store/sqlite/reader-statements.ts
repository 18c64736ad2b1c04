import type { Database, Statement } from 'better-sqlite3';
import type { EventFilter } from '../event-store.ts';
import { boundLimit } from './limit.ts';

/** An event as `eventColumns` selects it. */
export type EventRow = readonly [
  position: number,
  /** The stream's row: the reader knows the names. */
  stream: number,
  revision: number,
  id: string,
  type: string,
  v: number,
  time: string,
  data: string,
  metadata: string,
];

/** Where the events of a connection lie: in the ledger's own file, or in the archive that is attached to it. */
export type Place = 'main' | 'archive';

const eventColumns = 'e.position, e.stream, e.revision, e.id, e.type, e.v, e.time, e.data, e.metadata';
const receiptColumns = `r.command_id AS commandId, r.body_hash AS bodyHash, r.event_count AS eventCount,
  r.last_revision AS lastRevision, r.position`;
const snapshotColumns = 's.name AS stream, n.revision, n.fold_version AS foldVersion, n.state';

/** Filters differ in how many prefixes and types they name; so many shapes are kept prepared. */
const maxWindowStatements = 64;

/** What the reader asks a ledger's own file alone, prepared once. */
export class ReaderStatements {
  readonly head: Statement;
  readonly streamId: Statement<[string]>;
  readonly streamName: Statement<[number]>;
  readonly snapshot: Statement<[string]>;
  readonly checkpoint: Statement<[string]>;
  readonly checkpoints: Statement<[]>;
  readonly snapshotsAfter: Statement<[string, number]>;

  constructor(db: Database) {
    this.head = db.prepare('SELECT max(position) FROM events').pluck();
    this.checkpoint = db.prepare('SELECT position FROM checkpoints WHERE name = ?').pluck();
    this.checkpoints = db.prepare('SELECT name, position FROM checkpoints ORDER BY name');
    this.streamId = db.prepare('SELECT id FROM streams WHERE name = ?').pluck();
    this.streamName = db.prepare('SELECT name FROM streams WHERE id = ?').pluck();
    this.snapshot = db.prepare(
      `SELECT ${snapshotColumns} FROM streams s JOIN snapshots n ON n.stream = s.id WHERE s.name = ?`,
    );
    this.snapshotsAfter = db.prepare(
      `SELECT ${snapshotColumns} FROM snapshots n JOIN streams s ON s.id = n.stream
       WHERE n.stream > ifnull((SELECT id FROM streams WHERE name = ?), 0) ORDER BY n.stream ${boundLimit}`,
    );
  }
}

/**
 * What the reader asks for events and receipts, in one place or the other. Of the archive only that counts which the
 * ledger has left to it: a run that broke off has copied more.
 */
export class EventStatements {
  readonly streamForwards: Statement<[string, number, number]>;
  readonly streamBackwards: Statement<[string, number, number]>;
  readonly streamUpTo: Statement<[number, number, number, number]>;
  readonly lastRevision: Statement<[number]>;
  readonly positionAt: Statement<[number, number]>;
  readonly receipt: Statement<[string, string]>;
  readonly receiptsAfter: Statement<[number, string, string, number]>;
  readonly #db: Database;
  readonly #events: string;
  readonly #windows = new Map<string, Statement>();

  constructor(db: Database, place: Place) {
    this.#db = db;
    const isArchive = place === 'archive';
    const leftToIt = (row: string, revision: string): string =>
      isArchive ? ` CROSS JOIN archived a ON a.stream = ${row}.stream AND ${revision} <= a.revision` : '';
    const events = `${place}.events e${leftToIt('e', 'e.revision')}`;
    const receipts = `${place}.receipts r${leftToIt('r', 'r.last_revision')}`;
    const ofStream = `SELECT ${eventColumns} FROM streams s CROSS JOIN ${events}`;
    this.#events = events;
    this.streamForwards = db
      .prepare(`${ofStream} WHERE s.name = ? AND e.stream = s.id AND e.revision >= ? ORDER BY e.revision ${boundLimit}`)
      .raw();
    this.streamBackwards = db
      .prepare(
        `${ofStream} WHERE s.name = ? AND e.stream = s.id AND e.revision <= ? ORDER BY e.revision DESC ${boundLimit}`,
      )
      .raw();
    this.streamUpTo = db
      .prepare(
        `${ofStream} WHERE s.id = ? AND e.stream = s.id AND e.revision >= ? AND e.position <= ? ORDER BY e.revision ${boundLimit}`,
      )
      .raw();
    this.lastRevision = db
      .prepare(
        isArchive
          ? 'SELECT revision FROM archived WHERE stream = ?'
          : 'SELECT max(revision) FROM events WHERE stream = ?',
      )
      .pluck();
    this.positionAt = db.prepare(`SELECT position FROM ${place}.events WHERE stream = ? AND revision = ?`).pluck();
    this.receipt = db.prepare(
      `SELECT ${receiptColumns} FROM ${receipts}
       WHERE r.stream = (SELECT id FROM streams WHERE name = ?) AND r.command_id = ?`,
    );
    this.receiptsAfter = db.prepare(
      `SELECT s.name AS stream, ${receiptColumns} FROM ${receipts} CROSS JOIN streams s ON s.id = r.stream
       WHERE (r.position, r.stream, r.command_id) > (?, ifnull((SELECT id FROM streams WHERE name = ?), 0), ?)
       ORDER BY r.position, r.stream, r.command_id ${boundLimit}`,
    );
  }

  /**
   * Events of a window of positions that pass a filter: bound to the two ends, then `values`, then the limit. Types stand
   * before the texts in a row, so what does not pass costs a look at the row's first bytes.
   */
  window({ types, streamPrefixes }: EventFilter = {}): { statement: Statement; values: readonly string[] } {
    const ofType = types ? ` AND e.type IN (${types.map(() => '?').join(', ')})` : '';
    const anyPrefix = streamPrefixes?.map(() => 'substr(s.name, 1, length(?)) = ?').join(' OR ') || '0';
    const ofStreams = streamPrefixes ? ` AND (${anyPrefix})` : '';
    const names = streamPrefixes ? ' CROSS JOIN streams s ON s.id = e.stream' : '';
    const sql = `SELECT ${eventColumns} FROM ${this.#events}${names}
      WHERE e.position > ? AND e.position <= ?${ofType}${ofStreams} ORDER BY e.position ${boundLimit}`;
    const values = [...(types ?? []), ...(streamPrefixes ?? []).flatMap((prefix) => [prefix, prefix])];
    return { statement: this.#prepared(sql), values };
  }

  #prepared(sql: string): Statement {
    let statement = this.#windows.get(sql);
    if (!statement) {
      if (this.#windows.size >= maxWindowStatements) this.#windows.clear();
      statement = this.#db.prepare(sql).raw();
      this.#windows.set(sql, statement);
    }
    return statement;
  }
}
