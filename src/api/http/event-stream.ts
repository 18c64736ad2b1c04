import type { ServerResponse } from 'node:http';

export interface EventStreamSettings {
  /** Silence after which a comment is sent. */
  readonly pingMs: number;
  /** How long a reader may leave its socket blocked. */
  readonly lagMs: number;
}

export interface EventStreamMessage {
  /** Where a reader goes on that has seen this message. */
  readonly id: string;
  readonly event: string;
  /** JSON text. */
  readonly data: string;
}

/** What is collected before it is written: many small messages make one packet. */
const batchCharacters = 64 * 1024;

/** How long a reader that was told that it lags has to take in what is on its way. */
const farewellMs = 5_000;

/**
 * An answer that goes on: server-sent events. Holds one batch and what the socket holds; a reader that does not drain
 * it in time is told where it stands and let go.
 */
export class EventStream {
  /** Aborts when nobody reads any more, or the stream was ended. */
  readonly closed: AbortSignal;
  readonly #out: ServerResponse;
  readonly #settings: EventStreamSettings;
  readonly #closing = new AbortController();
  readonly #ending: AbortController;
  readonly #ping: NodeJS.Timeout;
  #batch = '';
  #flushing = false;
  #lastId = '';

  /** @param ending ends the stream; aborts with it */
  constructor(out: ServerResponse, settings: EventStreamSettings, ending: AbortController) {
    this.#out = out;
    this.#settings = settings;
    this.closed = this.#closing.signal;
    out.writeHead(200, eventStreamHeaders);
    out.write('retry: 2000\n\n');
    this.#ping = setInterval(() => this.#sendPing(), settings.pingMs).unref();
    this.#ending = ending;
    ending.signal.addEventListener('abort', () => this.end(), { once: true });
    out.on('close', () => this.#close());
    if (ending.signal.aborted) this.end();
  }

  /** Sends a message; settles when the next one may be sent. */
  async send(message: EventStreamMessage): Promise<void> {
    if (this.#out.writableNeedDrain) await this.#drained();
    this.#batch += `id: ${message.id}\nevent: ${message.event}\n${dataLines(message.data)}\n\n`;
    this.#lastId = message.id;
    if (this.#batch.length >= batchCharacters) this.#flush();
    else if (!this.#flushing) {
      this.#flushing = true;
      setImmediate(() => this.#flush());
    }
  }

  /** Sends what is left and ends the answer. */
  end(): void {
    if (this.closed.aborted) return;
    this.#flush();
    this.#close();
    this.#out.end();
  }

  #flush(): void {
    this.#flushing = false;
    const batch = this.#batch;
    this.#batch = '';
    if (batch !== '' && !this.#out.destroyed && !this.#out.writableEnded) this.#out.write(batch);
  }

  /** Waits until the reader has taken in what it has got, or is let go. */
  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(patience);
        this.#out.off('drain', done);
        this.closed.removeEventListener('abort', done);
        resolve();
      };
      const patience = setTimeout(() => this.#letGo(), this.#settings.lagMs);
      this.#out.on('drain', done);
      this.closed.addEventListener('abort', done, { once: true });
    });
  }

  /** Ends the stream of a reader that stopped reading. If it wakes up in time, it learns where to go on. */
  #letGo(): void {
    const id = this.#lastId;
    this.#batch = `id: ${id}\nevent: lagging\ndata: ${JSON.stringify({ position: id })}\n\n`;
    this.end();
    const destroy = setTimeout(() => this.#out.destroy(), farewellMs).unref();
    this.#out.on('close', () => clearTimeout(destroy));
  }

  #sendPing(): void {
    if (!this.#out.writableNeedDrain) this.#out.write(': still here\n\n');
  }

  #close(): void {
    clearInterval(this.#ping);
    this.#closing.abort();
    this.#ending.abort();
  }
}

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Proxies that collect answers before passing them on would hold the events back.
  'x-accel-buffering': 'no',
} as const;

/** A line break inside a message would end it. */
const dataLines = (data: string): string =>
  `data: ${data.includes('\n') || data.includes('\r') ? data.replace(/\r\n|\r|\n/g, '\ndata: ') : data}`;
