import { LRUCache } from 'lru-cache';
import type { Lifetime } from '../../domain/kernel/aggregate.ts';

/** States folded in memory as objects at one time; the others lie there as text, which takes a third of the room. */
const hotStates = 10_000;

/** The folded state of every stream of a ledger, in as little memory as it takes without leaving it. */
export class StateShelf {
  readonly #cold = new Map<string, string>();
  readonly #hot = new LRUCache<string, Lifetime>({
    max: hotStates,
    dispose: (state, stream, reason) => {
      if (reason === 'evict') this.#cold.set(stream, JSON.stringify(state));
    },
  });

  get(stream: string): Lifetime | null {
    const hot = this.#hot.get(stream);
    if (hot) return hot;
    const cold = this.#cold.get(stream);
    return cold === undefined ? null : (JSON.parse(cold) as Lifetime);
  }

  set(stream: string, state: Lifetime): void {
    this.#cold.delete(stream);
    this.#hot.set(stream, state);
  }

  delete(stream: string): void {
    this.#cold.delete(stream);
    this.#hot.delete(stream);
  }

  streams(): string[] {
    return [...this.#hot.keys(), ...this.#cold.keys()];
  }
}
