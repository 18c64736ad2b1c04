import { aggregates } from '../../src/domain/aggregates.ts';
import type { Search } from '../../src/domain/flows/searching-flow.ts';
import type { ResourceRef } from '../../src/domain/kernel/resource.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { type AnyFlow, FlowRunner } from '../../src/runtime/flows.ts';
import { Runtime } from '../../src/runtime/runtime.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { ProcessStore, type ProcessStoreOptions } from './process-store.ts';

export interface ProcessOptions extends ProcessStoreOptions {
  readonly clock: Clock;
  readonly settings: object;
  readonly flows: readonly AnyFlow[];
  readonly newId: () => string;
  readonly snapshotEvery: number;
  readonly cachedResources: number;
  readonly find: (search: Search) => readonly string[];
  /** What was waiting for the clock when the last process ended. */
  readonly waiting: () => readonly ResourceRef[];
  /** Something went wrong that is no fault of the store. */
  readonly onBug: (error: unknown) => void;
}

/** One process of the ledger: the runtime and its process managers, on a store that it may lose at any moment. */
export class LedgerProcess {
  readonly store: ProcessStore;
  readonly runtime: Runtime;
  readonly #options: ProcessOptions;
  readonly #flows: FlowRunner;

  constructor(options: ProcessOptions) {
    const { clock, settings, flows, newId, snapshotEvery, cachedResources, find } = options;
    const onError = (error: unknown): void => {
      if (!(error instanceof StoreError)) options.onBug(error);
    };
    this.#options = options;
    this.store = new ProcessStore(options);
    const { store } = this;
    this.runtime = new Runtime({
      store,
      aggregates,
      clock,
      settings,
      newId,
      snapshotEvery,
      cachedResources,
      cachedAgents: cachedResources,
      observer: { commandSettled: () => options.exertion.spend(), deadlineFailed: onError, snapshotFailed: onError },
    });
    this.#flows = new FlowRunner({
      store,
      runtime: this.runtime,
      aggregates,
      flows,
      find: async (search) => find(search),
      observer: {
        reactionFailed: (_event, error) => onError(error),
        followFailed: onError,
        checkpointFailed: onError,
      },
      pause: async () => {},
    });
  }

  get isDead(): boolean {
    return this.store.isDead;
  }

  /** Whether it does the work of all processes. */
  get isWorking(): boolean {
    return this.#flows.isWorking;
  }

  start(): void {
    this.#flows.start();
    void this.takeUp();
  }

  /** Sets the alarm clock to what was waiting before. */
  async takeUp(): Promise<void> {
    for (const resource of this.#options.waiting()) {
      while (!this.isDead) {
        try {
          await this.runtime.takeUp(resource);
          break;
        } catch (error) {
          if (error instanceof StoreError) continue;
          this.#options.onBug(error);
          break;
        }
      }
    }
  }

  crash(): void {
    this.store.die();
    this.runtime.close();
  }

  idle(): Promise<void> {
    return this.#flows.idle();
  }
}
