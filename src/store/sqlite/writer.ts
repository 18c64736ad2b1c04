import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { judgeAppend, type Verdict } from '../append-rules.ts';
import type { AppendRequest, Snapshot } from '../event-store.ts';
import { replacesSnapshot } from '../snapshots.ts';
import { ArchivedParts } from './archived-parts.ts';
import type { Batch, VerdictException } from './protocol.ts';
import { StreamHead, WriterStatements } from './stream-head.ts';

export interface WriterOptions {
  readonly path: string;
  /** The file of its archive; null where it has none. */
  readonly archive: string | null;
  /** The file grows no further than this. */
  readonly maxBytes?: number;
}

/** Streams whose heads the writer remembers, and how many events these may have together; the others are looked up. */
const rememberedHeads = 50_000;
const rememberedEvents = 2_000_000;
/** How long a commit waits for another program that holds the file's write lock. */
const busyTimeoutMs = 2000;
/** The write-ahead log is copied into the file when it has so many pages: rarely, as hot pages are then copied once for many commits. */
const checkpointPages = 2000;

/** The one connection that writes a ledger. Synchronous; lives in the writer thread. */
export class LedgerWriter {
  readonly #db: Database.Database;
  readonly #sql: WriterStatements;
  readonly #archive: ArchivedParts | null;
  readonly #heads = new LRUCache<string, StreamHead>({
    max: rememberedHeads,
    maxSize: rememberedEvents,
    sizeCalculation: ({ size }) => Math.min(size, rememberedEvents / 2),
  });
  /** Position of the last event, or null where it has to be looked up. */
  #last: number | null = null;
  #dataVersion: unknown;

  constructor({ path, archive, maxBytes }: WriterOptions) {
    this.#db = new Database(path, { fileMustExist: true, timeout: busyTimeoutMs });
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.pragma('foreign_keys = OFF');
    this.#db.pragma('cache_size = -65536');
    this.#db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    if (maxBytes !== undefined) {
      const pageBytes = this.#db.pragma('page_size', { simple: true }) as number;
      this.#db.pragma(`max_page_count = ${Math.floor(maxBytes / pageBytes)}`);
    }
    this.#sql = new WriterStatements(this.#db);
    this.#archive = archive === null ? null : new ArchivedParts(this.#db, archive);
  }

  get head(): number {
    this.#last ??= this.#sql.lastPosition();
    return this.#last;
  }

  /**
   * Puts the batch into one transaction. An append that is refused leaves the others alone; an error of the transaction
   * keeps nothing of the batch, and the next one starts from what the file says.
   */
  commit({ appends, snapshots, checkpoints }: Batch): { first: number; exceptions: VerdictException[] } {
    try {
      this.#sql.begin.run();
      this.#forgetIfChangedElsewhere();
      const first = this.head + 1;
      const exceptions: VerdictException[] = [];
      for (const [index, append] of appends.entries()) {
        const verdict = this.#append(append);
        if (verdict.kind !== 'write') exceptions.push([index, verdict]);
      }
      for (const snapshot of snapshots) this.#saveSnapshot(snapshot);
      for (const checkpoint of checkpoints) this.#sql.putCheckpoint(checkpoint);
      this.#sql.commit.run();
      return { first, exceptions };
    } catch (error) {
      this.#forget();
      if (this.#db.inTransaction) this.#sql.rollback.run();
      throw error;
    }
  }

  /** Leaves one file, where it can: a log that cannot be copied now is read again at the next opening. */
  close(): void {
    try {
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      this.#archive?.close();
      this.#db.close();
    }
  }

  #append(request: AppendRequest): Verdict {
    const head = this.#headOf(request.stream);
    const verdict = judgeAppend(request, head);
    return verdict.kind === 'write' ? this.#write(request, head) : verdict;
  }

  #write({ stream, events, receipt }: AppendRequest, head: StreamHead): Verdict {
    head.id ??= this.#sql.createStream(stream);
    for (const event of events) {
      const position = this.head + 1;
      this.#sql.insertEvent(position, head.id, head.revision + 1, event);
      head.follow(event.id, position);
      this.#last = position;
    }
    if (receipt) this.#sql.insertReceipt(head, receipt, events.length);
    if (head.hasOutgrownSize) this.#heads.delete(stream);
    const { revision } = head;
    return events.length > 0 ? { kind: 'write' } : { kind: 'repeat', revision, position: head.position };
  }

  #saveSnapshot(snapshot: Snapshot): void {
    const head = this.#headOf(snapshot.stream);
    if (head.id === null) return;
    if (replacesSnapshot(this.#sql.snapshot(head.id), snapshot, head.revision))
      this.#sql.putSnapshot(head.id, snapshot);
  }

  #headOf(stream: string): StreamHead {
    let head = this.#heads.get(stream);
    if (!head) {
      head = new StreamHead(this.#sql, this.#archive, stream);
      this.#heads.set(stream, head);
    }
    return head;
  }

  /** Somebody with the sqlite3 shell may have changed the file; what is remembered of it is then worth nothing. */
  #forgetIfChangedElsewhere(): void {
    const version = this.#sql.dataVersion.get();
    if (version !== this.#dataVersion) this.#forget();
    this.#dataVersion = version;
  }

  #forget(): void {
    this.#heads.clear();
    this.#last = null;
  }
}
