import { rename, stat } from 'node:fs/promises';
import { LineAppender } from '../../runtime/line-appender.ts';

/** A file this large becomes the one before, whose end is then reached: two are kept. */
const maxFileBytes = 64 * 1_048_576;

/** Lines that wait for a slow disk hold so much at most; what comes beyond is dropped and counted, as what fails is. */
const maxWaitingCharacters = 1_048_576;

/** A file of JSON lines that grows to a bound, and holds up nobody who writes to it. */
export class AuditFile {
  readonly #path: string;
  readonly #file: LineAppender;
  readonly #onFailure: (error: unknown) => void;
  #bytes: number;
  #waiting = '';
  #dropped = 0;
  #writing: Promise<void> | null = null;

  private constructor(path: string, file: LineAppender, bytes: number, onFailure: (error: unknown) => void) {
    this.#path = path;
    this.#file = file;
    this.#bytes = bytes;
    this.#onFailure = onFailure;
  }

  /** @throws Error where the file cannot be written */
  static async open(
    path: string,
    onFailure: (error: unknown) => void,
    onHalfLine: (path: string) => void,
  ): Promise<AuditFile> {
    const file = await LineAppender.open(path, { mode: 0o600, flush: false, onHalfLine });
    return new AuditFile(path, file, (await stat(path)).size, onFailure);
  }

  write(entry: object): void {
    if (this.#waiting.length > maxWaitingCharacters) {
      this.#dropped += 1;
      return;
    }
    const line = { time: new Date().toISOString(), ...entry, ...(this.#dropped > 0 && { dropped: this.#dropped }) };
    this.#dropped = 0;
    this.#waiting += `${JSON.stringify(line)}\n`;
    this.#writing ??= this.#writeAll();
  }

  /** Settles when all that was written is in the file. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting !== '') {
      const text = this.#waiting;
      this.#waiting = '';
      await this.#append(text).catch((error) => {
        this.#dropped += text.split('\n').length - 1;
        this.#onFailure(error);
      });
    }
    this.#writing = null;
  }

  async #append(text: string): Promise<void> {
    if (this.#bytes >= maxFileBytes) {
      await rename(this.#path, `${this.#path}.1`);
      this.#bytes = 0;
    }
    await this.#file.append(text);
    this.#bytes += Buffer.byteLength(text);
  }
}
