import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { FormatError } from './format.ts';

const newline = 0x0a;
const chunkCharacters = 256 * 1024;

/** Writes lines, with a running hash over all that was written. */
export class LineWriter {
  readonly #out: Writable;
  readonly #hash = createHash('sha256');
  #pending = '';

  constructor(out: Writable) {
    this.#out = out;
  }

  async write(line: string): Promise<void> {
    this.#pending += `${line}\n`;
    if (this.#pending.length >= chunkCharacters) await this.flush();
  }

  /** Hash over all lines before. */
  async digest(): Promise<string> {
    await this.flush();
    return this.#hash.copy().digest('hex');
  }

  async flush(): Promise<void> {
    const chunk = Buffer.from(this.#pending);
    this.#pending = '';
    this.#hash.update(chunk);
    if (!this.#out.write(chunk)) await once(this.#out, 'drain');
  }
}

/** Reads lines, with a running hash. */
export class LineReader {
  readonly #input: Readable;
  readonly #hash = createHash('sha256');
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;
  /** Number of the line given last, from 1. */
  line = 0;
  /** Bytes that came in so far. */
  bytes = 0;

  constructor(input: Readable) {
    this.#input = input;
  }

  /** The lines, without their line breaks. A last line that lacks its own was cut off, and is an error. */
  async *lines(): AsyncGenerator<string, void, undefined> {
    for await (const chunk of this.#input as AsyncIterable<Buffer>) {
      this.#take(chunk);
      for (let end = this.#buffer.indexOf(newline); end >= 0; end = this.#buffer.indexOf(newline, this.#start)) {
        this.line++;
        yield this.#buffer.toString('utf8', this.#start, end);
        this.#start = end + 1;
      }
    }
    if (this.#start < this.#buffer.length) throw new FormatError(this.line + 1, 'is cut off');
  }

  /** Hash over all lines before the one given last. */
  digestBefore(): string {
    return this.#hash.copy().update(this.#buffer.subarray(0, this.#start)).digest('hex');
  }

  /** Lets go of the lines that were given, and keeps the beginning of the next. */
  #take(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#hash.update(this.#buffer.subarray(0, this.#start));
    const rest = this.#buffer.subarray(this.#start);
    this.#buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#start = 0;
  }
}
