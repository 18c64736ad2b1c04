import type { Lease } from './event-store.ts';

/** The lease of a process that has the ledger to itself. */
export const ownLease: Lease = {
  lost: new AbortController().signal,
  release: async () => {},
};
