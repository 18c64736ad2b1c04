import type { EventMatcher } from './event-filter.ts';
import type { RecordedEvent } from './event-store.ts';

/** A bounded piece of the ledger in position order: what matched, and up to where everything has been considered. */
export interface LogPage {
  readonly events: readonly RecordedEvent[];
  readonly considered: number;
}

/** Events considered for one page, whether they match or not: what one turn of the event loop may cost. */
export const pageSize = 256;

export interface TailLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/**
 * The newest events of the ledger, in memory: all from after `base` up to `head`. When a limit is passed the older half
 * goes, so that dropping costs next to nothing an event.
 */
export class EventTail {
  readonly #limits: TailLimits;
  #events: RecordedEvent[] = [];
  #bytes = 0;
  #base: number;
  #head: number;

  constructor(head: number, limits: TailLimits) {
    this.#base = head;
    this.#head = head;
    this.#limits = limits;
  }

  /** Position before the oldest event held; what is older must be read elsewhere. */
  get base(): number {
    return this.#base;
  }

  get head(): number {
    return this.#head;
  }

  /** Adds the events that follow the head, of a ledger without gaps: where they do not, the tail starts anew with them. */
  push(events: readonly RecordedEvent[]): void {
    if (events.length === 0) return;
    const before = Number(events[0]!.position) - 1;
    if (before !== this.#head) this.moveTo(before);
    this.add(events);
  }

  protected add(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      this.#events.push(event);
      this.#bytes += sizeOf(event);
    }
    this.#head = Number(events.at(-1)?.position ?? this.#head);
    if (this.#events.length > this.#limits.maxEvents || this.#bytes > this.#limits.maxBytes) this.#halve();
  }

  /** Holds nothing and stands at this head: for a ledger that grew without this process. */
  moveTo(head: number): void {
    this.#events = [];
    this.#bytes = 0;
    this.#base = head;
    this.#head = head;
  }

  /** The page after a position, which must not be before `base`. */
  page(after: number, matches: EventMatcher, limit: number): LogPage {
    let next = this.#firstAfter(after);
    const end = Math.min(this.#events.length, next + pageSize);
    const events: RecordedEvent[] = [];
    while (next < end && events.length < limit) {
      const event = this.#events[next++]!;
      if (matches(event)) events.push(event);
    }
    return { events, considered: next === 0 ? after : Math.max(after, this.#positionAt(next - 1)) };
  }

  /** Where no position is missing the place is known at once; elsewhere it is found by halving. */
  #firstAfter(position: number): number {
    const guess = position - this.#base;
    if (guess === 0 || (guess <= this.#events.length && this.#positionAt(guess - 1) === position)) return guess;
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#positionAt(middle) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #positionAt(index: number): number {
    return Number(this.#events[index]!.position);
  }

  #halve(): void {
    const { maxEvents, maxBytes } = this.#limits;
    let dropped = 0;
    while (this.#events.length - dropped > maxEvents / 2 || this.#bytes > maxBytes / 2) {
      this.#bytes -= sizeOf(this.#events[dropped++]!);
    }
    this.#base = this.#positionAt(dropped - 1);
    this.#events = this.#events.slice(dropped);
  }
}

const sizeOf = (event: RecordedEvent): number => event.dataText.length + event.metadataText.length;
