import type { Lease } from '../../src/store/event-store.ts';

/** What the processes on one ledger share beside it: who does the work of all, and what they tell each other. */
export class LeaseDesk {
  #last: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Map<AbortSignal, (text: string) => void>();

  /** One after the other, in the order in which they asked; who dies makes room. */
  async lease(_name: string, stop: AbortSignal, died: AbortSignal): Promise<Lease | null> {
    const previous = this.#last;
    let release!: () => void;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#last = Promise.all([previous, released]);
    died.addEventListener('abort', release, { once: true });
    await previous;
    if (stop.aborted || died.aborted) {
      release();
      return null;
    }
    return { lost: died, release: async () => release() };
  }

  listen(died: AbortSignal, announced: (text: string) => void): void {
    this.#listeners.set(died, announced);
  }

  announce(text: string): void {
    for (const [died, announced] of this.#listeners) if (!died.aborted) announced(text);
  }
}
