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

  /** The next piece of text; null at the end. @throws ConnectionError where the line breaks, or is silent for too long */
  async read(silenceMs: number): Promise<string | null> {
    try {
      const { value, done } = await this.#orSilence(this.#reader.read(), silenceMs);
      return done ? null : this.#decoder.decode(value, { stream: true });
    } catch (cause) {
      this.#limit.signal.throwIfAborted();
      if (cause instanceof ConnectionError) throw cause;
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

  async #orSilence<T>(reading: Promise<T>, silenceMs: number): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<never>((_, reject) => {
      const message = `${this.url} has been silent for ${silenceMs} ms.`;
      timer = setTimeout(() => reject(new ConnectionError(this.url, message, { transient: true })), silenceMs);
    });
    try {
      return await Promise.race([reading, silence]);
    } finally {
      clearTimeout(timer);
    }
  }
}
