import type { Json } from '../domain/kernel/json.ts';
import type { Change } from './changes.ts';
import { deferred } from './host/deferred.ts';
import { diff } from './json-diff.ts';
import type { JsonPatchOperation } from './patch.ts';
import type { Answer, Ask, QueryName } from './queries.ts';
import type { Views } from './views.ts';
import { isViewsError, type ViewsError } from './views-error.ts';

export type FollowMessage =
  /** The document as a whole: at the beginning, and where the follower was too slow for the patches in between. */
  | { readonly kind: 'snapshot'; readonly position: string; readonly document: Json }
  /** From the document of the message before to the one at this position. */
  | { readonly kind: 'patch'; readonly position: string; readonly patch: readonly JsonPatchOperation[] };

export interface FollowOptions<N extends QueryName> {
  /**
   * What followers see of an answer: JSON. Give the same function each time, so that followers of the same question share
   * the work.
   */
  readonly render: (answer: Answer<N>, position: string) => Json;
  /** The position of the last message that the follower has: nothing is sent again where nothing has changed since. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/** A question that is asked again because something changed is asked at most so often. */
const pauseMs = 200;

/** Which changes can change the answer to a question; any, where nothing is said. */
const concerns: { readonly [N in QueryName]?: (change: Change, ask: Ask<N>) => boolean } = {
  resource: ({ resource }, { kind, id }) => resource.kind === kind && resource.id === id,
  list: ({ resource }, { kind }) => resource.kind === kind,
  statusHistory: ({ resource }, { kind, id }) => resource.kind === kind && resource.id === id,
  inStatus: ({ resource }, { kind }) => resource.kind === kind,
};

/** Questions whose answers are kept up to date, each once for all who follow it. */
export class Following {
  readonly #views: Views;
  readonly #sleep: (milliseconds: number) => Promise<void>;
  readonly #live = new Map<unknown, Map<string, LiveQuery>>();

  constructor(views: Views, sleep: (milliseconds: number) => Promise<void>) {
    this.#views = views;
    this.#sleep = sleep;
  }

  async *follow<N extends QueryName>(
    name: N,
    ask: Ask<N>,
    { render, after, signal }: FollowOptions<N>,
  ): AsyncGenerator<FollowMessage, void, undefined> {
    const live = this.#liveQuery(name, ask, render as never);
    const follower = new Follower(after);
    const stop = (): void => follower.end();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) follower.end();
    live.followers.add(follower);
    try {
      live.begin(follower);
      yield* follower.messages();
    } finally {
      signal?.removeEventListener('abort', stop);
      live.followers.delete(follower);
      if (live.followers.size === 0) this.#forget(live);
    }
  }

  close(): void {
    for (const ofRender of this.#live.values()) {
      for (const live of ofRender.values()) live.end();
    }
    this.#live.clear();
  }

  #liveQuery<N extends QueryName>(name: N, ask: Ask<N>, render: Render): LiveQuery {
    const key = JSON.stringify([name, ask]);
    let ofRender = this.#live.get(render);
    if (!ofRender) {
      ofRender = new Map();
      this.#live.set(render, ofRender);
    }
    let live = ofRender.get(key);
    if (!live) {
      live = new LiveQuery(this.#views, this.#sleep, { name, ask, render, key });
      ofRender.set(key, live);
    }
    return live;
  }

  #forget(live: LiveQuery): void {
    live.end();
    const { render, key } = live.question;
    const ofRender = this.#live.get(render);
    if (ofRender?.get(key) === live) ofRender.delete(key);
    if (ofRender?.size === 0) this.#live.delete(render);
  }
}

type Render = (answer: never, position: string) => Json;

interface Question {
  readonly name: QueryName;
  readonly ask: unknown;
  readonly render: Render;
  readonly key: string;
}

/** A document as it was at a position. */
interface Edition {
  readonly position: string;
  readonly document: Json;
}

class LiveQuery {
  readonly question: Question;
  readonly followers = new Set<Follower>();
  readonly #views: Views;
  readonly #sleep: (milliseconds: number) => Promise<void>;
  readonly #stop = new AbortController();
  #edition: Edition | null = null;
  #isStale = true;
  #isWorking = false;

  constructor(views: Views, sleep: (milliseconds: number) => Promise<void>, question: Question) {
    this.#views = views;
    this.#sleep = sleep;
    this.question = question;
    void this.#listen();
  }

  begin(follower: Follower): void {
    if (this.#edition) follower.begin(this.#edition);
    else void this.#refresh();
  }

  end(): void {
    this.#stop.abort();
    for (const follower of this.followers) follower.end();
  }

  /** Listens for changes as long as somebody follows; after a gap in them the question is asked again. */
  async #listen(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      for await (const message of this.#views.changes.subscribe({ signal })) {
        if (message.kind === 'change' && !this.#concerns(message.change)) continue;
        this.#isStale = true;
        void this.#refresh();
      }
    }
  }

  #concerns(change: Change): boolean {
    const { name, ask } = this.question;
    return (concerns[name] as ((change: Change, ask: unknown) => boolean) | undefined)?.(change, ask) ?? true;
  }

  async #refresh(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (this.#isStale && !this.#stop.signal.aborted) {
        this.#isStale = false;
        await this.#askOnce();
        await this.#sleep(pauseMs);
      }
    } catch (error) {
      for (const follower of this.followers) follower.fail(error);
    } finally {
      this.#isWorking = false;
    }
  }

  async #askOnce(): Promise<void> {
    const { name, ask, render } = this.question;
    try {
      const { position, value } = await this.#views.ask(name, ask as never, this.#stop.signal);
      this.#publish({ position: positionOf(name, value, position), document: render(value as never, position) });
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (!isPassing(error)) throw error;
      this.#isStale = true;
    }
  }

  #publish(edition: Edition): void {
    const before = this.#edition;
    if (!before) {
      this.#edition = edition;
      for (const follower of this.followers) follower.begin(edition);
      return;
    }
    const patch = diff(before.document, edition.document);
    if (patch.length === 0) return;
    this.#edition = edition;
    for (const follower of this.followers) follower.offer(edition, patch);
  }
}

/** A resource is as it is since its own last event, whatever else happened; other documents are of the whole ledger. */
const positionOf = (name: QueryName, value: unknown, position: string): string =>
  name === 'resource' ? ((value as Answer<'resource'>)?.position ?? position) : position;

const isPassing = (error: unknown): error is ViewsError =>
  isViewsError(error, 'not-ready') || isViewsError(error, 'overloaded') || isViewsError(error, 'failed');

/** At most one message waits for a follower: what comes while it waits turns it into a snapshot of the latest edition. */
class Follower {
  readonly #after: string | undefined;
  #pending: FollowMessage | null = null;
  #more = deferred<void>();
  #isOver = false;
  #hasBegun = false;

  constructor(after: string | undefined) {
    this.#after = after;
  }

  begin({ position, document }: Edition): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (position === this.#after) return;
    this.#pending = { kind: 'snapshot', position, document };
    this.#more.resolve();
  }

  offer({ position, document }: Edition, patch: readonly JsonPatchOperation[]): void {
    this.#hasBegun = true;
    this.#pending = this.#pending ? { kind: 'snapshot', position, document } : { kind: 'patch', position, patch };
    this.#more.resolve();
  }

  end(): void {
    this.#isOver = true;
    this.#more.resolve();
  }

  fail(error: unknown): void {
    this.#more.promise.catch(() => {});
    this.#more.reject(error);
  }

  async *messages(): AsyncGenerator<FollowMessage, void, undefined> {
    while (!this.#isOver) {
      await this.#more.promise;
      this.#more = deferred();
      const message = this.#pending;
      this.#pending = null;
      if (message && !this.#isOver) yield message;
    }
  }
}
