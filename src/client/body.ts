import { ConnectionError } from './errors.ts';

/** An answer that is read as it comes. */
export class Body {
  readonly url: string;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  readonly #decoder = new TextDecoder();

  constructor(url: string, stream: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
    this.url = url;
    this.#reader = stream.getReader();
    this.#signal = signal;
  }

  /** The next piece of text; null at the end. @throws ConnectionError where the line breaks */
  async read(): Promise<string | null> {
    try {
      const { value, done } = await this.#reader.read();
      return done ? null : this.#decoder.decode(value, { stream: true });
    } catch (cause) {
      this.#signal?.throwIfAborted();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ConnectionError(this.url, `The answer of ${this.url} broke off: ${reason}.`, {
        transient: true,
        cause,
      });
    }
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}
