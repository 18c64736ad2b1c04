import { chainLink, chainStart, withoutChain } from '../../runtime/chain.ts';
import type { RecordedEvent } from '../../store/event-store.ts';
import { finding, type Report } from './finding.ts';

/** All that must be kept of a stream to check its next event. */
interface Tail {
  revision: number;
  time: string;
  chain: string;
}

/** Follows every stream of a ledger at once: revisions without holes, times that do not go back, links that hold. */
export class StreamCheck {
  readonly #report: Report;
  readonly #tails = new Map<string, Tail>();

  constructor(report: Report) {
    this.#report = report;
  }

  get streams(): number {
    return this.#tails.size;
  }

  /** Revision of the last event seen of a stream; -1 where there was none. */
  revisionOf(stream: string): number {
    return this.#tails.get(stream)?.revision ?? -1;
  }

  event(event: RecordedEvent): void {
    const before = this.#tails.get(event.stream) ?? { revision: -1, time: '', chain: chainStart };
    const follows = this.#checkRevision(event, before.revision);
    this.#checkTime(event, before.time);
    const chain = this.#checkChain(event, follows ? before.chain : null);
    this.#tails.set(event.stream, {
      revision: Math.max(event.revision, before.revision),
      time: later(event.time, before.time),
      chain: event.revision < before.revision ? before.chain : chain,
    });
  }

  #checkRevision(event: RecordedEvent, last: number): boolean {
    const { revision } = event;
    if (revision === last + 1) return true;
    if (revision <= last) {
      this.#report(finding('revision-order', event, `Revision ${revision} stands after revision ${last}.`));
      return false;
    }
    const missing =
      last + 1 === revision - 1 ? `Revision ${last + 1} is` : `Revisions ${last + 1} to ${revision - 1} are`;
    this.#report(finding('revision-missing', event, `${missing} missing before revision ${revision}.`));
    return false;
  }

  #checkTime(event: RecordedEvent, last: string): void {
    if (event.time >= last) return;
    this.#report(finding('time-goes-back', event, `The event is of ${event.time}, its predecessor of ${last}.`));
  }

  /**
   * Goes on with the link that is recorded, not with the one computed: so one altered event is one finding, and does not
   * hide the next. The link of an event whose predecessor is missing cannot be judged.
   */
  #checkChain(event: RecordedEvent, previous: string | null): string {
    const apart = withoutChain(event.metadataText);
    if (!apart) {
      this.#report(
        finding('chain-missing', event, `The metadata do not end with a link: ${ending(event.metadataText)}`),
      );
      return unknownChain;
    }
    if (previous === null || previous === unknownChain) return apart.chain;
    const link = chainLink(previous, { ...fieldsOf(event), metadataText: apart.metadataText });
    // The computed link rather than the equal recorded one: that is a piece of the metadata, and would keep them in memory.
    if (link === apart.chain) return link;
    const detail = `The recorded link is ${apart.chain}; ${event.type} ${event.id} as it stands, after the link of revision ${event.revision - 1}, gives ${link}.`;
    this.#report(finding('chain-broken', event, detail));
    return apart.chain;
  }
}

/** The link of an event that has none: whatever follows it cannot be judged by it. */
const unknownChain = '?';

const fieldsOf = ({ id, stream, revision, type, v, time, dataText }: RecordedEvent) => ({
  id,
  stream,
  revision,
  type,
  v,
  time,
  dataText,
});

const later = (a: string, b: string): string => (a > b ? a : b);

const ending = (text: string): string => (text.length > 60 ? `…${text.slice(-60)}` : text);
