import { pause } from '../pause.ts';
import { type EventStore, isShared, type Lease } from '../store/event-store.ts';

/** Something that goes on beside the requests. */
export interface Work {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface LeasedWorkOptions {
  readonly store: EventStore;
  /** Processes that give their work the same name take turns. */
  readonly name: string;
  /** Makes the work anew for each turn; `lost` aborts where another process has it, or may have. */
  readonly make: (lost: AbortSignal) => Work;
  readonly onTurn?: () => void;
  readonly onFailure: (error: unknown) => void;
}

const retryMs = 10_000;

/**
 * Work of which there is one in all the processes that have a ledger open: whoever has the lease does it, and when that
 * process falls out, the next one goes on.
 *
 * @example
 * const work = new LeasedWork({ store, name: 'nova-notifier', make: (lost) => new NovaNotifier({ ...options, lost }), onFailure });
 * await work.start();
 */
export class LeasedWork {
  readonly #options: LeasedWorkOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: LeasedWorkOptions) {
    this.#options = options;
  }

  /**
   * Where this process has the ledger to itself, settles when the work has begun. Elsewhere its turn may never come, so
   * that is not waited for, and what keeps it from beginning is told to `onFailure`.
   * @throws what the work's own start throws
   */
  async start(): Promise<void> {
    if (isShared(this.#options.store.info)) {
      this.#running = this.#takeTurns();
      return;
    }
    const lease = await this.#lease();
    if (!lease) return;
    const work = await this.#begin(lease);
    this.#running = this.#carryOn(work, lease);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #takeTurns(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let lease: Lease | null = null;
      try {
        lease = await this.#lease();
        if (lease) await this.#carryOn(await this.#begin(lease), lease);
      } catch (error) {
        this.#options.onFailure(error);
        await lease?.release(); // another process may be able to
        await pause(retryMs, signal);
      }
    }
  }

  /** Null where it was stopped first. */
  #lease(): Promise<Lease | null> {
    const { store, name } = this.#options;
    return store.lease(name, this.#stopping.signal);
  }

  async #begin(lease: Lease): Promise<Work> {
    const work = this.#options.make(lease.lost);
    await work.start();
    this.#options.onTurn?.();
    return work;
  }

  async #carryOn(work: Work, lease: Lease): Promise<void> {
    await aborted(AbortSignal.any([this.#stopping.signal, lease.lost]));
    await work.stop();
    await lease.release();
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
