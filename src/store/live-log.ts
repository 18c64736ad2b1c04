import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EventMatcher, matcherOf } from './event-filter.ts';
import {
  type EventFilter,
  formatPosition,
  parsePosition,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionMessage,
} from './event-store.ts';
import { type LogPage, pageSize } from './event-tail.ts';
import { StoreError } from './store-error.ts';

/** Reads the page after a position from where the whole ledger is kept, for what the tail no longer holds. */
export type ReadPage = (
  after: number,
  head: number,
  filter: EventFilter | undefined,
  limit: number,
) => LogPage | Promise<LogPage>;

/** The newest events in memory. */
export interface LogTail {
  /** Position before the oldest event held; what is older must be read elsewhere. */
  readonly base: number;
  readonly head: number;
  push(events: readonly RecordedEvent[]): void;
  /** Holds nothing and stands at this head: for a ledger that grew without this process. */
  moveTo(head: number): void;
  /** The page after a position, which must not be before `base`. */
  page(after: number, matches: EventMatcher, limit: number): LogPage;
}

/** A piece of one stream in the order of reading; `more` where it is not the last. */
export interface StreamPage {
  readonly events: readonly RecordedEvent[];
  readonly more: boolean;
}

/**
 * The ledger as a growing log: the loops of reading and following, one copy for every engine. Each reader holds a cursor
 * and takes bounded pages at its own pace, so a slow one costs no memory and a fast one never holds the event loop.
 */
export class LiveLog {
  readonly #tail: LogTail;
  readonly #readOlder: ReadPage;
  readonly #followOlder: ReadPage;
  readonly #waiting = new Set<() => void>();
  #closed = false;

  /** @param followOlder the same for those who follow, where they have more patience than those who read */
  constructor(tail: LogTail, readOlder: ReadPage, followOlder: ReadPage = readOlder) {
    this.#tail = tail;
    this.#readOlder = readOlder;
    this.#followOlder = followOlder;
  }

  get head(): number {
    return this.#tail.head;
  }

  /** Whether somebody is at the head and waits for more. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Events that are committed: seen by every reader from now on. */
  push(events: readonly RecordedEvent[]): void {
    this.#tail.push(events);
    if (events.length > 0) this.#wake();
  }

  /** The ledger's head, learned from elsewhere. */
  moveTo(head: number): void {
    if (head === this.#tail.head) return;
    this.#tail.moveTo(head);
    this.#wake();
  }

  /** Ends the subscriptions; reads under way fail with `closed`. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** @throws StoreError closed */
  requireOpen(): void {
    if (this.#closed) throw new StoreError({ code: 'closed' });
  }

  async *readAll({ after, filter, limit }: ReadAllOptions): AsyncGenerator<RecordedEvent> {
    const matches = matcherOf(filter);
    let cursor = parsePosition(after);
    for (let left = checkedLimit(limit); left > 0; await nextTurn()) {
      this.requireOpen();
      const { events, considered } = await this.#page(
        this.#readOlder,
        cursor,
        filter,
        matches,
        Math.min(left, pageSize),
      );
      for (const event of events) yield event; // `yield*` would ask the list as if it were an iterator of promises
      left -= events.length;
      cursor = considered;
      if (cursor >= this.head) return;
    }
  }

  async *readStream(
    readPage: (from: number, backwards: boolean, limit: number) => StreamPage | Promise<StreamPage>,
    { from, direction = 'forwards', limit }: ReadStreamOptions,
  ): AsyncGenerator<RecordedEvent> {
    const backwards = direction === 'backwards';
    const step = backwards ? -1 : 1;
    let next = from ?? (backwards ? Number.MAX_SAFE_INTEGER : 0);
    for (let left = checkedLimit(limit); left > 0; await nextTurn()) {
      this.requireOpen();
      const { events, more } = await readPage(next, backwards, Math.min(left, pageSize));
      for (const event of events) yield event;
      left -= events.length;
      if (!more) return;
      next = events.at(-1)!.revision + step;
    }
  }

  /** What is kept beside the log, page after page. */
  async *readRows<T>(readPage: (last: T | null, limit: number) => readonly T[]): AsyncGenerator<T> {
    let last: T | null = null;
    for (;;) {
      this.requireOpen();
      const rows = readPage(last, pageSize);
      for (const row of rows) yield row;
      if (rows.length < pageSize) return;
      last = rows.at(-1)!;
      await nextTurn();
    }
  }

  /**
   * Follows the log. Catching up and live are one loop: pages after the cursor, and a wait at the head. Whoever drops the
   * iterator ends it, even while it waits.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionMessage> {
    return {
      [Symbol.asyncIterator]: () => {
        const stop = new AbortController();
        const messages = this.#follow(options, stop.signal);
        return {
          next: () => messages.next(),
          return: () => {
            stop.abort();
            return messages.return();
          },
        };
      },
    };
  }

  async *#follow(
    { after, filter, signal }: SubscribeOptions,
    dropped: AbortSignal,
  ): AsyncGenerator<SubscriptionMessage, void, undefined> {
    this.requireOpen();
    const matches = matcherOf(filter);
    const ended = (): boolean => this.#closed || dropped.aborted || signal?.aborted === true;
    let cursor = parsePosition(after);
    let told = -1;
    // Any number of subscriptions may share the signal that ends them all; that is no leak.
    if (signal) setMaxListeners(0, signal);

    while (!ended()) {
      const page = await this.#page(this.#followOlder, cursor, filter, matches, pageSize);
      for (const event of page.events) {
        yield { kind: 'event', event };
        if (ended()) return;
      }
      cursor = page.considered;
      if (cursor < this.head) {
        await nextTurn();
      } else if (told < cursor) {
        told = cursor;
        yield { kind: 'caught-up', position: formatPosition(cursor) };
      } else {
        await this.#growth([dropped, signal]);
      }
    }
  }

  #page(
    readOlder: ReadPage,
    after: number,
    filter: EventFilter | undefined,
    matches: EventMatcher,
    limit: number,
  ): LogPage | Promise<LogPage> {
    if (after >= this.head) return { events: [], considered: after };
    if (after >= this.#tail.base) return this.#tail.page(after, matches, limit);
    return readOlder(after, this.head, filter, limit);
  }

  /** Settles when the head moves, the log closes or one of the signals aborts; at once where one has. */
  #growth(signals: readonly (AbortSignal | undefined)[]): Promise<void> {
    if (this.#closed || signals.some((signal) => signal?.aborted)) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        for (const signal of signals) signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      for (const signal of signals) signal?.addEventListener('abort', wake);
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

function checkedLimit(limit = Number.POSITIVE_INFINITY): number {
  if (limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit >= 0)) return limit;
  throw new RangeError(`${limit} is no limit: those are whole numbers from 0 on`);
}
