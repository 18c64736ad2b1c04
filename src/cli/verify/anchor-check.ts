import type { KeyObject } from 'node:crypto';
import {
  type Anchor,
  type AnchoredHead,
  digestStart,
  digestWith,
  isHalfAnchor,
  isSignedBy,
  lineHash,
  parseAnchor,
} from '../../runtime/anchors/anchor.ts';
import { withoutChain } from '../../runtime/chain.ts';
import { type RecordedEvent, startPosition } from '../../store/event-store.ts';
import { finding, type Report } from './finding.ts';

/**
 * Holds a ledger against anchors that were made of it, in one pass beside the other checks: each anchor is compared
 * when the ledger has come to its position.
 */
export class AnchorCheck {
  readonly #lines: AsyncIterator<string>;
  readonly #key: KeyObject;
  readonly #ledgerId: string;
  readonly #report: Report;
  readonly #heads = new Map<string, AnchoredHead>();
  /** The revision of each stream that an anchor has confirmed. */
  readonly #confirmed = new Map<string, number>();
  #next: Anchor | null = null;
  #line = 0;
  #previous = '';
  #digest = digestStart;
  /** Position of the last anchor that fitted. */
  #fitted = startPosition;
  #digestFits = true;
  anchors = 0;
  /** Anchors that broke off when they were written, and count for nothing. */
  halves = 0;

  constructor(lines: AsyncIterable<string>, key: KeyObject, ledgerId: string, report: Report) {
    this.#lines = lines[Symbol.asyncIterator]();
    this.#key = key;
    this.#ledgerId = ledgerId;
    this.#report = report;
  }

  async begin(): Promise<void> {
    this.#next = await this.#read();
  }

  async event(event: RecordedEvent): Promise<void> {
    while (this.#next && this.#next.position < event.position) await this.#settle(this.#next);
    const { stream, revision, position } = event;
    const chain = withoutChain(event.metadataText)?.chain ?? '';
    this.#digest = digestWith(this.#digest, { position, stream, revision, chain });
    this.#heads.set(stream, [revision, chain]);
  }

  /** @param head where the ledger ends */
  async end(head: string): Promise<void> {
    while (this.#next) {
      if (this.#next.position > head) {
        const { time, position } = this.#next;
        const detail = `The ledger ends at ${head}; on ${time} it went to ${position}.`;
        this.#report(finding('anchor-ahead', { stream: '', revision: -1, position }, detail));
      }
      await this.#settle(this.#next);
    }
  }

  async #settle(anchor: Anchor): Promise<void> {
    this.anchors++;
    const wrongHeads = Object.entries(anchor.heads).filter(([stream, head]) => !this.#headFits(anchor, stream, head));
    const digestFits = anchor.digest === this.#digest;
    if (wrongHeads.length === 0 && !digestFits && this.#digestFits) {
      const detail = `Every stream ends as the anchor of ${anchor.time} says, but the events between ${this.#fitted} and ${anchor.position} are not the recorded ones, or not in their order.`;
      this.#report(finding('anchor-order', { stream: '', revision: -1, position: this.#fitted }, detail));
    }
    this.#digestFits = digestFits;
    if (digestFits) this.#fitted = anchor.position;
    this.#next = await this.#read();
  }

  #headFits({ time, position }: Anchor, stream: string, [revision, chain]: AnchoredHead): boolean {
    const [found, foundChain] = this.#heads.get(stream) ?? [-1, ''];
    if (found === revision && foundChain === chain) {
      this.#confirmed.set(stream, revision);
      return true;
    }
    const confirmed = this.#confirmed.get(stream) ?? -1;
    const [first, detail] =
      found < revision
        ? [found + 1, `On ${time} the stream ended with revision ${revision}; its last one is ${found}.`]
        : [
            Math.min(confirmed + 1, revision),
            `What follows revision ${confirmed} is not what it was on ${time}: revision ${revision} had the link ${chain}.`,
          ];
    this.#report(finding('anchor-differs', { stream, revision: first, position }, detail));
    return false;
  }

  /** The next anchor that counts; those that were tampered with are reported. */
  async #read(): Promise<Anchor | null> {
    for (let read = await this.#lines.next(); !read.done; read = await this.#lines.next()) {
      this.#line++;
      const line = read.value;
      if (isHalfAnchor(line)) {
        this.halves++;
        continue;
      }
      const fault = this.#faultOf(line);
      this.#previous = lineHash(line);
      if (fault === null) return parseAnchor(line);
      this.#report(finding('anchor-forged', { stream: '', revision: -1, position: '' }, `Line ${this.#line} ${fault}`));
    }
    return null;
  }

  #faultOf(line: string): string | null {
    if (!isSignedBy(line, this.#key)) return 'is not signed with this key.';
    const { ledgerId, previous } = parseAnchor(line);
    if (ledgerId !== this.#ledgerId) return `is of the ledger ${ledgerId}, not of ${this.#ledgerId}.`;
    return previous === this.#previous ? null : 'does not follow on the line before: a line was taken away or changed.';
  }
}
