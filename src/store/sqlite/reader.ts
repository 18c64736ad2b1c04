import Database from 'better-sqlite3';
import { type EventMatcher, matcherOf } from '../event-filter.ts';
import {
  type Checkpoint,
  type EventFilter,
  formatPosition,
  RecordedEvent,
  type Snapshot,
  type StoredReceipt,
  type StreamReceipt,
} from '../event-store.ts';
import { type LogPage, pageSize } from '../event-tail.ts';
import type { StreamPage } from '../live-log.ts';
import { StoreError, unusable } from '../store-error.ts';
import { type ArchiveToRead, AttachedArchive } from './attached-archive.ts';
import { mergedRows } from './merged-rows.ts';
import { type EventRow, EventStatements, ReaderStatements } from './reader-statements.ts';
import { faultIn, reasonOf } from './sqlite-fault.ts';

/** Positions looked at for one page of a filtered read: what passes the filter may be rare. */
const windowSize = 2048;
/** Characters of data and metadata after which a page is full, whatever its number of events. */
const maxPageCharacters = 1_000_000;
/** Names of streams that are kept in memory. */
const rememberedNames = 65_536;

type Rows = IterableIterator<EventRow>;
const everything: EventMatcher = () => true;

/**
 * Reads a ledger through a connection of its own, in pages. Every call is one short read that ends before it returns: a
 * read that stayed open would keep the write-ahead log from being emptied.
 *
 * Where there is an archive, it is always asked second, when the read of the ledger's own file has begun: an event leaves
 * that file only when it is in the archive, so none is missed, and one that is met in both is told once.
 */
export class LedgerReader {
  readonly #path: string;
  readonly #db: Database.Database;
  readonly #sql: ReaderStatements;
  readonly #live: EventStatements;
  readonly #archive: AttachedArchive;
  /** By row: a stream keeps its name for ever, and to look it up for each event would take a tenth of the reading. */
  readonly #names = new Map<number, string>();

  constructor(path: string, archive: ArchiveToRead) {
    this.#path = path;
    this.#db = new Database(path, { readonly: true, fileMustExist: true, timeout: 2000 });
    this.#sql = new ReaderStatements(this.#db);
    this.#live = new EventStatements(this.#db, 'main');
    this.#archive = new AttachedArchive(this.#db, archive);
  }

  head(): number {
    return this.#read(() => (this.#sql.head.get() as number | null) ?? 0);
  }

  streamPage(stream: string, from: number, backwards: boolean, limit: number): StreamPage {
    const ask = (sql: EventStatements): Rows =>
      (backwards ? sql.streamBackwards : sql.streamForwards).iterate(stream, from, limit) as Rows;
    return this.#read(() => {
      const archived = (): Rows | null => {
        const part = this.#archive.ofStream(stream);
        return part && (backwards || from <= part.revision) ? ask(part.sql) : null;
      };
      const { events, full } = this.#collect(
        this.#rows(ask, archived, backwards ? falling : rising),
        limit,
        everything,
      );
      return { events, more: full };
    });
  }

  logPage(after: number, head: number, filter: EventFilter | undefined, limit: number): LogPage {
    return this.#read(() =>
      filter?.stream === undefined
        ? this.#window(after, head, filter, limit)
        : this.#streamWindow(after, head, { ...filter, stream: filter.stream }, limit),
    );
  }

  receipt(stream: string, commandId: string): StoredReceipt | null {
    return this.#read(() => {
      const row =
        this.#live.receipt.get(stream, commandId) ?? this.#archive.ofStream(stream)?.sql.receipt.get(stream, commandId);
      return row ? receiptOf(row as ReceiptRow) : null;
    });
  }

  receiptPage(last: StreamReceipt | null, limit: number): StreamReceipt[] {
    return this.#read(() => {
      const { position, stream, commandId } = last ?? { position: -1, stream: '', commandId: '' };
      const ask = (sql: EventStatements): IterableIterator<NamedReceiptRow> =>
        sql.receiptsAfter.iterate(Number(position), stream, commandId, limit) as IterableIterator<NamedReceiptRow>;
      const archived = () => {
        const archive = this.#archive.from(Number(position));
        return archive && ask(archive);
      };
      const page: StreamReceipt[] = [];
      for (const row of this.#rows(ask, archived, byReceiptKey)) {
        page.push({ ...receiptOf(row), stream: row.stream });
        if (page.length === limit) break;
      }
      return page;
    });
  }

  snapshotPage(last: Snapshot | null, limit: number): Snapshot[] {
    return this.#read(() => this.#sql.snapshotsAfter.all(last?.stream ?? '', limit) as Snapshot[]);
  }

  checkpoint(name: string): string | null {
    const position = this.#read(() => this.#sql.checkpoint.get(name) as number | undefined);
    return position === undefined ? null : formatPosition(position);
  }

  checkpoints(): Checkpoint[] {
    const rows = this.#read(() => this.#sql.checkpoints.all() as { name: string; position: number }[]);
    return rows.map(({ name, position }) => ({ name, position: formatPosition(position) }));
  }

  snapshot(stream: string): Snapshot | null {
    return this.#read(() => (this.#sql.snapshot.get(stream) as Snapshot | undefined) ?? null);
  }

  close(): void {
    this.#db.close();
  }

  /** The next piece of the ledger, as far as the window goes; the filter runs inside SQLite. */
  #window(after: number, head: number, filter: EventFilter | undefined, limit: number): LogPage {
    const end = Math.min(after + windowSize, head);
    const ask = (sql: EventStatements): Rows => {
      const { statement, values } = sql.window(filter);
      return statement.iterate(after, end, ...values, limit) as Rows;
    };
    const archived = (): Rows | null => {
      const archive = this.#archive.from(after + 1);
      return archive && ask(archive);
    };
    const page = this.#collect(this.#rows(ask, archived, rising), limit, everything);
    return { events: page.events, considered: page.full ? page.considered : end };
  }

  /** The next piece of one stream, found through its own index however much lies between its events. */
  #streamWindow(after: number, head: number, filter: EventFilter & { stream: string }, limit: number): LogPage {
    const stream = this.#sql.streamId.get(filter.stream) as number | undefined;
    if (stream === undefined) return { events: [], considered: head };
    const from = this.#firstRevisionAfter(stream, after);
    const ask = (sql: EventStatements): Rows => sql.streamUpTo.iterate(stream, from, head, pageSize) as Rows;
    const archived = (): Rows | null => {
      const part = this.#archive.ofStream(filter.stream);
      return part && from <= part.revision ? ask(part.sql) : null;
    };
    const page = this.#collect(firstOf(pageSize, this.#rows(ask, archived, rising)), limit, matcherOf(filter));
    return { events: page.events, considered: page.full || page.looked === pageSize ? page.considered : head };
  }

  /** In a stream, positions rise with revisions: halving finds the place in the longest stream. */
  #firstRevisionAfter(stream: number, after: number): number {
    if (after === 0) return 0;
    const archived = this.#archive.events;
    const last = this.#live.lastRevision.get(stream) ?? archived?.lastRevision.get(stream) ?? -1;
    // Each look is a read of its own: what was not archived at the first may be at the next.
    const positionAt = (revision: number): number =>
      (this.#live.positionAt.get(stream, revision) ?? archived?.positionAt.get(stream, revision)) as number;
    let low = 0;
    let high = (last as number) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (positionAt(middle) > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Takes rows until the page is full; `considered` is the position of the last one looked at. */
  #collect(rows: Iterable<EventRow>, limit: number, matches: EventMatcher) {
    const events: RecordedEvent[] = [];
    let looked = 0;
    let considered = 0;
    let characters = 0;
    for (const [position, row, revision, id, type, v, time, data, metadata] of rows) {
      looked += 1;
      considered = position;
      const stream = this.#nameOf(row);
      if (stream === undefined) continue;
      const event = new RecordedEvent(stream, revision, formatPosition(position), {
        id,
        type,
        v,
        time,
        data,
        metadata,
      });
      if (!matches(event)) continue;
      events.push(event);
      characters += data.length + metadata.length;
      if (events.length === limit || characters > maxPageCharacters) return { events, looked, considered, full: true };
    }
    return { events, looked, considered, full: false };
  }

  /** Undefined where the stream's row is gone, which only somebody else can have done. */
  #nameOf(row: number): string | undefined {
    const known = this.#names.get(row);
    if (known !== undefined) return known;
    const name = this.#sql.streamName.get(row) as string | undefined;
    if (name === undefined) return undefined;
    if (this.#names.size >= rememberedNames) this.#names.clear();
    this.#names.set(row, name);
    return name;
  }

  #rows<T>(
    ask: (sql: EventStatements) => IterableIterator<T>,
    archived: () => IterableIterator<T> | null,
    compare: (a: T, b: T) => number,
  ): Iterable<T> {
    const live = ask(this.#live);
    return this.#archive.isThere ? mergedRows(live, archived, compare) : live;
  }

  #read<T>(read: () => T): T {
    try {
      const result = read();
      return this.#archive.hasCome() ? read() : result;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw unusable(this.#path, reasonOf(faultIn(error)), error);
    }
  }
}

/** At most so many of them; what lies behind is not asked for. */
function* firstOf<T>(count: number, rows: Iterable<T>): Generator<T> {
  let left = count;
  for (const row of rows) {
    yield row;
    if (--left === 0) return;
  }
}

const rising = (a: EventRow, b: EventRow): number => a[0] - b[0];
const falling = (a: EventRow, b: EventRow): number => b[0] - a[0];

type ReceiptRow = Omit<StoredReceipt, 'position'> & { readonly position: number };
type NamedReceiptRow = ReceiptRow & { readonly stream: string };

/** Receipts of one position are all of the stream that the position is in. */
function byReceiptKey(a: ReceiptRow, b: ReceiptRow): number {
  if (a.position !== b.position) return a.position - b.position;
  if (a.commandId === b.commandId) return 0;
  return a.commandId < b.commandId ? -1 : 1;
}

const receiptOf = ({ commandId, bodyHash, eventCount, lastRevision, position }: ReceiptRow): StoredReceipt => ({
  commandId,
  bodyHash,
  eventCount,
  lastRevision,
  position: formatPosition(position),
});
