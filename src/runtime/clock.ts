/** The only source of time. Everything that waits, waits here, so that a test can make hours pass at once. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fire` once, soon after `time`; before it only where the clock was set back. Returns a function that takes it back. */
  schedule(time: number, fire: () => unknown): () => void;
}

let latest = { milliseconds: Number.NaN, text: '' };

/** RFC 3339 in UTC. Many commands come in one millisecond, so the last answer is kept. */
export function timestamp(milliseconds: number): string {
  if (milliseconds !== latest.milliseconds) latest = { milliseconds, text: new Date(milliseconds).toISOString() };
  return latest.text;
}

/** Longer timers would overflow in Node; far shorter ones see soon that the clock on the wall was set. */
const longestTimerMs = 10_000;

/**
 * The clock on the wall may be set, or stand still while the machine sleeps; timers run by one that nobody sets. Where it
 * was set forward, what is due then is late by ten seconds at most. Where it was set back, what was to happen so much later
 * happens so much later: whoever needs the wall to say the time looks at it, and waits again.
 */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  schedule(time: number, fire: () => unknown): () => void {
    const steadyEnd = performance.now() + (time - this.now());
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const remaining = Math.min(time - this.now(), steadyEnd - performance.now());
      timer = setTimeout(remaining > longestTimerMs ? arm : fire, Math.min(Math.max(remaining, 0), longestTimerMs));
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  }
}

/** Time that stands still until it is told to go on: `POST /v1/clock` and tests. */
export class ManualClock implements Clock {
  #now: number;
  #timers: { time: number; order: number; fire: () => unknown }[] = [];
  #scheduled = 0;

  constructor(start = Date.parse('2026-01-01T00:00:00.000Z')) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  schedule(time: number, fire: () => unknown): () => void {
    const timer = { time: Math.max(time, this.#now), order: this.#scheduled++, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /**
   * Moves on by `milliseconds`. Every timer in between fires at its own time, in order, and is waited for; so is what
   * follows from it, if `settled` says when that is.
   */
  async advance(milliseconds: number, settled: () => Promise<void> = async () => {}): Promise<number> {
    const end = this.#now + milliseconds;
    for (let timer = this.#nextUntil(end); timer; timer = this.#nextUntil(end)) {
      this.#timers = this.#timers.filter((other) => other !== timer);
      this.#now = timer.time;
      await timer.fire();
      await settled();
    }
    this.#now = end;
    return end;
  }

  #nextUntil(end: number): { time: number; order: number; fire: () => unknown } | undefined {
    return this.#timers
      .filter((timer) => timer.time <= end)
      .sort((a, b) => a.time - b.time || a.order - b.order)
      .at(0);
  }
}
