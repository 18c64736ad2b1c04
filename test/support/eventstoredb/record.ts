/** An event as a client proposes it. */
export interface Proposal {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** An event in the log. Its position is the byte at which it begins, so there are gaps between positions. */
export interface Record extends Proposal {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  /** Milliseconds since the epoch, by the server's clock. */
  readonly created: number;
}

export type Expectation = 'any' | 'no-stream' | 'stream-exists' | bigint;

export type AppendOutcome =
  | { readonly kind: 'written'; readonly revision: bigint; readonly position: bigint }
  | { readonly kind: 'wrong-expected-version'; readonly current: bigint }
  | { readonly kind: 'stream-deleted' };

/** Revision of the event that ends a stream for good. */
export const tombstoneRevision = 2n ** 63n - 1n;

export const sizeOf = (proposal: Proposal): number =>
  proposal.data.length + proposal.metadata.length + 2 * proposal.type.length;

/** What is in front of and behind an event's own bytes in the server's log. */
export const framing = 96;
