import type { EventSourceMessage } from 'eventsource-parser';
import type { EventPage, LedgerEvent } from './answers.ts';
import { ConnectionError } from './errors.ts';
import type { Kind } from './kinds.ts';
import { type FollowOptions, type Line, reconnecting } from './reconnect.ts';
import { parseEventStream } from './sse.ts';
import type { ApiRequest, Query, Transport } from './transport.ts';

export interface EventFilter {
  /** Only events after this position. Default: from the first one on. */
  readonly after?: string;
  /** Only events of this kind of resource, or of these. */
  readonly kind?: Kind | readonly Kind[];
  /** Only events of this type, or of these. */
  readonly type?: string | readonly string[];
  /** Only events of the resource with this id. */
  readonly id?: string;
  readonly signal?: AbortSignal;
}

export interface EventPageOptions extends EventFilter {
  /** At most so many events; 100 unless said otherwise, 1000 at most. */
  readonly limit?: number;
  /** Waits until the answer includes what was written there. */
  readonly minPosition?: string;
}

export interface SubscribeOptions extends EventFilter, FollowOptions {
  /** Called each time everything that is recorded has been given: from here on events come as they happen. */
  readonly onCaughtUp?: (position: string) => void;
}

export function eventPage(transport: Transport, options: EventPageOptions): Promise<EventPage> {
  const { limit, minPosition, signal } = options;
  const query = { ...filterQuery(options), limit, min_position: minPosition };
  return transport.json<EventPage>({ path: '/v1/events', query, signal });
}

/** Follows the ledger over as many connections as it takes; ends when the signal aborts. */
export const subscribe = (
  transport: Transport,
  silenceMs: number,
  options: SubscribeOptions,
): AsyncGenerator<LedgerEvent, void, undefined> =>
  reconnecting(transport, new Follower(transport, silenceMs, options), options);

/** A place in the ledger, and the way to go on from there. */
class Follower implements Line<LedgerEvent> {
  readonly #transport: Transport;
  readonly #silenceMs: number;
  readonly #options: SubscribeOptions;
  #position: string | undefined;
  wasConnected = false;

  constructor(transport: Transport, silenceMs: number, options: SubscribeOptions) {
    this.#transport = transport;
    this.#silenceMs = silenceMs;
    this.#options = options;
    this.#position = options.after;
  }

  /** One connection, until the server ends it: events that were not seen before, and null for other signs of life. */
  async *connection(): AsyncGenerator<LedgerEvent | null, void, undefined> {
    const body = await this.#transport.stream(this.#request());
    this.wasConnected = true;
    for await (const message of parseEventStream(body, this.#silenceMs)) {
      yield control[message.event ?? ''] ? this.#control(message) : this.#event(message);
    }
  }

  /** The stream of a server that stops ends, and so does that of a reader who was too slow for it. */
  ended(): ConnectionError {
    const url = this.#transport.url(this.#request());
    return new ConnectionError(url, `The server ended the stream of ${url}.`, { transient: true });
  }

  #request(): ApiRequest {
    return {
      path: '/v1/events',
      query: { ...filterQuery(this.#options), after: this.#position },
      headers: { accept: 'text/event-stream' },
      signal: this.#options.signal,
    };
  }

  /** Word of the stream itself: that all was given, or that this reader was too slow. Both say how far it is. */
  #control({ event, id }: EventSourceMessage): null {
    if (id === undefined) return null;
    if (this.#isNew(id)) this.#position = id;
    if (event === 'caught-up') this.#options.onCaughtUp?.(id);
    return null;
  }

  #event({ id, data }: EventSourceMessage): LedgerEvent | null {
    if (id === undefined || !this.#isNew(id)) return null;
    this.#position = id;
    return JSON.parse(data) as LedgerEvent;
  }

  /** Positions have one width, so they compare as text. */
  #isNew(position: string): boolean {
    return this.#position === undefined || position > this.#position;
  }
}

const control: Readonly<Record<string, true>> = { 'caught-up': true, lagging: true };

const filterQuery = ({ after, kind, type, id }: EventFilter): Query => ({ after, kind, type, id });
