import type { EventStore } from '../../store/event-store.ts';
import type { Applied, ModelOptions, ParkedCounts, Whereabouts } from '../models/model.ts';
import type { Changed } from '../models/projector.ts';
import type { Answer, Ask, QueryName } from '../queries.ts';
import { isViewsError, reasonOf, ViewsError } from '../views-error.ts';
import { deferred } from './deferred.ts';
import { feed } from './feed.ts';
import { ModelClient } from './model-client.ts';
import { retryParked } from './retry-parked.ts';
import type { StartModel } from './start-model.ts';
import { Waiters } from './waiters.ts';

/** What is answered, and the position of the model that answers. */
export interface Answered<N extends QueryName> {
  readonly position: string;
  readonly value: Answer<N>;
}

export interface RunningModelOptions {
  readonly store: EventStore;
  readonly start: StartModel;
  readonly model: ModelOptions;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly isWatched: () => boolean;
  /** `changes` is null where something changed and nobody knows what. */
  readonly onApplied: (model: RunningModel, changes: readonly Changed[] | null) => void;
  readonly onProgress: (events: number) => void;
  /** Something went wrong and is tried again. */
  readonly onFault: (error: unknown) => void;
  /** The file is broken. The model no longer follows; it is to be closed. */
  readonly onDamaged: (model: RunningModel) => void;
}

const firstRetryMs = 100;
const longestRetryMs = 5_000;

/**
 * A model that follows the ledger. It recovers by itself: where its thread dies, a commit fails or the checkpoint is not
 * the expected one, it goes on from the checkpoint that the file has.
 */
export class RunningModel {
  position = 0;
  /** Whether it was at the head of the ledger since it last had to recover. */
  hasCaughtUp = false;
  /** Whether it answers without following. */
  isFrozen = true;
  /** Milliseconds since the epoch. */
  progressedAt: number;
  /** The latest fault, until the model makes progress again. */
  lastError: string | null = null;
  parked: ParkedCounts = {};
  readonly #options: RunningModelOptions;
  readonly #stop = new AbortController();
  readonly #caughtUp = deferred<void>();
  readonly #waiters = new Waiters();
  #path: string;
  #purpose: ModelOptions['purpose'];
  #client: ModelClient;
  /** Settles when another client has taken the place of this one, or none will. */
  #replaced = deferred<void>();
  #following: Promise<void> = Promise.resolve();
  #retryMs = firstRetryMs;

  constructor(options: RunningModelOptions) {
    this.#options = options;
    this.#path = options.model.path;
    this.#purpose = options.model.purpose;
    this.progressedAt = options.now();
    this.#client = this.#open();
    this.#caughtUp.promise.catch(() => {});
  }

  /** What was found. @throws ViewsError where the file cannot be opened */
  async opened(): Promise<Whereabouts> {
    const whereabouts = await this.#client.opened;
    this.#note(whereabouts);
    return whereabouts;
  }

  /** Begins to follow the ledger. */
  follow(): void {
    this.isFrozen = false;
    this.#following = this.#run();
  }

  /** Settles when it has reached the head of the ledger once. @throws ViewsError damaged | closed */
  caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  /** Settles when the model is at a position, or has stopped. */
  async reached(position: number): Promise<void> {
    if (this.position < position) await this.#waiters.wait(position, this.#following);
  }

  get parkedCount(): number {
    return Object.values(this.parked).reduce((sum, count) => sum + count, 0);
  }

  /** A question that was under way when the thread died is put to the next one, once. */
  async ask<N extends QueryName>(name: N, ask: Ask<N>, signal?: AbortSignal): Promise<Answered<N>> {
    const client = this.#client;
    try {
      return await client.ask(name, ask, signal);
    } catch (error) {
      if (!client.isLost || this.isFrozen || signal?.aborted) throw error;
      if (client === this.#client) await this.#replaced.promise;
      return this.#client.ask(name, ask, signal);
    }
  }

  /** Tries again what could not be processed. */
  async retryParked(): Promise<void> {
    await retryParked(this.#options.store, this.#client, ({ parked, changes }) => {
      this.parked = parked;
      this.#tell(changes);
    });
  }

  /** Moves its file to another path, where nobody has one open. */
  async promote(path: string): Promise<void> {
    await this.#client.call('promote', { path });
    this.#path = path;
    this.#purpose = 'serve';
  }

  /** Stops to follow; still answers. */
  async freeze(): Promise<void> {
    this.isFrozen = true;
    this.#replaced.resolve();
    this.#stop.abort();
    this.#caughtUp.reject(new ViewsError({ code: 'closed' }));
    await this.#following;
  }

  async close(): Promise<void> {
    await this.freeze();
    await this.#client.close();
  }

  #open(): ModelClient {
    const { start, model, onProgress } = this.#options;
    return new ModelClient(start, { ...model, path: this.#path, purpose: this.#purpose }, onProgress);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#followOnce(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#fault(error);
        if (isViewsError(error, 'damaged')) {
          this.#caughtUp.reject(error);
          return this.#options.onDamaged(this);
        }
        await this.#options.sleep(this.#retryMs, signal).catch(() => {});
        this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
      }
    }
  }

  /** Follows until told to stop. Also an idle ledger must not hide that the thread is gone. */
  async #followOnce(signal: AbortSignal): Promise<void> {
    const whereabouts = await this.#usable();
    const isAhead = whereabouts.position > this.position;
    this.#note(whereabouts);
    // A commit whose answer was lost: that it changed something is known, what it changed is not.
    if (isAhead) this.#tell(null);
    const client = this.#client;
    const gone = new AbortController();
    void client.gone.then(() => gone.abort());
    await feed({
      store: this.#options.store,
      client,
      from: whereabouts.position,
      signal: AbortSignal.any([signal, gone.signal]),
      isWatched: this.#options.isWatched,
      onApplied: (applied) => this.#applied(applied),
      onCaughtUp: () => this.#reachedHead(),
    });
    if (signal.aborted) return;
    const reason = client.isLost ? 'its thread has ended' : 'the ledger has ended the subscription';
    throw new ViewsError({ code: 'failed', reason });
  }

  /** The model where it stands; a new one where its thread is gone. */
  async #usable(): Promise<Whereabouts> {
    try {
      await this.#client.opened;
      return await this.#loaded(await this.#client.call('whereabouts', null));
    } catch (error) {
      if (!isViewsError(error, 'failed')) throw error;
      this.#client.terminate();
      this.#client = this.#open();
      this.#replaced.resolve();
      this.#replaced = deferred();
      return this.#loaded(await this.#client.opened);
    }
  }

  async #loaded(whereabouts: Whereabouts): Promise<Whereabouts> {
    if (whereabouts.verdict === 'unusable')
      throw new ViewsError({ code: 'damaged', reason: `there is nothing of use at ${this.#path}` });
    return whereabouts.needsLoad ? this.#client.call('load', null) : whereabouts;
  }

  #applied({ position, changes, parked }: Applied): void {
    this.#note({ position, parked });
    this.#retryMs = firstRetryMs;
    this.#tell(changes);
  }

  #note({ position, parked }: Pick<Whereabouts, 'position' | 'parked'>): void {
    this.position = Math.max(position, this.position);
    this.parked = parked;
    this.progressedAt = this.#options.now();
    this.lastError = null;
  }

  #tell(changes: readonly Changed[] | null): void {
    this.#waiters.advance(this.position);
    this.#options.onApplied(this, changes);
  }

  #reachedHead(): void {
    this.progressedAt = this.#options.now();
    this.hasCaughtUp = true;
    this.#caughtUp.resolve();
  }

  #fault(error: unknown): void {
    this.hasCaughtUp = false;
    this.lastError = reasonOf(error);
    this.#options.onFault(error);
  }
}
