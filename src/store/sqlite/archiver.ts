import Database, { type Statement } from 'better-sqlite3';
import type { ArchiveSizes, IdleStreams, Moved, MovedStep, StreamEnd, TimeSpan } from '../archive.ts';
import { StoreError, unusable } from '../store-error.ts';
import { archiveFacts } from './archive-file.ts';
import { boundLimit } from './limit.ts';
import { faultIn, reasonOf } from './sqlite-fault.ts';

/** Streams looked at in one go. */
const lookedAtOnce = 1000;
/** What one step moves: few enough that the ledger's writer, who waits meanwhile, is not held up for long. */
const maxStepEvents = 512;
const maxStepCharacters = 1_000_000;
/** How long a step waits for the ledger's writer. */
const busyTimeoutMs = 10_000;

/** Consecutive events of one stream that are in both files. */
interface Piece {
  readonly stream: number;
  readonly from: number;
  readonly to: number;
  /** Of the stream's last event when it was copied. */
  readonly end: number;
}

/** What was copied, and has still to be taken out of the ledger's own file. */
export interface Copied {
  readonly pieces: readonly Piece[];
  /** Whether nothing else is left to be copied. */
  readonly done: boolean;
}

/**
 * Moves events and receipts from a ledger's file into its archive: copies them in one transaction, and takes them out in
 * another once they lie there safely. SQLite commits atomically to one file only, so the two cannot be one; a run that
 * ends between them leaves events in both files, which readers tell once and the next run takes out. Snapshots stay: they
 * are no part of the record, and `compact` removes those that nobody reads.
 *
 * Synchronous. Its connection writes to one of the two files at a time, and never locks both.
 */
export class LedgerArchiver {
  readonly #path: string;
  readonly #archive: string;
  readonly #db: Database.Database;
  readonly #sql: ArchiverStatements;

  /** @param archive has to be the ledger's, and known to it: `prepareArchive` */
  constructor(path: string, archive: string) {
    this.#path = path;
    this.#archive = archive;
    this.#db = new Database(path, { fileMustExist: true, timeout: busyTimeoutMs });
    this.#db.prepare('ATTACH ? AS archive').run(archive);
    this.#db.pragma('archive.journal_mode = WAL'); // a copy has another, and whoever writes in that one locks out its readers
    this.#db.pragma('synchronous = FULL');
    this.#db.pragma('archive.synchronous = FULL');
    this.#sql = new ArchiverStatements(this.#db);
  }

  idle({ from, before }: TimeSpan, after: number): IdleStreams {
    return this.#attempt(() => {
      const rows = this.#sql.ends.all(after, lookedAtOnce) as (StreamEnd & { row: number; time: string | null })[];
      const idle = rows.filter(({ time }) => time !== null && from <= time && time < before);
      return {
        ends: idle.map(({ stream, revision }) => ({ stream, revision })),
        looked: rows.length,
        next: rows.length < lookedAtOnce ? null : rows.at(-1)!.row,
      };
    });
  }

  move(ends: readonly StreamEnd[]): MovedStep {
    const copied = this.copy(ends);
    return { ...this.release(copied), done: copied.done };
  }

  /**
   * The first half of a step: afterwards the events are in both files.
   *
   * @throws StoreError unusable-ledger where the archive holds others of the same revisions
   */
  copy(ends: readonly StreamEnd[]): Copied {
    return this.#attempt(() => {
      let pieces: Piece[] = [];
      let done = true;
      this.#inTransaction(() => {
        ({ pieces, done } = this.#pieces(ends));
        let added = 0;
        for (const piece of pieces) {
          this.#sql.copyStream.run(piece.stream);
          added += this.#sql.copyEvents.run(piece).changes;
          if (this.#sql.copies.get(piece) !== eventsOf(piece)) throw this.#differs(piece);
          this.#sql.copyReceipts.run(piece);
        }
        if (added > 0) this.#sql.countCopied.run(added);
      });
      return { pieces, done };
    });
  }

  /**
   * The second half: takes out of the ledger's own file what the archive gives back character for character. Receipts that
   * came meanwhile stay, and so does a stream that has got another end.
   *
   * @throws StoreError unusable-ledger where the archive holds something else in the same place
   */
  release({ pieces }: Copied): Moved {
    return this.#attempt(() => {
      const moved = { streams: 0, events: 0, receipts: 0 };
      if (pieces.length === 0) return moved;
      this.#inTransaction(() => {
        this.#sql.lock.run();
        for (const piece of pieces) {
          if (this.#sql.lastRevision.get(piece.stream) !== piece.end) continue;
          const last = this.#sql.eventAt.get(piece.stream, piece.to) as { position: number; id: string };
          const events = this.#sql.releaseEvents.run(piece).changes;
          if (events !== eventsOf(piece)) throw this.#differs(piece);
          moved.events += events;
          moved.receipts += this.#sql.releaseReceipts.run(piece).changes;
          moved.streams += piece.to === piece.end ? 1 : 0;
          this.#sql.putEnd.run(piece.stream, piece.to, last.position, last.id);
          this.#sql.raisePosition.run(last.position);
        }
        this.#sql.countReleased.run(moved.events);
      });
      return moved;
    });
  }

  sizes(): ArchiveSizes {
    const pages = (pragma: string): number => this.#db.pragma(pragma, { simple: true }) as number;
    const pageBytes = pages('page_size');
    return {
      streams: this.#sql.streams.get() as number,
      ledgerBytes: pages('page_count') * pageBytes,
      freeBytes: pages('freelist_count') * pageBytes,
      archiveBytes: pages('archive.page_count') * pages('archive.page_size'),
    };
  }

  /** Leaves the archive as one file without a log beside it, so that it can be copied as it is. */
  close(): void {
    try {
      this.#db.pragma('archive.wal_checkpoint(TRUNCATE)');
    } finally {
      this.#db.close();
    }
  }

  /** What fits into one step. The last event of the ledger stays, so that the ledger's own file always knows its head. */
  #pieces(ends: readonly StreamEnd[]): { pieces: Piece[]; done: boolean } {
    const pieces: Piece[] = [];
    const head = this.#sql.head.get() as number;
    let events = 0;
    let characters = 0;
    for (const { stream, revision: end } of ends) {
      const id = this.#sql.streamId.get(stream) as number | undefined;
      if (id === undefined || this.#sql.lastRevision.get(id) !== end) continue;
      const revisions: number[] = [];
      let done = true;
      for (const [revision, length] of this.#sql.lengths.iterate(id, head) as IterableIterator<[number, number]>) {
        done = events < maxStepEvents && characters < maxStepCharacters;
        if (!done) break;
        revisions.push(revision);
        events += 1;
        characters += length;
      }
      if (revisions.length > 0) pieces.push({ stream: id, from: revisions[0]!, to: revisions.at(-1)!, end });
      if (!done) return { pieces, done };
    }
    return { pieces, done: true };
  }

  #inTransaction(work: () => void): void {
    this.#sql.begin.run();
    try {
      work();
      this.#sql.commit.run();
    } finally {
      if (this.#db.inTransaction) this.#sql.rollback.run();
    }
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError({ code: 'not-writable', reason: reasonOf(faultIn(error)) }, error);
    }
  }

  #differs({ stream, from, to }: Piece): StoreError {
    const name = this.#sql.nameOf.get(stream) as string;
    return unusable(
      this.#path,
      `its archive ${this.#archive} holds other events than ${from} to ${to} of ${name} in their places. It is damaged, or the ledger was restored to a moment before the archive's: put the copy of the archive in its place that belongs to the copy of the ledger`,
    );
  }
}

const eventsOf = ({ from, to }: Piece): number => to - from + 1;

const sameEvent = ['stream', 'revision', 'id', 'type', 'v', 'time', 'data', 'metadata']
  .map((column) => `a.${column} = events.${column}`)
  .join(' AND ');
const sameReceipt = ['body_hash', 'event_count', 'last_revision', 'position']
  .map((column) => `a.${column} = receipts.${column}`)
  .join(' AND ');

class ArchiverStatements {
  readonly begin: Statement;
  readonly commit: Statement;
  readonly rollback: Statement;
  readonly lock: Statement;
  readonly head: Statement;
  readonly streams: Statement;
  readonly ends: Statement<[number, number]>;
  readonly streamId: Statement<[string]>;
  readonly nameOf: Statement<[number]>;
  readonly lastRevision: Statement<[number]>;
  readonly eventAt: Statement<[number, number]>;
  readonly lengths: Statement<[number, number]>;
  readonly copyStream: Statement<[number]>;
  readonly copyEvents: Statement<[Piece]>;
  readonly copies: Statement<[Piece]>;
  readonly copyReceipts: Statement<[Piece]>;
  readonly countCopied: Statement<[number]>;
  readonly releaseEvents: Statement<[Piece]>;
  readonly releaseReceipts: Statement<[Piece]>;
  readonly putEnd: Statement<[number, number, number, string]>;
  readonly raisePosition: Statement<[number]>;
  readonly countReleased: Statement<[number]>;

  constructor(db: Database.Database) {
    const raise = (file: string, key: string): string =>
      `UPDATE ${file}.meta SET value = CAST(CAST(value AS INTEGER) + ? AS TEXT) WHERE key = '${key}'`;
    this.begin = db.prepare('BEGIN');
    this.commit = db.prepare('COMMIT');
    this.rollback = db.prepare('ROLLBACK');
    // Writes first: a transaction that began to read could not write any more once somebody else has.
    this.lock = db.prepare(`UPDATE main.meta SET value = value WHERE key = '${archiveFacts.events}'`);
    this.head = db.prepare('SELECT max(position) FROM main.events').pluck();
    this.streams = db.prepare('SELECT count(*) FROM main.streams').pluck();
    this.ends = db.prepare(
      `SELECT s.id AS row, s.name AS stream, e.revision, e.time FROM main.streams s LEFT JOIN main.events e
         ON e.stream = s.id AND e.revision = (SELECT max(revision) FROM main.events WHERE stream = s.id)
       WHERE s.id > ? ORDER BY s.id ${boundLimit}`,
    );
    this.streamId = db.prepare('SELECT id FROM main.streams WHERE name = ?').pluck();
    this.nameOf = db.prepare('SELECT name FROM main.streams WHERE id = ?').pluck();
    this.lastRevision = db.prepare('SELECT max(revision) FROM main.events WHERE stream = ?').pluck();
    this.eventAt = db.prepare('SELECT position, id FROM main.events WHERE stream = ? AND revision = ?');
    this.lengths = db
      .prepare(
        `SELECT revision, length(data) + length(metadata) FROM main.events WHERE stream = ? AND position < ? ORDER BY revision`,
      )
      .raw();
    this.copyStream = db.prepare('INSERT OR IGNORE INTO archive.streams SELECT * FROM main.streams WHERE id = ?');
    this.copyEvents = db.prepare(
      `INSERT OR IGNORE INTO archive.events SELECT * FROM main.events
       WHERE stream = :stream AND revision BETWEEN :from AND :to ORDER BY revision`,
    );
    this.copies = db
      .prepare('SELECT count(*) FROM archive.events WHERE stream = :stream AND revision BETWEEN :from AND :to')
      .pluck();
    this.copyReceipts = db.prepare(
      'INSERT OR IGNORE INTO archive.receipts SELECT * FROM main.receipts WHERE stream = :stream AND last_revision <= :to',
    );
    this.countCopied = db.prepare(raise('archive', archiveFacts.events));
    this.releaseEvents = db.prepare(
      `DELETE FROM main.events WHERE stream = :stream AND revision BETWEEN :from AND :to
         AND EXISTS (SELECT 1 FROM archive.events a WHERE a.position = events.position AND ${sameEvent})`,
    );
    this.releaseReceipts = db.prepare(
      `DELETE FROM main.receipts WHERE stream = :stream AND last_revision <= :to AND EXISTS (SELECT 1 FROM
         archive.receipts a WHERE a.stream = receipts.stream AND a.command_id = receipts.command_id AND ${sameReceipt})`,
    );
    this.putEnd = db.prepare('INSERT OR REPLACE INTO main.archived VALUES (?, ?, ?, ?)');
    this.raisePosition = db.prepare(
      `UPDATE main.meta SET value = CAST(max(CAST(value AS INTEGER), ?) AS TEXT) WHERE key = '${archiveFacts.position}'`,
    );
    this.countReleased = db.prepare(raise('main', archiveFacts.events));
  }
}
