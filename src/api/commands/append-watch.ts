import type { AppendRequest, AppendResult, EventStore } from '../../store/event-store.ts';
import { isStoreError } from '../../store/store-error.ts';

/** How long a refused write is taken for the state of things. Only the next write can tell whether it still is. */
const refusalCountsMs = 10_000;

/** Watches the appends of a store: how long they take, and whether they are refused. */
export class AppendWatch {
  readonly #onSettled: (seconds: number, outcome: 'stored' | 'failed') => void;
  #refused: { readonly reason: string; readonly at: number } | null = null;

  constructor(onSettled: (seconds: number, outcome: 'stored' | 'failed') => void) {
    this.#onSettled = onSettled;
  }

  /** Why the store refuses writes; null where it takes them, as far as is known. */
  get refusal(): string | null {
    return this.#refused && performance.now() - this.#refused.at < refusalCountsMs ? this.#refused.reason : null;
  }

  /** The same store, watched. */
  over(store: EventStore): EventStore {
    const append = (request: AppendRequest): Promise<AppendResult> => this.#append(store, request);
    return new Proxy(store, {
      get(target, name) {
        if (name === 'append') return append;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  async #append(store: EventStore, request: AppendRequest): Promise<AppendResult> {
    const start = performance.now();
    try {
      const result = await store.append(request);
      this.#refused = null;
      this.#onSettled((performance.now() - start) / 1000, 'stored');
      return result;
    } catch (error) {
      if (isStoreError(error, 'not-writable') || isStoreError(error, 'unreachable')) {
        this.#refused = { reason: error.message, at: performance.now() };
      }
      this.#onSettled((performance.now() - start) / 1000, 'failed');
      throw error;
    }
  }
}
