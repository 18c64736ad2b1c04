import { ConnectionError } from './errors.ts';
import type { TimeLimit } from './time-limit.ts';

/** An answer that is read as it comes. */
export class Body {
  readonly url: string;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #limit: TimeLimit;
  readonly #decoder = new TextDecoder();

  /** @param limit goes on to hold while the body is read */
  constructor(url: string, stream: ReadableStream<Uint8Array>, limit: TimeLimit) {
    this.url = url;
    this.#reader = stream.getReader();
    this.#limit = limit;
  }

  /** The next piece of text; null at the end. @throws ConnectionError where the line breaks */
  async read(): Promise<string | null> {
    try {
      const { value, done } = await this.#reader.read();
      return done ? null : this.#decoder.decode(value, { stream: true });
    } catch (cause) {
      this.#limit.signal.throwIfAborted();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ConnectionError(this.url, `The answer of ${this.url} broke off: ${reason}.`, {
        transient: true,
        cause,
      });
    }
  }

  /** Must be called by whoever stops reading, at the end too. */
  async cancel(): Promise<void> {
    this.#limit.release();
    await this.#reader.cancel().catch(() => {});
  }
}
