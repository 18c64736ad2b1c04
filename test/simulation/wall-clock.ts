import { type Clock, ManualClock } from '../../src/runtime/clock.ts';

/**
 * A wall clock that somebody may set, forwards or back, while time goes on steadily behind it. Alarms are set as on a real
 * machine: for so much time from now, so that setting the clock neither rings them nor puts them off.
 */
export class WallClock implements Clock {
  readonly #steady = new ManualClock();
  #offsetMs = 0;
  #furthest = 0;

  now(): number {
    return this.#steady.now() + this.#offsetMs;
  }

  schedule(time: number, fire: () => unknown): () => void {
    const remaining = Math.max(time - this.now(), 0);
    // Nobody waits for what an alarm sets off: it may take longer than the next alarm.
    return this.#steady.schedule(this.#steady.now() + remaining, () => void fire());
  }

  /** Lets time pass; `settled` follows each alarm. */
  async pass(milliseconds: number, settled: () => Promise<void>): Promise<void> {
    await this.#steady.advance(milliseconds, settled);
  }

  set(byMs: number): void {
    this.#furthest = Math.max(this.#furthest, this.now());
    this.#offsetMs += byMs;
  }

  /** Sets it to where it was at its furthest: nothing that was recorded lies ahead of it then. */
  catchUp(): void {
    this.set(Math.max(this.#furthest - this.now(), 0));
  }
}
