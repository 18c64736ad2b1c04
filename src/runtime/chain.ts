import { hash } from 'node:crypto';

/** What the chain of a stream covers of each event: everything that is stored but its place in the ledger. */
export interface ChainedFields {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly v: number;
  readonly time: string;
  readonly dataText: string;
  /** JSON text of the metadata without its own `chain`. */
  readonly metadataText: string;
}

/** The chain before a stream's first event. */
export const chainStart = '';

/**
 * The event's link: a hash over the event and its predecessor's link. Whoever changes, removes or slips in an event
 * breaks every link after it. None of the fields can hold a line break, so no two events share one text.
 */
export const chainLink = (previous: string, event: ChainedFields): string =>
  hash(
    'sha256',
    `${previous}\n${event.stream}\n${event.revision}\n${event.id}\n${event.type}\n${event.v}\n${event.time}\n${event.dataText}\n${event.metadataText}`,
    'base64url',
  );

/** Metadata text with its chain, which always stands last. */
export const withChain = (metadataText: string, chain: string): string =>
  `${metadataText.slice(0, -1)}${metadataText === '{}' ? '' : ','}"chain":"${chain}"}`;

/** Takes a recorded event's metadata text apart again: what the chain covers, and the chain. Null where there is none. */
export function withoutChain(metadataText: string): { metadataText: string; chain: string } | null {
  const found = /^(.*?),?"chain":"([A-Za-z0-9_-]{43})"\}$/s.exec(metadataText);
  return found ? { metadataText: `${found[1]}}`, chain: found[2]! } : null;
}
