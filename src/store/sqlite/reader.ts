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
import { type EventRow, ReaderStatements } from './reader-statements.ts';
import { faultIn, reasonOf, unusable } from './sqlite-fault.ts';

/** Positions looked at for one page of a filtered read: what passes the filter may be rare. */
const windowSize = 2048;
/** Characters of data and metadata after which a page is full, whatever its number of events. */
const maxPageCharacters = 1_000_000;

type Rows = IterableIterator<EventRow>;
const everything: EventMatcher = () => true;

/**
 * Reads a ledger through a connection of its own, in pages. Every call is one short read that ends before it returns: a
 * read that stayed open would keep the write-ahead log from being emptied.
 */
export class LedgerReader {
  readonly #path: string;
  readonly #db: Database.Database;
  readonly #sql: ReaderStatements;

  constructor(path: string) {
    this.#path = path;
    this.#db = new Database(path, { readonly: true, fileMustExist: true, timeout: 2000 });
    this.#sql = new ReaderStatements(this.#db);
  }

  head(): number {
    return this.#read(() => (this.#sql.head.get() as number | null) ?? 0);
  }

  streamPage(stream: string, from: number, backwards: boolean, limit: number): StreamPage {
    return this.#read(() => {
      const statement = backwards ? this.#sql.streamBackwards : this.#sql.streamForwards;
      const { events, full } = collect(statement.iterate(stream, from, limit) as Rows, limit, everything);
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
      const row = this.#sql.receipt.get(stream, commandId) as ReceiptRow | undefined;
      return row ? receiptOf(row) : null;
    });
  }

  receiptPage(last: StreamReceipt | null, limit: number): StreamReceipt[] {
    return this.#read(() => {
      const { position, stream, commandId } = last ?? { position: -1, stream: '', commandId: '' };
      const rows = this.#sql.receiptsAfter.all(Number(position), stream, commandId, limit);
      return (rows as (ReceiptRow & { stream: string })[]).map((row) => ({ ...receiptOf(row), stream: row.stream }));
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
    const { statement, values } = this.#sql.window(filter);
    const rows = statement.iterate(after, end, ...values, limit) as Rows;
    const page = collect(rows, limit, everything);
    return { events: page.events, considered: page.full ? page.considered : end };
  }

  /** The next piece of one stream, found through its own index however much lies between its events. */
  #streamWindow(after: number, head: number, filter: EventFilter & { stream: string }, limit: number): LogPage {
    const stream = this.#sql.streamId.get(filter.stream) as number | undefined;
    if (stream === undefined) return { events: [], considered: head };
    const from = this.#firstRevisionAfter(stream, after);
    const rows = this.#sql.streamUpTo.iterate(stream, from, head, pageSize) as Rows;
    const page = collect(rows, limit, matcherOf(filter));
    return { events: page.events, considered: page.full || page.looked === pageSize ? page.considered : head };
  }

  /** In a stream, positions rise with revisions: halving finds the place in the longest stream. */
  #firstRevisionAfter(stream: number, after: number): number {
    let low = 0;
    let high = after === 0 ? 0 : ((this.#sql.lastRevision.get(stream) as number | null) ?? -1) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#sql.positionAt.get(stream, middle) as number) > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw unusable(this.#path, reasonOf(faultIn(error)), error);
    }
  }
}

/** Takes rows until the page is full; `considered` is the position of the last one looked at. */
function collect(rows: Iterable<EventRow>, limit: number, matches: EventMatcher) {
  const events: RecordedEvent[] = [];
  let looked = 0;
  let considered = 0;
  let characters = 0;
  for (const row of rows) {
    looked += 1;
    considered = row[0];
    const event = eventOf(row);
    if (!matches(event)) continue;
    events.push(event);
    characters += event.dataText.length + event.metadataText.length;
    if (events.length === limit || characters > maxPageCharacters) return { events, looked, considered, full: true };
  }
  return { events, looked, considered, full: false };
}

function eventOf([position, stream, revision, id, type, v, time, data, metadata]: EventRow): RecordedEvent {
  return new RecordedEvent(stream, revision, formatPosition(position), { id, type, v, time, data, metadata });
}

type ReceiptRow = Omit<StoredReceipt, 'position'> & { readonly position: number };

const receiptOf = ({ commandId, bodyHash, eventCount, lastRevision, position }: ReceiptRow): StoredReceipt => ({
  commandId,
  bodyHash,
  eventCount,
  lastRevision,
  position: formatPosition(position),
});
