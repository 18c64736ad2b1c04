import { setMaxListeners } from 'node:events';
import { setTimeout as timeout } from 'node:timers/promises';
import { abortingWith } from '../aborting-with.ts';
import { type EventStore, formatPosition, parsePosition } from '../store/event-store.ts';
import { Changes } from './changes.ts';
import { everyPage } from './every-page.ts';
import { Following, type FollowMessage, type FollowOptions } from './follow.ts';
import { Builder } from './host/builder.ts';
import { changeOf } from './host/change-of.ts';
import { type Answered, RunningModel } from './host/running-model.ts';
import { inThread, type StartModel } from './host/start-model.ts';
import { Waiters } from './host/waiters.ts';
import { buildingPath, inMemory, remove } from './models/model-file.ts';
import type { Changed } from './models/projector.ts';
import { type OperationPage, operationEvents } from './operation-events.ts';
import type { Ask, DueResource, QueryName } from './queries.ts';
import { ViewsError } from './views-error.ts';
import { healthOf, type ViewsHealth } from './views-health.ts';

export interface ViewsOptions {
  readonly store: EventStore;
  /** The file of the read models, such as the ledger's with `.views.db` behind it. Default: in memory. */
  readonly path?: string;
  /** The ledger's own file, where it is an SQLite ledger: it is then read directly when models are built, which is faster. */
  readonly ledgerFile?: string;
  /** Folded resources kept in memory. Default 10,000. */
  readonly cachedResources?: number;
  readonly observer?: ViewsObserver;
  /** Where the models run. Default: in threads of their own. */
  readonly start?: StartModel;
  /** Milliseconds since the epoch; for health only. */
  readonly now?: () => number;
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Closes the models, also while they are being opened. */
  readonly signal?: AbortSignal;
}

export interface ViewsObserver {
  buildStarted?(reason: string): void;
  buildProgressed?(events: number): void;
  buildFinished?(position: string): void;
  /** Something failed that is tried again by itself. */
  faulted?(error: unknown): void;
}

const defaultCachedResources = 10_000;

/**
 * Opens the read models of a ledger. Where there are none yet, or none of use, they are built meanwhile; until then
 * questions are refused with `not-ready`.
 *
 * @example
 * const views = await openViews({ store, path: './data/ledger.db.views.db', ledgerFile: './data/ledger.db' });
 * await views.waitFor(outcome.position, 5_000);
 * const { position, value } = await views.ask('list', { kind: 'port', status: ['BUILD'], limit: 20 });
 *
 * @throws ViewsError failed, where the file cannot be opened at all; closed, where the signal came first
 */
export async function openViews(options: ViewsOptions): Promise<Views> {
  const views = new Views(options);
  options.signal?.addEventListener('abort', () => void views.close(), { once: true });
  await views.open();
  return views;
}

/** The read models of a ledger: questions, live changes, health. They follow the ledger by themselves. */
export class Views {
  /** What changes, as it changes. */
  readonly changes = new Changes(formatPosition(0));
  readonly #options: ViewsOptions;
  readonly #path: string;
  readonly #now: () => number;
  readonly #sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly #waiters = new Waiters();
  readonly #following: Following;
  readonly #builder: Builder;
  readonly #stop = new AbortController();
  /** The model that answers; null before the first one is built. */
  #current: RunningModel | null = null;
  #opening: RunningModel | null = null;

  /** Use {@link openViews}. */
  constructor(options: ViewsOptions) {
    this.#options = options;
    setMaxListeners(0, this.#stop.signal); // everybody who waits listens to it
    this.#path = options.path ?? inMemory;
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? ((milliseconds, signal) => timeout(milliseconds, undefined, { signal, ref: false }));
    this.#following = new Following(this, (milliseconds) =>
      this.#sleep(milliseconds, this.#stop.signal).catch(() => {}),
    );
    this.#builder = new Builder({
      path: this.#path,
      start: (path, onDamaged) => this.#run('build', path, onDamaged),
      swap: (next) => this.#swap(next),
      sleep: (milliseconds) => this.#sleep(milliseconds, this.#stop.signal).catch(() => {}),
      observer: options.observer ?? {},
    });
  }

  /** @see openViews */
  async open(): Promise<void> {
    const model = this.#run('serve', this.#path, () => this.#replaceDamaged());
    this.#opening = model;
    const { verdict, position } = await model.opened().catch(async (error) => {
      await model.close();
      throw this.#stop.signal.aborted ? new ViewsError({ code: 'closed' }, error) : error;
    });
    const isFromTheFuture = position > parsePosition(await this.#options.store.head());
    if (verdict === 'unusable' || isFromTheFuture) {
      await model.close();
      this.#build(isFromTheFuture ? 'the read models are ahead of the ledger' : 'there are no read models of use');
      return;
    }
    this.#current = model;
    this.#moved();
    if (verdict === 'outdated') return this.#build('the read models were made by another version');
    if (this.#path !== inMemory) remove(buildingPath(this.#path)); // what a build left that was cut off
    model.follow();
    void model.caughtUp().then(
      async () => {
        if (model.parkedCount > 0) await model.retryParked();
      },
      () => {}, // it is closed, or damaged: somebody else's affair
    );
  }

  /** The position of the model that answers: everything up to it is in the answers. */
  get position(): string {
    return formatPosition(this.#current?.position ?? 0);
  }

  /**
   * Asks the read models.
   *
   * @example
   * const { value } = await views.ask('waiting', { kind: 'port', host: 'compute-17', limit: 10 });
   * for (const { resource, wait } of value.items) console.log(resource.id, 'waits for', wait.what, 'since', wait.since);
   *
   * @throws ViewsError not-ready | overloaded | invalid-query | failed | closed, or the signal's reason
   */
  async ask<N extends QueryName>(name: N, ask: Ask<N>, signal?: AbortSignal): Promise<Answered<N>> {
    if (this.#stop.signal.aborted) throw new ViewsError({ code: 'closed' });
    if (!this.#current) throw new ViewsError({ code: 'not-ready' });
    return this.#current.ask(name, ask, signal);
  }

  /**
   * Waits until the answers include a position: read your own writes.
   * @returns false where they do not within the time
   */
  async waitFor(position: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    const wanted = parsePosition(position);
    if (this.#current && this.#current.position >= wanted) return true;
    const enough = abortingWith(this.#stop.signal, ...(signal ? [signal] : []));
    try {
      return await this.#waiters.wait(wanted, this.#sleep(timeoutMs, enough.signal));
    } finally {
      enough.abort();
    }
  }

  /**
   * Resources that something must happen to at a certain time, earliest first: what an alarm clock that starts has to be
   * set to. Wait for the ledger's head first, since what happened after {@link position} is not in it.
   */
  async *deadlines(): AsyncGenerator<DueResource, void, undefined> {
    for await (const page of everyPage(this, 'deadlines', {})) yield* page;
  }

  /** A page of the events that share a correlation id, in the order of the ledger. */
  async operation(ask: Ask<'operation'>, signal?: AbortSignal): Promise<OperationPage> {
    const { position, value } = await this.ask('operation', ask, signal);
    return { position, ...(await operationEvents(this.#options.store, ask.correlationId, value)) };
  }

  /**
   * Follows the answer to a question: the document as it is, then patches (RFC 6902) whenever it changes. A follower that
   * is slow gets one snapshot instead of the patches it missed.
   *
   * @example
   * const render = (page: Page<ListedResource>) => ({ ports: page.items.map(({ viewText }) => JSON.parse(viewText)) });
   * for await (const message of views.follow('list', { kind: 'port', status: ['ERROR'] }, { render, signal })) {
   *   send(message.position, message.kind === 'snapshot' ? message.document : message.patch);
   * }
   *
   * @throws ViewsError invalid-query | closed
   */
  follow<N extends QueryName>(
    name: N,
    ask: Ask<N>,
    options: FollowOptions<N>,
  ): AsyncGenerator<FollowMessage, void, undefined> {
    return this.#following.follow(name, ask, options);
  }

  /** Builds new models from the ledger while the old ones answer, and puts them in their place. Settles when that is done. */
  async rebuild(): Promise<void> {
    await this.#builder.build('somebody asked for it');
  }

  /** Gives parked resources the events that could not be processed once more. @returns how many are still parked */
  async retryParked(): Promise<number> {
    const model = this.#current;
    if (!model) throw new ViewsError({ code: 'not-ready' });
    await model.retryParked();
    return model.parkedCount;
  }

  /** How the projections are: for `/readyz` and metrics. */
  async health(): Promise<ViewsHealth> {
    const head = parsePosition(await this.#options.store.head());
    return healthOf(this.#current, { head, now: this.#now(), building: this.#builder.progress });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#following.close();
    this.changes.close();
    this.#waiters.close();
    await this.#builder.close();
    await (this.#current ?? this.#opening)?.close();
  }

  #run(purpose: 'serve' | 'build', path: string, onDamaged: (model: RunningModel) => void): RunningModel {
    const { store, start = inThread, ledgerFile = null, cachedResources = defaultCachedResources } = this.#options;
    return new RunningModel({
      store,
      start,
      model: { path, purpose, ledgerId: store.info.ledgerId, ledgerFile, cachedResources },
      now: this.#now,
      sleep: this.#sleep,
      isWatched: () => this.changes.isWatched,
      onApplied: (model, changes) => {
        if (model !== this.#current) return;
        if (!changes) this.changes.interrupt();
        this.#moved(changes ?? []);
      },
      onProgress: (events) => this.#builder.progressed(events),
      onFault: (error) => this.#options.observer?.faulted?.(error),
      onDamaged,
    });
  }

  #moved(changes: readonly Changed[] = []): void {
    this.changes.publish(changes.map(changeOf), this.position);
    this.#waiters.advance(this.#current!.position);
  }

  #build(reason: string): void {
    this.#builder.build(reason).catch((error) => this.#options.observer?.faulted?.(error));
  }

  /** A model whose file is broken answers no more. */
  async #replaceDamaged(): Promise<void> {
    const damaged = this.#current;
    this.#current = null;
    await damaged?.close();
    if (!this.#stop.signal.aborted) this.#build('the file of the read models is damaged');
  }

  /** The new model answers from here on. What it read while the old one still answered was told to nobody. */
  async #swap(next: RunningModel): Promise<void> {
    const old = this.#current;
    if (old) {
      await old.freeze();
      await next.reached(old.position);
    }
    this.#current = next;
    this.changes.interrupt();
    this.#moved();
    await old?.close();
    await next.promote(this.#path).catch((error) => this.#options.observer?.faulted?.(error));
  }
}
