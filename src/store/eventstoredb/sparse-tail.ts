import type { EventMatcher } from '../event-filter.ts';
import type { RecordedEvent } from '../event-store.ts';
import { type LogPage, pageSize, type TailLimits } from '../event-tail.ts';
import type { LogTail } from '../live-log.ts';

/** The newest events of a ledger whose positions have gaps, found by halving. */
export class SparseTail implements LogTail {
  readonly #limits: TailLimits;
  #events: RecordedEvent[] = [];
  #bytes = 0;
  #base: number;

  constructor(head: number, limits: TailLimits) {
    this.#base = head;
    this.#limits = limits;
  }

  get base(): number {
    return this.#base;
  }

  get head(): number {
    const last = this.#events.at(-1);
    return last ? Number(last.position) : this.#base;
  }

  push(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      this.#events.push(event);
      this.#bytes += sizeOf(event);
    }
    if (this.#events.length > this.#limits.maxEvents || this.#bytes > this.#limits.maxBytes) this.#halve();
  }

  moveTo(head: number): void {
    this.#events = [];
    this.#bytes = 0;
    this.#base = head;
  }

  page(after: number, matches: EventMatcher, limit: number): LogPage {
    const events: RecordedEvent[] = [];
    let next = this.#firstAfter(after);
    const end = Math.min(this.#events.length, next + pageSize);
    while (next < end && events.length < limit) {
      const event = this.#events[next++]!;
      if (matches(event)) events.push(event);
    }
    const last = this.#events[next - 1];
    return { events, considered: last ? Math.max(after, Number(last.position)) : after };
  }

  #firstAfter(position: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(this.#events[middle]!.position) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #halve(): void {
    const { maxEvents, maxBytes } = this.#limits;
    let dropped = 0;
    while (this.#events.length - dropped > maxEvents / 2 || this.#bytes > maxBytes / 2) {
      this.#bytes -= sizeOf(this.#events[dropped++]!);
    }
    this.#base = Number(this.#events[dropped - 1]!.position);
    this.#events = this.#events.slice(dropped);
  }
}

const sizeOf = (event: RecordedEvent): number => event.dataText.length + event.metadataText.length;
