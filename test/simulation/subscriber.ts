import type { EventStore, RecordedEvent } from '../../src/store/event-store.ts';
import { Violation } from './violation.ts';

/** Follows the whole ledger, is cut off, and goes on from the last position it has seen. */
export class Subscriber {
  readonly seen: RecordedEvent[] = [];
  #position: string | undefined;
  #checked = 0;
  #cut = new AbortController();

  follow(store: EventStore): void {
    this.#cut.abort();
    this.#cut = new AbortController();
    void this.#read(store, this.#cut.signal);
  }

  async #read(store: EventStore, signal: AbortSignal): Promise<void> {
    const after = this.#position === undefined ? {} : { after: this.#position };
    for await (const message of store.subscribe({ ...after, signal })) {
      if (signal.aborted) return; // whoever is cut off hears nothing more
      if (message.kind === 'event') {
        this.seen.push(message.event);
        this.#position = message.event.position;
      } else {
        this.#position = message.position;
      }
    }
  }

  /** @throws Violation */
  check(log: readonly RecordedEvent[]): void {
    for (; this.#checked < this.seen.length; this.#checked++) {
      const { id } = this.seen[this.#checked]!;
      if (id !== log[this.#checked]?.id)
        throw new Violation('subscriber-once-in-order', `a subscriber saw ${id} as number ${this.#checked}`);
    }
  }

  /** @throws Violation where something is missing in the end */
  checkComplete(log: readonly RecordedEvent[]): void {
    this.check(log);
    if (this.seen.length !== log.length)
      throw new Violation('subscriber-once-in-order', `a subscriber saw ${this.seen.length} of ${log.length} events`);
  }
}
