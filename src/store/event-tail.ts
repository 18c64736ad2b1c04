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
 * The newest events of the ledger, in memory: positions `base + 1` to `head` without a gap. When a limit is passed the
 * older half goes, so that dropping costs next to nothing an event.
 */
export class EventTail {
  readonly #limits: TailLimits;
  #events: RecordedEvent[] = [];
  #bytes = 0;
  #base: number;

  constructor(head: number, limits: TailLimits) {
    this.#base = head;
    this.#limits = limits;
  }

  /** Position before the oldest event held; what is older must be read elsewhere. */
  get base(): number {
    return this.#base;
  }

  get head(): number {
    return this.#base + this.#events.length;
  }

  /** Adds the events that follow the head. Where they do not follow it, the tail starts anew with them. */
  push(events: readonly RecordedEvent[]): void {
    if (events.length === 0) return;
    const before = Number(events[0]!.position) - 1;
    if (before !== this.head) this.moveTo(before);
    for (const event of events) {
      this.#events.push(event);
      this.#bytes += sizeOf(event);
    }
    if (this.#events.length > this.#limits.maxEvents || this.#bytes > this.#limits.maxBytes) this.#halve();
  }

  /** Holds nothing and stands at this head: for a ledger that grew without this process. */
  moveTo(head: number): void {
    this.#events = [];
    this.#bytes = 0;
    this.#base = head;
  }

  /** The page after a position, which must not be before `base`. */
  page(after: number, matches: EventMatcher, limit: number): LogPage {
    const start = after - this.#base;
    const end = Math.min(this.#events.length, start + pageSize);
    const events: RecordedEvent[] = [];
    let next = start;
    while (next < end && events.length < limit) {
      const event = this.#events[next++]!;
      if (matches(event)) events.push(event);
    }
    return { events, considered: Math.max(after, this.#base + next) };
  }

  #halve(): void {
    const { maxEvents, maxBytes } = this.#limits;
    let dropped = 0;
    while (this.#events.length - dropped > maxEvents / 2 || this.#bytes > maxBytes / 2) {
      this.#bytes -= sizeOf(this.#events[dropped++]!);
    }
    this.#events = this.#events.slice(dropped);
    this.#base += dropped;
  }
}

const sizeOf = (event: RecordedEvent): number => event.dataText.length + event.metadataText.length;
