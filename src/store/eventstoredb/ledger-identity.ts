import { randomUUID } from 'node:crypto';
import type { LedgerIdentity, LedgerInfo } from '../event-store.ts';
import type { OpenStoreOptions } from '../open-store.ts';
import { StoreError } from '../store-error.ts';
import type { Connection } from './connection.ts';
import type { KeptStreams } from './kept-streams.ts';
import { internalPrefix } from './wire-event.ts';

const ledgerStream = `${internalPrefix}ledger`;

export type IdentityOptions = Pick<OpenStoreOptions, 'clock' | 'now' | 'copyOf' | 'readOnly'>;

/** What the ledger in the database is known by; a new one is given its name by the first process that opens it. */
export async function identify(
  kept: KeptStreams,
  { address }: Connection,
  { copyOf, clock = copyOf?.clock, now = Date.now, readOnly = false }: IdentityOptions,
): Promise<LedgerInfo> {
  const unusable = (reason: string): StoreError => new StoreError({ code: 'unusable-ledger', path: address, reason });
  const fresh = copyOf ?? {
    ledgerId: randomUUID(),
    clock: clock ?? 'system',
    createdAt: new Date(now()).toISOString(),
  };
  const named = readOnly
    ? await kept.load<LedgerIdentity>(ledgerStream)
    : await kept.change<LedgerIdentity>(ledgerStream, 'LedgerCreated', (there) => (there ? null : fresh));
  if (!named.value) throw unusable('there is no ledger in it');
  const { ledgerId, createdAt, clock: kindOfClock } = named.value;
  const asked = clock ?? (readOnly ? kindOfClock : 'system');
  if (asked !== kindOfClock) throw unusable(`it was created under a ${kindOfClock} clock, and times must not be mixed`);
  return { ledgerId, createdAt, clock: kindOfClock, engine: 'eventstoredb' };
}
