import type { LedgerIdentity, LedgerInfo } from './event-store.ts';

/** What can be said of a ledger when it is opened, whatever its engine. */
export interface OpenStoreOptions {
  /** The clock a new ledger is created under, and the one an existing ledger must have been created under. */
  readonly clock?: LedgerInfo['clock'];
  /** Milliseconds since the epoch; stamps a new ledger, and the lock of one in a file. */
  readonly now?: () => number;
  /** A new ledger is a copy of this one, and takes over what it is known by. */
  readonly copyOf?: LedgerIdentity;
  /** Takes no lock and refuses to append; sees what a server that writes the same ledger commits. */
  readonly readOnly?: boolean;
  /** Where the archive of a ledger in a file is, if not where it was last; and where a new one is made. */
  readonly archiveFile?: string;
  /** Whether a ledger in a file gets an archive where it has none, so that it can be archived while it is open. */
  readonly archives?: boolean;
}
