import type { Random } from '../soak/random.ts';

/** What may befall an append: nothing; not written; written, and the answer lost; written, and the answer late. */
export type Fate = 'done' | 'not-written' | 'answer-lost' | 'answer-late';

/** How reliable the surroundings of the processes are; each world has its own. */
export class Weather {
  readonly #random: Random;
  readonly #held: number;
  readonly #late: number;
  readonly #failing: number;
  #calm = false;

  constructor(random: Random) {
    this.#random = random;
    this.#held = random.oneOf([0, 0.1, 0.5]);
    this.#late = random.oneOf([0, 0.1, 0.3]);
    this.#failing = random.oneOf([0, 0, 0.02, 0.1]);
  }

  /** From now on nothing goes wrong. */
  calmDown(): void {
    this.#calm = true;
  }

  /** Whether a request is held up on its way to the store, or its answer on the way back. */
  get holdsUp(): boolean {
    return !this.#calm && this.#random.next() < this.#held;
  }

  get failsRead(): boolean {
    return !this.#calm && this.#random.next() < this.#failing / 10;
  }

  get fate(): Fate {
    if (this.#calm) return 'done';
    if (this.#random.next() < this.#failing) return this.#random.oneOf(['not-written', 'answer-lost']);
    return this.#random.next() < this.#late ? 'answer-late' : 'done';
  }
}
