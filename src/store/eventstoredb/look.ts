import type { Calls } from './calls.ts';
import type { Feed } from './feed.ts';

/**
 * Makes sure that this process has seen what the database holds: it asks the leader for the end and waits for the feed to
 * get there. One look serves all who ask for it before it begins.
 */
export class Look {
  readonly #calls: Calls;
  readonly #feed: Feed;
  #underWay: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(calls: Calls, feed: Feed) {
    this.#calls = calls;
    this.#feed = feed;
  }

  /** @throws StoreError unreachable */
  caughtUp(): Promise<void> {
    this.#next ??= this.#after(this.#underWay);
    return this.#next;
  }

  async #after(previous: Promise<void>): Promise<void> {
    await previous.catch(() => {});
    this.#underWay = this.#next!;
    this.#next = null;
    await this.#feed.reached(await this.#calls.end());
  }
}
