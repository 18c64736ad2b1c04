import { aggregates } from './domain/aggregates.ts';
import type { Search } from './domain/flows/searching-flow.ts';
import type { ResourceRef } from './domain/kernel/resource.ts';
import { countedStates } from './domain/node/under-way.ts';
import { pause } from './pause.ts';
import { deferred } from './projections/host/deferred.ts';
import { searchViews } from './projections/search.ts';
import { openViews, type Views } from './projections/views.ts';
import { timestamp } from './runtime/clock.ts';
import { type AnyFlow, FlowRunner, type FlowsObserver } from './runtime/flows.ts';
import type { Runtime } from './runtime/runtime.ts';
import { type EventStore, isShared, startPosition } from './store/event-store.ts';
import { StoreError } from './store/store-error.ts';

export interface BackgroundOptions {
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly flows: readonly AnyFlow[];
  /** The ledger's own file, where it has one. */
  readonly ledgerFile: string | null;
  /** Where the read models lie. Empty: beside the ledger's file, and in memory where it has none. */
  readonly viewsFile: string;
  readonly cachedResources: number;
  readonly observer: BackgroundObserver;
}

export interface BackgroundObserver extends FlowsObserver {
  /**
   * Something that nobody waits for has failed.
   * @param what one of a few words: failures are counted by it
   */
  backgroundFailed(what: string, error: unknown): void;
}

/** How often the deadlines that other processes may have set are looked through. */
const lookAheadMs = 5_000;

/** After a ledger out of reach, the next try. */
const retryMs = 1_000;

/** How long at a time to wait for the read models to catch up. */
const patienceMs = 5_000;

/**
 * What goes on beside the requests: the read models follow the ledger, the process managers react to it, and the alarm
 * clock is set to what resources were waiting for when the last process ended. No request waits for any of it.
 */
export class Background {
  readonly #options: BackgroundOptions;
  readonly #flows: FlowRunner;
  readonly #stopping = new AbortController();
  readonly #opened = deferred<Views>();
  #views: Views | null = null;
  /** What was waiting for the clock, or under way, when the last process ended is known again. */
  #takenUp = false;
  #started: Promise<void> = Promise.resolve();

  constructor(options: BackgroundOptions) {
    this.#options = options;
    this.#opened.promise.catch(() => {}); // whoever waits for them hears of it
    this.#flows = new FlowRunner({ ...options, aggregates, find: (...search) => this.#find(...search) });
  }

  /** The read models, once they are open. */
  get views(): Promise<Views> {
    return this.#opened.promise;
  }

  start(): void {
    this.#started = this.#start().catch((error) => {
      this.#opened.reject(error);
      if (!this.#stopping.signal.aborted) this.#options.observer.backgroundFailed('start', error);
    });
  }

  /** Why requests should not be sent here yet; null where they may. */
  async unreadiness(): Promise<string | null> {
    if (!this.#views) return 'The read models are being opened.';
    const { reason } = await this.#views.health();
    return reason ?? (this.#takenUp ? null : 'What was under way before the start is being taken up.');
  }

  /** How far what follows the ledger here has come, by its name. */
  readonly positions = {
    'read-models': async (): Promise<string> => {
      const health = await this.#views?.health();
      return health?.projections[0]?.position ?? startPosition;
    },
    flows: (): string | null => this.#flows.position,
  };

  /** Settles when all that follows from what has happened so far has followed. */
  async settled(): Promise<void> {
    await this.#flows.idle();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#flows.stop();
    await this.#started;
    await this.#views?.close();
  }

  /** @throws Error while the read models are behind; the reaction is then tried again */
  async #find(search: Search, position: string): Promise<readonly string[]> {
    const views = await this.views;
    if (!(await views.waitFor(position, patienceMs, this.#stopping.signal))) {
      throw new Error(`the read models have not come to ${position} yet`);
    }
    return searchViews(views, search);
  }

  async #start(): Promise<void> {
    const { store, ledgerFile, viewsFile, cachedResources, observer } = this.#options;
    const path = viewsFile || (ledgerFile !== null && `${ledgerFile}.views.db`);
    const head = await store.head();
    this.#stopping.signal.throwIfAborted();
    const opening = openViews({
      store,
      cachedResources,
      signal: this.#stopping.signal,
      ...(ledgerFile !== null && { ledgerFile }),
      ...(path && { path }),
      observer: { faulted: (error) => observer.backgroundFailed('projection', error) },
    });
    opening.then(this.#opened.resolve, () => {});
    this.#flows.start();
    this.#views = await opening;
    await this.#takeUp(this.#views, head);
    if (isShared(store.info)) await this.#keepDeadlinesOfOthers(this.#views);
  }

  /** What happens from now on sets the clock by itself; this is for what was waiting before. */
  async #takeUp(views: Views, head: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!(await views.waitFor(head, patienceMs, signal))) if (signal.aborted) return;
    for await (const { resource } of views.deadlines()) {
      if (signal.aborted) return;
      await this.#takeUpOne(resource);
    }
    for (const id of await searchViews(views, { kind: 'node', provisionStates: countedStates })) {
      if (signal.aborted) return;
      await this.#takeUpOne({ kind: 'node', id });
    }
    this.#takenUp = true;
  }

  /** One that cannot be read is its own trouble; a ledger that is out of reach is waited for. */
  async #takeUpOne(resource: ResourceRef): Promise<void> {
    const { signal } = this.#stopping;
    const { runtime, observer } = this.#options;
    while (!signal.aborted) {
      try {
        return await runtime.takeUp(resource);
      } catch (error) {
        observer.backgroundFailed('deadline', error);
        if (!(error instanceof StoreError)) return;
        await pause(retryMs, signal);
      }
    }
  }

  /** What other processes have set in motion is kept by the one that does the work of all. */
  async #keepDeadlinesOfOthers(views: Views): Promise<void> {
    const { signal } = this.#stopping;
    const { runtime, observer } = this.#options;
    while (!signal.aborted) {
      await pause(lookAheadMs, signal);
      if (!this.#flows.isWorking) continue;
      const soon = timestamp(runtime.clock.now() + lookAheadMs);
      try {
        for await (const { resource, at } of views.deadlines()) {
          if (at > soon || signal.aborted) break;
          await this.#takeUpOne(resource);
        }
      } catch (error) {
        observer.backgroundFailed('deadline', error);
      }
    }
  }
}
