import type { Kind, ResourceRef } from '../domain/kernel/resource.ts';
import type { JsonPatchOperation } from './patch.ts';

/** A resource that changed. Several events that were taken together are one change. */
export interface Change {
  readonly resource: ResourceRef;
  /** Revision and position of the resource's last event. */
  readonly revision: number;
  readonly position: string;
  /** JSON text of the state as people see it. */
  readonly viewText: string;
  /** From the view before to this one. A new resource, and one whose earlier changes were dropped, comes as a whole. */
  readonly patch: readonly JsonPatchOperation[];
}

export type ChangeMessage =
  | { readonly kind: 'change'; readonly change: Change }
  /**
   * The last message: the subscriber was too slow, or the model was replaced. Nothing up to `position` was missed; whoever
   * goes on subscribes again and looks at what it is interested in anew.
   */
  | { readonly kind: 'lagging'; readonly position: string };

export interface ChangesFilter {
  readonly kind?: Kind;
  readonly id?: string;
}

export interface ChangesOptions extends ChangesFilter {
  readonly signal?: AbortSignal;
  /** Resources whose changes may wait for the subscriber; beyond that it is lagging. Default 1000. */
  readonly maxPending?: number;
}

const defaultMaxPending = 1000;

/**
 * What changes, for as many subscribers as there are: each change is folded and compared once. A slow subscriber gets the
 * changes of one resource together, and is cut off where too many resources wait; it holds up nobody.
 */
export class Changes {
  readonly #subscribers = new Set<Subscriber>();
  #position: string;

  constructor(position: string) {
    this.#position = position;
  }

  /** Whether anybody listens; while nobody does, nothing is compared. */
  get isWatched(): boolean {
    return this.#subscribers.size > 0;
  }

  /**
   * Listens from now on: it has begun when this returns, before the first message is asked for.
   *
   * @example
   * for await (const message of views.changes.subscribe({ kind: 'port', signal })) {
   *   if (message.kind === 'change') send(message.change.position, message.change.patch);
   *   else close('lagging', message.position);
   * }
   */
  subscribe(options: ChangesOptions = {}): AsyncIterableIterator<ChangeMessage> {
    const subscriber = new Subscriber(options, this.#position, () => this.#subscribers.delete(subscriber));
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  /** Everything that one commit changed, and where the model is since. */
  publish(changes: readonly Change[], position: string): void {
    this.#position = position;
    for (const subscriber of this.#subscribers) subscriber.offer(changes, position);
  }

  /** Changes were missed: everybody has to look anew. */
  interrupt(): void {
    for (const subscriber of this.#subscribers) subscriber.cutOff();
  }

  close(): void {
    for (const subscriber of this.#subscribers) subscriber.end();
  }
}

class Subscriber implements AsyncIterableIterator<ChangeMessage> {
  readonly #filter: ChangesFilter;
  readonly #maxPending: number;
  readonly #onEnd: () => void;
  readonly #pending = new Map<string, Change>();
  readonly #waiting: ((result: IteratorResult<ChangeMessage, undefined>) => void)[] = [];
  #offered: string;
  /** Up to where everything was handed over. */
  #handed: string;
  #state: 'live' | 'lagging' | 'ended' = 'live';

  constructor({ signal, maxPending, ...filter }: ChangesOptions, position: string, onEnd: () => void) {
    this.#filter = filter;
    this.#maxPending = maxPending ?? defaultMaxPending;
    this.#offered = position;
    this.#handed = position;
    this.#onEnd = onEnd;
    if (signal?.aborted) this.end();
    signal?.addEventListener('abort', () => this.end(), { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ChangeMessage, undefined>> {
    const message = this.#take();
    if (message) return { done: false, value: message };
    if (this.#state === 'ended') return { done: true, value: undefined };
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<ChangeMessage, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  offer(changes: readonly Change[], position: string): void {
    if (this.#state !== 'live') return;
    const wanted = changes.filter(({ resource }) => this.#wants(resource));
    const fresh = wanted.filter(({ resource }) => !this.#pending.has(keyOf(resource))).length;
    if (this.#pending.size + fresh > this.#maxPending) {
      this.cutOff();
      return;
    }
    for (const change of wanted) this.#merge(change);
    this.#offered = position;
    if (this.#pending.size === 0) this.#handed = position;
    this.#hand();
  }

  /** What is pending is not sent: it would be followed by a gap. */
  cutOff(): void {
    if (this.#state !== 'live') return;
    this.#pending.clear();
    this.#state = 'lagging';
    this.#onEnd();
    this.#hand();
  }

  end(): void {
    this.#state = 'ended';
    this.#pending.clear();
    this.#onEnd();
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  }

  #wants({ kind, id }: ResourceRef): boolean {
    return (this.#filter.kind ?? kind) === kind && (this.#filter.id ?? id) === id;
  }

  /** Two changes become one. The whole view is sent where that is shorter than what led to it. */
  #merge(change: Change): void {
    const key = keyOf(change.resource);
    const before = this.#pending.get(key);
    this.#pending.delete(key);
    this.#pending.set(key, before ? { ...change, patch: joined(before, change) } : change);
  }

  #take(): ChangeMessage | null {
    const [first] = this.#pending;
    if (first) {
      this.#pending.delete(first[0]);
      if (this.#pending.size === 0) this.#handed = this.#offered;
      return { kind: 'change', change: first[1] };
    }
    if (this.#state !== 'lagging') return null;
    this.#state = 'ended';
    return { kind: 'lagging', position: this.#handed };
  }

  #hand(): void {
    while (this.#waiting.length > 0) {
      const message = this.#take();
      if (!message) return;
      this.#waiting.shift()!({ done: false, value: message });
    }
  }
}

const keyOf = ({ kind, id }: ResourceRef): string => `${kind}-${id}`;

/** Operations of a joined patch; beyond that the whole view is the shorter message. */
const maxJoined = 20;

function joined(before: Change, { patch, viewText }: Change): readonly JsonPatchOperation[] {
  const both = [...before.patch, ...patch];
  return both.length <= maxJoined ? both : [{ op: 'replace', path: '', value: JSON.parse(viewText) }];
}
