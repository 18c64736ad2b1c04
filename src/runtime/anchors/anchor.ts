import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';

/**
 * What a ledger was at one moment, signed and kept outside it. The hash chains inside a ledger show what was altered in
 * the middle of a stream; that the end of one was cut off, or a stream written anew from some event on, only somebody
 * who remembers the end can tell.
 */
export interface Anchor {
  readonly ledgerId: string;
  /** Everything up to here is covered. */
  readonly position: string;
  /** When it was made: RFC 3339. */
  readonly time: string;
  /** Over all events up to the position, in the order of the ledger: see `digestWith`. */
  readonly digest: string;
  /** The streams that have changed since the anchor before: the last event's revision and its link of the chain. */
  readonly heads: Readonly<Record<string, AnchoredHead>>;
  /** Hash of the line before; empty in the first. */
  readonly previous: string;
}

export type AnchoredHead = readonly [revision: number, chain: string];

const schema = z.strictObject({
  ledgerId: z.string(),
  position: z.string(),
  time: z.string(),
  digest: z.string(),
  heads: z.record(z.string(), z.tuple([z.int(), z.string()])),
  previous: z.string(),
  signature: z.string(),
});

/** The digest before a ledger's first event. */
export const digestStart = '';

/** The digest of a ledger that goes on with this event. */
export const digestWith = (
  digest: string,
  { position, stream, revision, chain }: { position: string; stream: string; revision: number; chain: string },
): string => hash('sha256', `${digest}\n${position}\n${stream}\n${revision}\n${chain}`, 'base64url');

/** What the next line calls this one by. */
export const lineHash = (line: string): string => hash('sha256', line, 'base64url');

/** The line of an anchors file: JSON, its signature (Ed25519, over the text without it) last. */
export function anchorLine(anchor: Anchor, key: KeyObject): string {
  const text = JSON.stringify(anchor);
  const signature = sign(null, Buffer.from(text), key).toString('base64url');
  return `${text.slice(0, -1)},"signature":"${signature}"}`;
}

/** Takes a line apart. @throws Error saying why it is no anchor */
export function parseAnchor(line: string): Anchor {
  const { signature: _, ...anchor } = schema.parse(JSON.parse(line));
  return anchor;
}

const beginning = '{"ledgerId":"';

/** Whether a line is the first part of an anchor: what a disk that was full, or a crash, has left of it. */
export function isHalfAnchor(line: string): boolean {
  if (!line.startsWith(beginning) && !beginning.startsWith(line)) return false;
  try {
    JSON.parse(line);
    return false;
  } catch {
    return true;
  }
}

/** Whether the holder of the key has signed the line. */
export function isSignedBy(line: string, key: KeyObject): boolean {
  const found = /^(.*),"signature":"([A-Za-z0-9_-]+)"\}$/s.exec(line);
  if (!found) return false;
  return verify(null, Buffer.from(`${found[1]}}`), publicOf(key), Buffer.from(found[2]!, 'base64url'));
}

const publicOf = (key: KeyObject): KeyObject => (key.type === 'private' ? createPublicKey(key) : key);
