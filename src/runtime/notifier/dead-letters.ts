import type { Notification } from './notification.ts';

/** What Nova was told and did not want. */
export interface DeadLetter extends Notification {
  readonly answer: { readonly code: number | null; readonly detail: string };
  /** How often it was sent. */
  readonly attempts: number;
  /** When it was given up, RFC 3339. */
  readonly at: string;
}

/** The newest dead letters, oldest first; those in excess are counted. */
export class DeadLetters {
  readonly #most: number;
  #kept: DeadLetter[] = [];
  /** Ever given up, and of these no longer kept because there were too many. */
  total = 0;
  dropped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get kept(): readonly DeadLetter[] {
    return [...this.#kept];
  }

  get count(): number {
    return this.#kept.length;
  }

  add(letter: DeadLetter): void {
    this.total += 1;
    this.#kept.push(letter);
    if (this.#kept.length <= this.#most) return;
    this.#kept.shift();
    this.dropped += 1;
  }

  take(): readonly DeadLetter[] {
    const letters = this.#kept;
    this.#kept = [];
    return letters;
  }
}
