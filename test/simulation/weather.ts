import type { Random } from '../support/random.ts';
import type { FaultKind, Faults } from './faults.ts';

/** What may befall an append: nothing; not written; written, and the answer lost; written, and the answer late. */
export type AppendFate = 'done' | 'not-written' | 'answer-lost' | 'answer-late';

/** How reliable the surroundings of the processes are; each world has its own. */
export class Weather {
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #held: number;
  readonly #late: number;
  readonly #failing: number;
  #calm = false;

  constructor(random: Random, faults: Faults) {
    this.#random = random;
    this.#faults = faults;
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
    return this.#strikes('a request held up', this.#held);
  }

  get failsRead(): boolean {
    return this.#strikes('a read failed', this.#failing / 10);
  }

  get fate(): AppendFate {
    if (this.#calm) return 'done';
    if (this.#random.next() < this.#failing) {
      const fate = this.#random.oneOf(['not-written', 'answer-lost'] as const);
      this.#faults.note(fate === 'not-written' ? 'an append not written' : 'an answer lost');
      return fate;
    }
    return this.#strikes('an answer late', this.#late) ? 'answer-late' : 'done';
  }

  #strikes(kind: FaultKind, chance: number): boolean {
    if (this.#calm || this.#random.next() >= chance) return false;
    this.#faults.note(kind);
    return true;
  }
}
