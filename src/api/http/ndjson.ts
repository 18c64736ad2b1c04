/** A line of newline-delimited JSON, or word of one that was too long to be kept. */
export type Line = Buffer | 'too-long';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;

/** Cuts chunks of bytes into lines. Keeps at most one unfinished line, and of one that is too long nothing. */
export class LineSplitter {
  readonly #maxBytes: number;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #overlong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk. */
  *push(chunk: Buffer): Generator<Line, void, undefined> {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.#take();
    }
    this.#keep(chunk.subarray(start));
  }

  /** The last line, where it ends without a line break. */
  *end(): Generator<Line, void, undefined> {
    if (this.#restBytes > 0 || this.#overlong) yield this.#take();
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#restBytes += part.length;
    this.#overlong ||= this.#restBytes > this.#maxBytes;
    if (this.#overlong) this.#rest = [];
    else this.#rest.push(part);
  }

  #take(): Line {
    const line = this.#rest.length === 1 ? this.#rest[0]! : Buffer.concat(this.#rest);
    const overlong = this.#overlong;
    this.#rest = [];
    this.#restBytes = 0;
    this.#overlong = false;
    return overlong ? 'too-long' : line;
  }
}

/** Whether a line holds nothing; such lines are passed over. */
export function isBlank(line: Buffer): boolean {
  for (const byte of line) {
    if (byte !== space && byte !== tab && byte !== carriageReturn) return false;
  }
  return true;
}
