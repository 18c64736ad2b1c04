import type { JsonPatchOperation } from './answers.ts';
import { ConnectionError } from './errors.ts';
import { applyPatch } from './json-patch.ts';
import { type FollowOptions, type Line, reconnecting } from './reconnect.ts';
import { parseEventStream } from './sse.ts';
import type { ApiRequest, Query, Transport } from './transport.ts';

export interface ReadOptions {
  /** Waits until the answer includes what was written there: read your own writes. */
  readonly minPosition?: string;
  readonly signal?: AbortSignal;
}

/** A question about the ledger: asked once, or followed as its answer changes. */
export class LiveRead<T> {
  readonly #transport: Transport;
  readonly #silenceMs: number;
  readonly #path: string;
  readonly #query: Query;

  constructor(transport: Transport, silenceMs: number, path: string, query: Query = {}) {
    this.#transport = transport;
    this.#silenceMs = silenceMs;
    this.#path = path;
    this.#query = query;
  }

  /**
   * The answer as it is now.
   *
   * @example
   * const { items } = await client.list('port', { status: ['BUILD'] }).get();
   */
  get({ minPosition, signal }: ReadOptions = {}): Promise<T> {
    return this.#transport.json({ path: this.#path, query: { ...this.#query, min_position: minPosition }, signal });
  }

  /**
   * The answer as it is now, and again each time it has changed. What did not change in it is the same object as before.
   * A lost connection is made again and goes on where it was. Ends when the signal aborts.
   *
   * @example
   * for await (const { items } of client.list('port', { status: ['ERROR'] }).watch({ signal })) show(items);
   */
  watch(options: FollowOptions = {}): AsyncGenerator<T, void, undefined> {
    const request: ApiRequest = {
      path: this.#path,
      query: this.#query,
      headers: { accept: 'text/event-stream' },
      signal: options.signal,
    };
    return reconnecting(this.#transport, new DocumentLine<T>(this.#transport, this.#silenceMs, request), options);
  }
}

/** A document that comes as a whole first, and then in patches, and the way to go on from where it was. */
class DocumentLine<T> implements Line<T> {
  readonly #transport: Transport;
  readonly #silenceMs: number;
  readonly #request: ApiRequest;
  #document: unknown = null;
  #position: string | undefined;
  wasConnected = false;

  constructor(transport: Transport, silenceMs: number, request: ApiRequest) {
    this.#transport = transport;
    this.#silenceMs = silenceMs;
    this.#request = request;
  }

  async *connection(): AsyncGenerator<T | null, void, undefined> {
    const seen = this.#position !== undefined && { 'last-event-id': this.#position };
    const headers = { ...this.#request.headers, ...seen };
    const body = await this.#transport.stream({ ...this.#request, headers });
    this.wasConnected = true;
    for await (const { id, event, data } of parseEventStream(body, this.#silenceMs)) {
      const isDocument = event === 'snapshot' || event === 'patch';
      if (event === 'snapshot') this.#document = JSON.parse(data);
      if (event === 'patch') this.#document = applyPatch(this.#document, JSON.parse(data) as JsonPatchOperation[]);
      if (isDocument) this.#position = id;
      yield isDocument ? (this.#document as T) : null;
    }
  }

  ended(): ConnectionError {
    const url = this.#transport.url(this.#request);
    return new ConnectionError(url, `The server ended the stream of ${url}.`, { transient: true });
  }
}
