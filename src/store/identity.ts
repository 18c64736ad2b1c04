import { randomUUID } from 'node:crypto';
import type { LedgerIdentity } from './event-store.ts';
import type { OpenStoreOptions } from './open-options.ts';
import { unusable } from './store-error.ts';

export type IdentityOptions = Pick<OpenStoreOptions, 'clock' | 'now' | 'copyOf' | 'readOnly'>;

/** What a new ledger is known by: a copy by the same as what it is copied from. */
export const newIdentity = ({ copyOf, clock = 'system', now = Date.now }: IdentityOptions): LedgerIdentity =>
  copyOf ?? { ledgerId: randomUUID(), clock, createdAt: new Date(now()).toISOString() };

/**
 * Simulated time must never reach a real ledger, nor real time a simulated one: their events would have times that no
 * later reader can make sense of. Whoever only reads need not say which it is.
 *
 * @throws StoreError unusable-ledger
 */
export function requireClock(
  path: string,
  found: LedgerIdentity,
  { copyOf, clock = copyOf?.clock, readOnly = false }: IdentityOptions,
): void {
  const asked = clock ?? (readOnly ? found.clock : 'system');
  if (asked === found.clock) return;
  const reason =
    asked === 'manual'
      ? 'it was created under the real clock, and a manual clock is only for a new ledger or one created so'
      : 'it was created under a manual clock, and its simulated times must not be mixed with real ones';
  throw unusable(path, reason);
}
