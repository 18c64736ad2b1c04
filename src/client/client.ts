import type { Proof } from '../domain/why/explanation.ts';
import type { DoctorPage } from '../domain/why/findings.ts';
import type { EventPage, LedgerEvent, ResourceRef, Verdict } from './answers.ts';
import { type BulkCommand, type BulkOptions, executeAll } from './bulk.ts';
import { ProblemError } from './errors.ts';
import { type EventPageOptions, eventPage, type SubscribeOptions, subscribe } from './events.ts';
import { type Kind, paths } from './kinds.ts';
import { LiveRead, type ReadOptions } from './live-read.ts';
import type {
  BlockedFilter,
  BlockedPage,
  Graph,
  OperationPage,
  Overview,
  OverviewOptions,
  SearchPage,
} from './read-answers.ts';
import { type ListFilter, type ListPage, listParameters } from './reads.ts';
import { Resource } from './resource.ts';
import { defaultRetry, type RetryPolicy } from './retry.ts';
import { type Query, Transport } from './transport.ts';

export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:8642`. */
  readonly baseUrl: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** The name your commands are recorded under, on a server without tokens; with tokens, the token says who you are. */
  readonly actor?: string;
  /** Another `fetch` than the global one. */
  readonly fetch?: typeof globalThis.fetch;
  readonly retry?: Partial<RetryPolicy>;
  /** How long one try may take to its whole answer, or an answer to many commands to its next verdict. 30 s. */
  readonly timeoutMs?: number;
  /** Silence after which an event stream is taken for dead. The server gives a sign of life every 15 s; 45 s. */
  readonly silenceMs?: number;
}

export interface DoctorOptions {
  /** Only these. */
  readonly kind?: Kind;
  readonly signal?: AbortSignal;
}

/**
 * A client of one server.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:8642', token: process.env.STACKLEDGER_TOKEN });
 * const { state } = await client.port('6f3cf8a2-6ac4-4b43-9be5-b1ba3b4c9c1e').state();
 */
export function createClient(options: ClientOptions): Client {
  return new Client(options);
}

export class Client {
  readonly clock: LedgerClock;
  readonly #transport: Transport;
  readonly #silenceMs: number;

  constructor({ baseUrl, token, actor, fetch = globalThis.fetch, retry, timeoutMs, silenceMs }: ClientOptions) {
    this.#transport = new Transport({
      baseUrl,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(actor !== undefined && { 'x-actor': headerText(actor) }),
      },
      fetch: (input, init) => fetch(input, init), // browsers call it without `this`
      retry: { ...defaultRetry, ...retry },
      timeoutMs: timeoutMs ?? 30_000,
    });
    this.#silenceMs = silenceMs ?? 45_000;
    this.clock = new LedgerClock(this.#transport);
  }

  port(id: string): Resource<'port'> {
    return new Resource(this.#transport, this.#silenceMs, 'port', id);
  }

  server(id: string): Resource<'server'> {
    return new Resource(this.#transport, this.#silenceMs, 'server', id);
  }

  node(id: string): Resource<'node'> {
    return new Resource(this.#transport, this.#silenceMs, 'node', id);
  }

  /** @param id host and type, as in `compute-17:Open vSwitch agent` */
  agent(id: string): Resource<'agent'> {
    return new Resource(this.#transport, this.#silenceMs, 'agent', id);
  }

  network(id: string): Resource<'network'> {
    return new Resource(this.#transport, this.#silenceMs, 'network', id);
  }

  /**
   * A page of resources, found by what they are.
   *
   * @example
   * const { items, next } = await client.list('port', { status: 'BUILD', blockedBy: 'L2', limit: 20 }).get();
   */
  list<K extends Kind>(kind: K, filter: ListFilter = {}): LiveRead<ListPage<K>> {
    return this.#read(paths[kind], listParameters(filter));
  }

  /**
   * What is wrong now: counts, who has waited longest, what failed, rates.
   *
   * @example
   * for await (const { blocked } of client.overview().watch({ signal })) console.log(blocked.total, 'wait');
   */
  overview(options: OverviewOptions = {}): LiveRead<Overview> {
    return this.#read('/v1/overview', { ...options });
  }

  /** Who waits for whom, longest first. */
  blocked(filter: BlockedFilter = {}): LiveRead<BlockedPage> {
    return this.#read('/v1/blocked', { ...filter });
  }

  /** Resources whose id or name begins with a text. */
  search(text: string, options: { readonly kind?: Kind; readonly limit?: number } = {}): LiveRead<SearchPage> {
    return this.#read('/v1/search', { q: text, ...options });
  }

  /** A resource with what it depends on and what depends on it. */
  graph(
    { kind, id }: ResourceRef,
    options: { readonly depth?: number; readonly limit?: number } = {},
  ): LiveRead<Graph> {
    return this.#read(`/v1/graph/${kind}/${encodeURIComponent(id)}`, { ...options });
  }

  /**
   * What one request caused, on whatever resource: a page of its events.
   *
   * @example
   * const { cause } = (await client.server(id).historyPage({ limit: 1 })).events[0]!;
   * const { events } = await client.operation(cause.correlationId!);
   */
  operation(
    correlationId: string,
    { limit, marker, minPosition, signal }: ReadOptions & { readonly limit?: number; readonly marker?: string } = {},
  ): Promise<OperationPage> {
    const path = `/v1/operations/${encodeURIComponent(correlationId)}`;
    return this.#transport.json({ path, query: { limit, marker, min_position: minPosition }, signal });
  }

  #read<T>(path: string, query: Query): LiveRead<T> {
    return new LiveRead(this.#transport, this.#silenceMs, path, query);
  }

  /**
   * What would bite later, found by looking through everything that lives: page by page, each asked for when it is wanted.
   *
   * @example
   * for await (const { findings } of client.doctor()) {
   *   for (const { kind, resource, summary } of findings) console.log(kind, resource.id, summary);
   * }
   */
  async *doctor(options: DoctorOptions = {}): AsyncGenerator<DoctorPage<Proof>, void, undefined> {
    const { kind, signal } = options;
    for (let marker: string | null | undefined; marker !== null; ) {
      const query = { kind, marker };
      const page: DoctorPage<Proof> = await this.#transport.json({ path: '/v1/doctor', query, signal });
      yield page;
      marker = page.next;
    }
  }

  /**
   * Gives many commands over few requests, and their verdicts as they come, in the order of the commands. Commands on one
   * resource are carried out in their order; one that is refused does not hold up the others. A broken line or an
   * overloaded server is met as with single commands: what got no verdict is sent again under its key.
   *
   * @example
   * const commands = ports.map((id) => ({ kind: 'port', id, type: 'DeletePort', data: {} }) as const);
   * for await (const verdict of client.commands(commands)) {
   *   if (!verdict.done) console.error(verdict.resource.id, verdict.problem.detail);
   * }
   */
  commands(
    commands: AsyncIterable<BulkCommand> | Iterable<BulkCommand>,
    options: BulkOptions = {},
  ): AsyncGenerator<Verdict, void, undefined> {
    return executeAll(this.#transport, commands, options);
  }

  /**
   * Follows the ledger: every event after a position, each once and in order, first those that are recorded and then
   * those that come. A lost connection is made again and goes on where it was. Ends when the signal aborts.
   *
   * @example
   * for await (const event of client.events({ after: lastSeen, kind: 'port', signal })) {
   *   console.log(event.time, event.type, event.resource?.id);
   *   lastSeen = event.position; // keep it, and a restart of yours loses nothing either
   * }
   */
  events(options: SubscribeOptions = {}): AsyncGenerator<LedgerEvent, void, undefined> {
    return subscribe(this.#transport, this.#silenceMs, options);
  }

  /**
   * One page of events.
   *
   * @example
   * const { events, next } = await client.eventPage({ after: lastSeen, limit: 500 });
   */
  eventPage(options: EventPageOptions = {}): Promise<EventPage> {
    return eventPage(this.#transport, options);
  }

  /**
   * Position of the ledger's last event: where to begin if only what is new matters.
   *
   * @example
   * const after = await client.position();
   * for await (const event of client.events({ after })) console.log(event.type);
   */
  async position(): Promise<string> {
    // A page says how far the ledger was looked through, also where, as for a resource that cannot be, nothing was found.
    const { next } = await this.eventPage({ kind: 'port', id: '-', limit: 1 });
    return next;
  }

  /**
   * Whether the server takes requests, and if not, why.
   *
   * @example
   * const { ready, reasons } = await client.health();
   *
   * @throws ConnectionError where nobody answers
   */
  async health(): Promise<Health> {
    try {
      await this.#transport.once({ path: '/readyz' });
      return { ready: true, reasons: [] };
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status !== 503) throw error;
      return { ready: false, reasons: (error.problem.reasons as string[] | undefined) ?? [error.message] };
    }
  }
}

export interface Health {
  readonly ready: boolean;
  /** Why the server should not be sent requests. */
  readonly reasons: readonly string[];
}

/** The ledger's time. It moves when it is told to on a server that was started with `STACKLEDGER_CLOCK=manual`. */
class LedgerClock {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What time it is, and whether it stands still until somebody moves it. */
  read({ signal }: { readonly signal?: AbortSignal } = {}): Promise<{ now: string; clock: 'system' | 'manual' }> {
    return this.#transport.json({ path: '/v1/clock', signal });
  }

  /**
   * Lets time pass; settles when everything that was due in between has happened. Never repeated by itself: time would
   * pass twice.
   *
   * @example
   * const { now } = await client.clock.advance('PT75S');
   *
   * @param duration ISO 8601
   */
  async advance(duration: string): Promise<{ now: string }> {
    const { value } = await this.#transport.once<{ now: string }>({
      path: '/v1/clock',
      body: JSON.stringify({ advance: duration }),
      headers: { 'content-type': 'application/json' },
    });
    return value;
  }
}

/** Headers carry bytes; the server reads these as UTF-8. */
const headerText = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));
