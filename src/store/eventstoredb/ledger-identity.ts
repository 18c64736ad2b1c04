import type { LedgerIdentity, LedgerInfo } from '../event-store.ts';
import { type IdentityOptions, newIdentity, requireClock } from '../identity.ts';
import { unusable } from '../store-error.ts';
import type { Connection } from './connection.ts';
import type { KeptStreams } from './kept-streams.ts';
import { internalPrefix } from './wire-event.ts';

const ledgerStream = `${internalPrefix}ledger`;

/** What the ledger in the database is known by; a new one is given its name by the first process that opens it. */
export async function identify(
  kept: KeptStreams,
  { address }: Connection,
  options: IdentityOptions,
): Promise<LedgerInfo> {
  const fresh = newIdentity(options);
  const named = options.readOnly
    ? await kept.load<LedgerIdentity>(ledgerStream)
    : await kept.change<LedgerIdentity>(ledgerStream, 'LedgerCreated', (there) => (there ? null : fresh));
  if (!named.value) throw unusable(address, 'there is no ledger in it');
  requireClock(address, named.value, options);
  const { ledgerId, createdAt, clock } = named.value;
  return { ledgerId, createdAt, clock, engine: 'eventstoredb' };
}
