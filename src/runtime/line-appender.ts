import { appendFile, type FileHandle, open } from 'node:fs/promises';

export interface LineAppenderOptions {
  /** Rights of a file that is made. */
  readonly mode: number;
  /** Whether a line is on the disk before it counts as written. */
  readonly flush: boolean;
  /** A line that broke off was found at the end, and is now a line of its own. */
  readonly onHalfLine: (path: string) => void;
}

const newline = 0x0a;
const pieceBytes = 64 * 1024;

/**
 * Adds lines to a file that others may read, copy or rename meanwhile. A full disk or a crash leaves half a line; what
 * comes next begins on a line of its own, so that no line is lost but the one that broke off.
 */
export class LineAppender {
  readonly #path: string;
  readonly #options: LineAppenderOptions;
  /** What has to stand before the next line; null where it is not known how the file ends. */
  #lead: '' | '\n' | null = null;

  private constructor(path: string, options: LineAppenderOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** @throws Error where the file cannot be written */
  static async open(path: string, options: LineAppenderOptions): Promise<LineAppender> {
    await appendFile(path, '', { mode: options.mode });
    return new LineAppender(path, options);
  }

  /** @param lines each with its line break. @throws Error where they may be in the file in part */
  async append(lines: string): Promise<void> {
    const { mode, flush, onHalfLine } = this.#options;
    const lead = this.#lead ?? (await leadFor(this.#path));
    this.#lead = null;
    await appendFile(this.#path, `${lead}${lines}`, { mode, flush });
    this.#lead = '';
    if (lead !== '') onHalfLine(this.#path);
  }
}

async function leadFor(path: string): Promise<'' | '\n'> {
  for await (const piece of piecesFromEnd(path, 1)) return piece[0] === newline ? '' : '\n';
  return '';
}

/** The lines of a file, the last first, half a line at its end among them; none where there is no file. */
export async function* linesFromEnd(path: string): AsyncGenerator<string, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of piecesFromEnd(path, pieceBytes)) {
    rest = Buffer.concat([piece, rest]);
    for (let end = rest.lastIndexOf(newline); end >= 0; end = rest.lastIndexOf(newline)) {
      yield rest.toString('utf8', end + 1);
      rest = rest.subarray(0, end);
    }
  }
  yield rest.toString();
}

async function* piecesFromEnd(path: string, bytes: number): AsyncGenerator<Buffer, void, undefined> {
  const file = await openIfThere(path);
  if (!file) return;
  try {
    for (let end = (await file.stat()).size; end > 0; end -= bytes) {
      const start = Math.max(end - bytes, 0);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
