import Database, { type Statement } from 'better-sqlite3';
import type { PastReceipt, StreamPast } from '../append-rules.ts';
import { boundLimit } from './limit.ts';

/** The end of what was archived of a stream, and what lies before it. */
export type ArchivedPart = Omit<StreamPast, 'eventIdAt'> & { readonly eventId: string };

/**
 * What the writer has to know of streams that were archived, so that no id is used twice and every retry is recognised.
 * The archive is a connection of its own: on the writer's, each transaction would lock it.
 */
export class ArchivedParts {
  readonly #archive: Database.Database;
  readonly #end: Statement<[number]>;
  readonly #holds: Statement<[number, string, number]>;
  readonly #events: Statement<[number, number, number, number]>;
  readonly #receipt: Statement<[number, string, number]>;

  constructor(ledger: Database.Database, file: string) {
    // Nothing is written here; but the last to close a file for writing empties its log, and this one is the last.
    this.#archive = new Database(file, { fileMustExist: true, timeout: 2000 });
    this.#end = ledger.prepare('SELECT revision, position, event_id AS eventId FROM archived WHERE stream = ?');
    this.#holds = this.#archive.prepare('SELECT 1 FROM events WHERE stream = ? AND id = ? AND revision <= ?').pluck();
    this.#events = this.#archive.prepare(
      `SELECT id, position FROM events WHERE stream = ? AND revision >= ? AND revision <= ? ORDER BY revision ${boundLimit}`,
    );
    this.#receipt = this.#archive.prepare(
      `SELECT body_hash AS bodyHash, event_count AS eventCount, last_revision AS lastRevision, position
       FROM receipts WHERE stream = ? AND command_id = ? AND last_revision <= ?`,
    );
  }

  /** What was archived of a stream; null where all of it is in the ledger's own file. */
  of(stream: number): ArchivedPart | null {
    const end = this.#end.get(stream) as Pick<ArchivedPart, 'revision' | 'position' | 'eventId'> | undefined;
    if (!end) return null;
    return {
      ...end,
      holds: (eventId) => this.#holds.get(stream, eventId, end.revision) !== undefined,
      events: (from, count) =>
        from > end.revision
          ? []
          : (this.#events.all(stream, from, end.revision, count) as { id: string; position: number }[]),
      receipt: (commandId) => this.#receipt.get(stream, commandId, end.revision) as PastReceipt | undefined,
    };
  }

  close(): void {
    this.#archive.close();
  }
}
