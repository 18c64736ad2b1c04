import { type Clock, ManualClock } from '../../src/runtime/clock.ts';

interface Alarm {
  readonly time: number;
  /** By the steady clock: it rings then, wherever the wall clock stands. */
  readonly latest: number;
  readonly fire: () => unknown;
  cancel: () => void;
}

/**
 * A wall clock that somebody may set, forwards or back, while time goes on steadily behind it. Alarms are as on a real
 * machine: setting the clock back does not put them off, and setting it forwards rings what is due then.
 */
export class WallClock implements Clock {
  readonly #steady = new ManualClock();
  readonly #alarms = new Set<Alarm>();
  #offsetMs = 0;
  #furthest = 0;

  now(): number {
    return this.#steady.now() + this.#offsetMs;
  }

  schedule(time: number, fire: () => unknown): () => void {
    const alarm = { time, latest: this.#steadily(time), fire, cancel: () => {} };
    this.#alarms.add(alarm);
    this.#arm(alarm);
    return () => this.#takeBack(alarm);
  }

  #arm(alarm: Alarm): void {
    alarm.cancel = this.#steady.schedule(Math.min(alarm.latest, this.#steadily(alarm.time)), () => {
      this.#alarms.delete(alarm);
      // Nobody waits for what an alarm sets off: it may take longer than the next alarm.
      void alarm.fire();
    });
  }

  #takeBack(alarm: Alarm): void {
    alarm.cancel();
    this.#alarms.delete(alarm);
  }

  /** When the wall clock, as it goes now, will say the time. */
  #steadily(time: number): number {
    return this.#steady.now() + Math.max(time - this.now(), 0);
  }

  /** Lets time pass; `settled` follows each alarm. */
  async pass(milliseconds: number, settled: () => Promise<void>): Promise<void> {
    await this.#steady.advance(milliseconds, settled);
  }

  set(byMs: number): void {
    this.#furthest = Math.max(this.#furthest, this.now());
    this.#offsetMs += byMs;
    for (const alarm of this.#alarms) {
      alarm.cancel();
      this.#arm(alarm);
    }
  }

  /** Sets it to where it was at its furthest: nothing that was recorded lies ahead of it then. */
  catchUp(): void {
    this.set(Math.max(this.#furthest - this.now(), 0));
  }
}
