import { withoutPassword } from '../without-password.ts';

/** What can go wrong in a store: a closed set, each with its data. No engine's own error passes through. */
export type StoreFault =
  | {
      readonly code: 'wrong-expected-revision';
      readonly stream: string;
      readonly expected: number;
      readonly actual: number;
    }
  /** `eventId` may also be the id of a receipt's command that the stream has a receipt of. */
  | { readonly code: 'duplicate-event-id'; readonly stream: string; readonly eventId: string }
  | { readonly code: 'append-too-large'; readonly stream: string; readonly bytes: number; readonly limit: number }
  | { readonly code: 'invalid-append'; readonly stream: string; readonly reason: string }
  | { readonly code: 'not-writable'; readonly reason: string }
  /** The ledger is elsewhere and does not answer. Nothing is known of what it holds now. */
  | { readonly code: 'unreachable'; readonly reason: string }
  | { readonly code: 'ledger-locked'; readonly path: string; readonly holder: string }
  | { readonly code: 'unusable-ledger'; readonly path: string; readonly reason: string }
  | { readonly code: 'closed' };

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;

  constructor(fault: StoreFault, cause?: unknown) {
    super(sentences[fault.code](fault as never), cause === undefined ? undefined : { cause });
    this.fault = fault;
  }
}

/** A ledger that is there and of no use as it is. `path` may be the URL of a cluster: no password of it is told. */
export const unusable = (path: string, reason: string, cause?: unknown): StoreError =>
  new StoreError({ code: 'unusable-ledger', path: withoutPassword(path), reason }, cause);

/** Whether an error is a store's, with this code. */
export const isStoreError = <C extends StoreFault['code']>(
  error: unknown,
  code: C,
): error is StoreError & { fault: Extract<StoreFault, { code: C }> } =>
  error instanceof StoreError && error.fault.code === code;

const sentences: { [C in StoreFault['code']]: (fault: Extract<StoreFault, { code: C }>) => string } = {
  'wrong-expected-revision': ({ stream, expected, actual }) =>
    `${stream} is at revision ${actual}, not at ${expected} as the append expected.`,
  'duplicate-event-id': ({ stream, eventId }) => `${stream} already holds an event with the id ${eventId}.`,
  'append-too-large': ({ stream, bytes, limit }) =>
    `The append to ${stream} has ${bytes} bytes; at most ${limit} are stored in one.`,
  'invalid-append': ({ stream, reason }) => `The append to ${stream} is not valid: ${reason}.`,
  'not-writable': ({ reason }) => `The ledger cannot be written: ${reason}.`,
  unreachable: ({ reason }) => `The ledger cannot be reached: ${reason}.`,
  'ledger-locked': ({ path, holder }) =>
    `The ledger ${path} is in use by ${holder}. One process writes a ledger; stop that one first, or give this one another file.`,
  'unusable-ledger': ({ path, reason }) => `The ledger ${path} cannot be used: ${reason}.`,
  closed: () => 'The store is closed.',
};
