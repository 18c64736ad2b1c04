import type { Database, Statement } from 'better-sqlite3';
import type { PastReceipt, StreamPast } from '../append-rules.ts';
import { type Checkpoint, type NewEvent, parsePosition, type Receipt, type Snapshot } from '../event-store.ts';
import type { ArchivedPart, ArchivedParts } from './archived-parts.ts';
import { boundLimit } from './limit.ts';

/** What the writer asks and tells the file, prepared once. */
export class WriterStatements {
  readonly begin: Statement;
  readonly commit: Statement;
  readonly rollback: Statement;
  readonly dataVersion: Statement;
  readonly headOfStream: Statement<[string]>;
  readonly holds: Statement<[number, string]>;
  readonly ids: Statement<[number]>;
  readonly eventsFrom: Statement<[number, number, number]>;
  readonly receipt: Statement<[number, string]>;
  readonly #lastPosition: Statement;
  readonly #insertStream: Statement<[string]>;
  readonly #insertEvent: Statement<[number, number, number, string, string, number, string, string, string]>;
  readonly #insertReceipt: Statement<[number, string, string, number, number, number]>;
  readonly #snapshot: Statement<[number]>;
  readonly #putSnapshot: Statement<[number, number, number, string]>;
  readonly #putCheckpoint: Statement<[string, number]>;

  constructor(db: Database) {
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
    this.rollback = db.prepare('ROLLBACK');
    this.dataVersion = db.prepare('PRAGMA data_version').pluck();
    this.headOfStream = db.prepare(
      `SELECT s.id, e.revision, e.position, e.id AS eventId FROM streams s LEFT JOIN events e ON e.stream = s.id
       WHERE s.name = ? ORDER BY e.revision DESC LIMIT 1`,
    );
    this.holds = db.prepare('SELECT 1 FROM events WHERE stream = ? AND id = ?').pluck();
    this.ids = db.prepare('SELECT id FROM events WHERE stream = ?').pluck();
    this.eventsFrom = db.prepare(
      `SELECT id, position FROM events WHERE stream = ? AND revision >= ? ORDER BY revision ${boundLimit}`,
    );
    this.receipt = db.prepare(
      `SELECT body_hash AS bodyHash, event_count AS eventCount, last_revision AS lastRevision, position
       FROM receipts WHERE stream = ? AND command_id = ?`,
    );
    this.#lastPosition = db.prepare('SELECT max(position) FROM events').pluck();
    this.#insertStream = db.prepare('INSERT INTO streams (name) VALUES (?)');
    this.#insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#insertReceipt = db.prepare('INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?)');
    this.#snapshot = db.prepare('SELECT revision, fold_version AS foldVersion FROM snapshots WHERE stream = ?');
    this.#putSnapshot = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)');
    this.#putCheckpoint = db.prepare('INSERT OR REPLACE INTO checkpoints VALUES (?, ?)');
  }

  lastPosition(): number {
    return (this.#lastPosition.get() as number | null) ?? 0;
  }

  createStream(name: string): number {
    return Number(this.#insertStream.run(name).lastInsertRowid);
  }

  insertEvent(position: number, stream: number, revision: number, event: NewEvent): void {
    const { id, type, v, time, data, metadata } = event;
    this.#insertEvent.run(position, stream, revision, id, type, v, time, data, metadata);
  }

  insertReceipt({ id, revision, position }: StreamHead, { commandId, bodyHash }: Receipt, eventCount: number): void {
    this.#insertReceipt.run(id!, commandId, bodyHash, eventCount, revision, position);
  }

  snapshot(stream: number): Pick<Snapshot, 'revision' | 'foldVersion'> | undefined {
    return this.#snapshot.get(stream) as Pick<Snapshot, 'revision' | 'foldVersion'> | undefined;
  }

  putCheckpoint({ name, position }: Checkpoint): void {
    this.#putCheckpoint.run(name, parsePosition(position));
  }

  putSnapshot(stream: number, { revision, foldVersion, state }: Snapshot): void {
    this.#putSnapshot.run(stream, revision, foldVersion, state);
  }
}

/** The end of one stream as the writer remembers it, and its past as the file has it. */
export class StreamHead implements StreamPast {
  readonly #sql: WriterStatements;
  /** The older part of the stream; null where all of it is in the ledger's own file. */
  readonly #archived: ArchivedPart | null;
  /** The stream's row, or null where it has none yet. */
  id: number | null;
  revision: number;
  position: number;
  eventId: string | null;
  /**
   * The last four bytes of each id in the ledger's own file; null until an append asks. Nearly always that is enough to
   * tell that an id is new, and no append has to write to an index of ids.
   */
  #idEnds: Set<number> | null = null;
  /** How many events it may come to have before it must be weighed anew. */
  readonly size: number;

  constructor(sql: WriterStatements, archive: ArchivedParts | null, stream: string) {
    const row = sql.headOfStream.get(stream) as
      | { id: number; revision: number | null; position: number | null; eventId: string | null }
      | undefined;
    const archived = (row && archive?.of(row.id)) ?? null;
    this.#sql = sql;
    this.#archived = archived;
    this.id = row?.id ?? null;
    this.revision = row?.revision ?? archived?.revision ?? -1;
    this.position = row?.position ?? archived?.position ?? 0;
    this.eventId = row?.eventId ?? archived?.eventId ?? null;
    this.size = Math.max(16, 2 * this.revision);
  }

  get hasOutgrownSize(): boolean {
    return this.revision > this.size;
  }

  holds(eventId: string): boolean {
    if (this.id === null) return false;
    this.#idEnds ??= new Set((this.#sql.ids.all(this.id) as string[]).map(endOf));
    const mayHold = this.#idEnds.has(endOf(eventId));
    if (mayHold && this.#sql.holds.get(this.id, eventId) !== undefined) return true;
    return this.#archived?.holds(eventId) ?? false;
  }

  /** Goes along with an event that was written behind the last one. */
  follow(eventId: string, position: number): void {
    this.revision += 1;
    this.position = position;
    this.eventId = eventId;
    this.#idEnds?.add(endOf(eventId));
  }

  eventIdAt(revision: number): string | undefined {
    return this.events(revision, 1)[0]?.id;
  }

  events(from: number, count: number): { id: string; position: number }[] {
    if (this.id === null) return [];
    const archived = this.#archived?.events(from, count) ?? [];
    const live = this.#sql.eventsFrom.all(this.id, from, count - archived.length);
    return [...archived, ...(live as { id: string; position: number }[])];
  }

  receipt(commandId: string): PastReceipt | undefined {
    if (this.id === null) return undefined;
    return (this.#sql.receipt.get(this.id, commandId) as PastReceipt | undefined) ?? this.#archived?.receipt(commandId);
  }
}

const endOf = (uuid: string): number => Number.parseInt(uuid.slice(-8), 16) | 0;
