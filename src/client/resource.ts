import type { Why } from '../domain/why/explanation.ts';
import type { CommandAnswer, HistoryEntry, StateAnswer } from './answers.ts';
import { newKey } from './idempotency-key.ts';
import { type Command, type Kind, paths, type State } from './kinds.ts';
import { LiveRead } from './live-read.ts';
import type { TimelineOptions, TimelinePage } from './read-answers.ts';
import type { FollowOptions } from './reconnect.ts';
import type { Transport } from './transport.ts';

export interface ExecuteOptions {
  /** A key of your own, where a retry may come from another process than the first try. Default: a random one. */
  readonly idempotencyKey?: string;
  /** Refused with 412 (`revision-mismatch`) when the resource is at another revision. */
  readonly ifMatch?: number;
  /** Ties together everything one undertaking of yours causes. */
  readonly correlationId?: string;
  readonly signal?: AbortSignal;
}

export interface StateOptions {
  /** As it was: a revision, an RFC 3339 time, or a position. */
  readonly at?: number | string;
  /** Waits until the answer includes what was written there: read your own writes. */
  readonly minPosition?: string;
  readonly signal?: AbortSignal;
}

export interface HistoryOptions {
  /** Whether each entry carries the JSON Patch it made to the state. */
  readonly diff?: boolean;
  /** `asc`, oldest first, unless said otherwise. */
  readonly order?: 'asc' | 'desc';
  readonly minPosition?: string;
  readonly signal?: AbortSignal;
}

export interface HistoryPageOptions extends HistoryOptions {
  /** At most so many entries; 100 unless said otherwise, 1000 at most. */
  readonly limit?: number;
  /** `next` of the page before: the revision after which the page begins, or in descending order the one before which. */
  readonly marker?: number;
}

export interface HistoryPage {
  /** Of the resource's latest event, whether or not it is on this page. */
  readonly lastRevision: number;
  readonly next: number | null;
  readonly events: readonly HistoryEntry[];
}

/** Entries asked for at a time. */
const historyPageSize = 200;

/** One resource: what can be told to it, and what is known of it. */
export class Resource<K extends Kind> {
  readonly kind: K;
  readonly id: string;
  readonly #transport: Transport;
  readonly #silenceMs: number;

  constructor(transport: Transport, silenceMs: number, kind: K, id: string) {
    this.kind = kind;
    this.id = id;
    this.#transport = transport;
    this.#silenceMs = silenceMs;
  }

  /**
   * Gives the resource a command, and settles when what it led to is durable. A command whose work is done already
   * answers with `events: []`. It is repeated on a broken line or an overloaded server, always with the same key, so it
   * is carried out once.
   *
   * @example
   * const { state, revision } = await client.port(id).execute({
   *   type: 'AddProvisioningComponent',
   *   data: { entity: 'L2' },
   * });
   *
   * @throws ProblemError where the rules refuse it; its `allowed` says what they would accept
   * @throws ConnectionError where no answer came; the command may have been carried out, and repeating it with the same
   *   `idempotencyKey` is safe
   */
  execute(command: Command<K>, options: ExecuteOptions = {}): Promise<CommandAnswer<K>> {
    const { idempotencyKey = newKey(), ifMatch, correlationId, signal } = options;
    return this.#transport.json({
      path: `${this.#path}/commands`,
      body: JSON.stringify(command),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
        ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
        ...(correlationId !== undefined && { 'x-correlation-id': correlationId }),
      },
      signal,
    });
  }

  /**
   * The state as it is, or with `at` as it was.
   *
   * @example
   * const { state } = await client.port(id).state();
   * const { state: then } = await client.port(id).state({ at: '2026-01-31T12:00:00Z' });
   *
   * @throws ProblemError 404 where there is no such resource, 410 where it was deleted
   */
  async state(options: StateOptions = {}): Promise<StateAnswer<K>> {
    const { at, minPosition, signal } = options;
    const { value: state, headers } = await this.#transport.exchange<State<K>>({
      path: this.#path,
      query: { at, min_position: minPosition },
      signal,
    });
    return { state, revision: state.revision, position: headers.get('stackledger-position') ?? '' };
  }

  /**
   * Follows the state: as it is, and each time it changes. A lost connection is made again and goes on where it was. Ends
   * when the signal aborts.
   *
   * @example
   * for await (const { status } of client.port(id).watch({ signal: AbortSignal.timeout(60_000) })) {
   *   if (status === 'ACTIVE') break;
   * }
   *
   * @throws ProblemError 404 where there is no such resource, 410 where it is deleted
   */
  watch(options: FollowOptions = {}): AsyncGenerator<State<K>, void, undefined> {
    return new LiveRead<State<K>>(this.#transport, this.#silenceMs, this.#path).watch(options);
  }

  /**
   * What happened to the resource, event by event; works after its deletion too. Pages are fetched as they are needed.
   *
   * @example
   * for await (const { time, type, actor, statusChange } of client.port(id).history()) {
   *   console.log(time, type, actor?.id, statusChange?.to ?? '');
   * }
   */
  async *history(options: HistoryOptions = {}): AsyncGenerator<HistoryEntry, void, undefined> {
    let marker: number | undefined;
    for (;;) {
      const place = { limit: historyPageSize, ...(marker !== undefined && { marker }) };
      const page = await this.historyPage({ ...options, ...place });
      yield* page.events;
      if (page.next === null) return;
      marker = page.next;
    }
  }

  /**
   * One page of what happened to the resource.
   *
   * @example
   * const { events, lastRevision } = await client.port(id).historyPage({ order: 'desc', limit: 20 });
   */
  historyPage(options: HistoryPageOptions = {}): Promise<HistoryPage> {
    const { limit, marker, diff, order, minPosition, signal } = options;
    return this.#transport.json({
      path: `${this.#path}/history`,
      query: { limit, diff, order, marker, min_position: minPosition },
      signal,
    });
  }

  /**
   * The intervals it spent in its statuses, oldest first: its whole life in few lines, however many events there were.
   *
   * @example
   * for (const { status, since, until } of (await client.node(id).timeline()).items) console.log(status, since, until);
   */
  timeline(options: TimelineOptions = {}): Promise<TimelinePage> {
    const { from, to, limit, marker, minPosition, signal } = options;
    const query = { from, to, limit, marker, min_position: minPosition };
    return this.#transport.json({ path: `${this.#path}/timeline`, query, signal });
  }

  /**
   * Why it is as it is, or with `at` why it was so then: conditions across all it depends on, each with its owner, its
   * proof, and who can still clear it.
   *
   * @example
   * const { verdict, summary, causes } = await client.server(id).why();
   */
  why(options: StateOptions = {}): Promise<Why> {
    const { at, minPosition, signal } = options;
    return this.#transport.json({ path: `${this.#path}/why`, query: { at, min_position: minPosition }, signal });
  }

  get #path(): string {
    return `${paths[this.kind]}/${encodeURIComponent(this.id)}`;
  }
}
