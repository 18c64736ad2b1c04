import type { KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type EventStore, type RecordedEvent, startPosition } from '../../store/event-store.ts';
import { withoutChain } from '../chain.ts';
import { type Clock, timestamp } from '../clock.ts';
import { LineAppender, linesFromEnd } from '../line-appender.ts';
import {
  type Anchor,
  type AnchoredHead,
  anchorLine,
  digestStart,
  digestWith,
  isHalfAnchor,
  lineHash,
  parseAnchor,
} from './anchor.ts';

export interface AnchorKeeperOptions {
  readonly store: EventStore;
  /** Lines are appended to it, an anchor each. */
  readonly path: string;
  /** Private Ed25519 key. */
  readonly key: KeyObject;
  /** An anchor is made so long after the one before, if anything was recorded since. */
  readonly everyMs: number;
  readonly clock: Clock;
  /** Aborts where another process writes the file from now on. */
  readonly lost?: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  /** An anchor that broke off was found at the end of the file; it stays there as a line of its own. */
  readonly onHalfLine: (path: string) => void;
}

/** More streams than these are not left to one line: it stays a line that can be read. */
const maxHeads = 10_000;

/** The anchors speak of another ledger, or of more events than this one has. */
export class AnchorsRefused extends Error {
  override readonly name = 'AnchorsRefused';
}

/** Follows a ledger and keeps its anchors. */
export class AnchorKeeper {
  readonly #options: AnchorKeeperOptions;
  readonly #stopping = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #file: LineAppender | null = null;
  #position = startPosition;
  #digest = digestStart;
  /** Hash of the last line; null where it is not known whether one is in the file. */
  #previous: string | null = '';
  #heads = new Map<string, AnchoredHead>();
  #writing: Promise<void> = Promise.resolve();

  constructor(options: AnchorKeeperOptions) {
    this.#options = options;
  }

  /** Goes on where the file ends. @throws AnchorsRefused where the ledger is not the one that was anchored */
  async start(): Promise<void> {
    const { store, path, everyMs, onHalfLine } = this.#options;
    const last = await lastAnchorLine(path);
    if (last !== null) this.#resume(last, store.info.ledgerId, await store.head());
    this.#file = await LineAppender.open(path, { mode: 0o666, flush: true, onHalfLine });
    this.#following = this.#follow();
    this.#timer = setInterval(() => this.#anchorSoon(), everyMs);
  }

  /** Leaves a last anchor. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#following;
    this.#anchorSoon();
    await this.#writing;
  }

  #resume(line: string, ledgerId: string, head: string): void {
    const { path } = this.#options;
    const anchor = parseLine(path, line);
    if (anchor.ledgerId !== ledgerId) {
      throw new AnchorsRefused(`${path} holds the anchors of the ledger ${anchor.ledgerId}; this one is ${ledgerId}.`);
    }
    if (anchor.position > head) {
      throw new AnchorsRefused(
        `The ledger ends at ${head}, but on ${anchor.time} it went to ${anchor.position}: its end was cut off. ` +
          `\`stackledger verify --anchors ${path}\` says what is missing.`,
      );
    }
    this.#position = anchor.position;
    this.#digest = anchor.digest;
    this.#previous = lineHash(line);
  }

  async #follow(): Promise<void> {
    const { store, onFailure } = this.#options;
    const { signal } = this.#stopping;
    try {
      for await (const message of store.subscribe({ after: this.#position, signal })) {
        if (message.kind !== 'event') continue;
        this.#cover(message.event);
        if (this.#heads.size >= maxHeads) {
          this.#anchorSoon();
          await this.#writing;
        }
      }
    } catch (error) {
      if (!signal.aborted) onFailure(error);
    }
  }

  #cover({ stream, revision, position, metadataText }: RecordedEvent): void {
    const chain = withoutChain(metadataText)?.chain ?? '';
    this.#digest = digestWith(this.#digest, { position, stream, revision, chain });
    this.#position = position;
    this.#heads.set(stream, [revision, chain]);
  }

  /** One anchor after the other; what could not be written stays to be covered by the next. */
  #anchorSoon(): void {
    this.#writing = this.#writing.then(() => this.#anchor()).catch((error) => this.#options.onFailure(error));
  }

  async #anchor(): Promise<void> {
    if (this.#heads.size === 0 || !this.#file || this.#options.lost?.aborted) return;
    const { store, key, clock, path } = this.#options;
    const previous = this.#previous ?? hashOf(await lastAnchorLine(path));
    const heads = this.#heads;
    const anchor: Anchor = {
      ledgerId: store.info.ledgerId,
      position: this.#position,
      time: timestamp(clock.now()),
      digest: this.#digest,
      heads: Object.fromEntries(heads),
      previous,
    };
    const line = anchorLine(anchor, key);
    this.#heads = new Map();
    this.#previous = null;
    try {
      await this.#file.append(`${line}\n`);
      this.#previous = lineHash(line);
    } catch (error) {
      this.#heads = new Map([...heads, ...this.#heads]);
      throw error;
    }
  }
}

function parseLine(path: string, line: string): Anchor {
  try {
    return parseAnchor(line);
  } catch (error) {
    throw new AnchorsRefused(`The last line of ${path} is no anchor: ${(error as Error).message}`);
  }
}

/** The lines of an anchors file, one after the other; none where there is no file. */
export async function* anchorLines(path: string): AsyncGenerator<string, void, undefined> {
  const input = createReadStream(path);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) if (line !== '') yield line;
}

/** The last line that did not break off; null where there is none. Only the end of the file is read. */
async function lastAnchorLine(path: string): Promise<string | null> {
  for await (const line of linesFromEnd(path)) if (line !== '' && !isHalfAnchor(line)) return line;
  return null;
}

const hashOf = (line: string | null): string => (line === null ? '' : lineHash(line));
