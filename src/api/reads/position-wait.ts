import { setTimeout as sleep } from 'node:timers/promises';
import { passingProblem } from '../problems/problem.ts';

const pollMs = 20;

/** Lets a read wait until the view it reads from includes what its caller has seen written. */
export class PositionWait {
  readonly #head: () => Promise<string>;
  readonly #longestMs: number;

  /** @param head how far the view is */
  constructor(head: () => Promise<string>, longestMs: number) {
    this.#head = head;
    this.#longestMs = longestMs;
  }

  /** @throws Problem where the view does not get there in time */
  async reached(position: string | undefined): Promise<void> {
    if (position === undefined) return;
    const end = performance.now() + this.#longestMs;
    for (;;) {
      const head = await this.#head();
      if (head >= position) return;
      if (performance.now() >= end) {
        const detail = `The view is at ${head} and did not reach ${position} within ${this.#longestMs} ms.`;
        throw passingProblem('position-not-reached', detail, { position: head });
      }
      await sleep(pollMs);
    }
  }
}
