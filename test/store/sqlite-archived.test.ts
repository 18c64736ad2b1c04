import { afterAll, beforeAll, describe } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { describeAppends } from '../contract/appends.contract.ts';
import { describeConcurrency } from '../contract/concurrency.contract.ts';
import { describeReads } from '../contract/reads.contract.ts';
import { describeReceipts } from '../contract/receipts.contract.ts';
import { describeRetries } from '../contract/retries.contract.ts';
import { describeSnapshots } from '../contract/snapshots.contract.ts';
import { describeSubscriptions } from '../contract/subscriptions.contract.ts';
import { openArchivedStore } from './archived-store.ts';
import { ledgerFolder } from './support.ts';

const ledgers = ledgerFolder();

/** One ledger for all stories: the further they come, the more is in the archive. */
describe('the contract, kept by an SQLite file of which a part is always being archived', () => {
  let ledger: EventStore;
  beforeAll(async () => {
    ledger = await openArchivedStore(ledgers.newPath());
  });
  afterAll(() => ledger.close());

  const open = async (): Promise<EventStore> =>
    new Proxy(ledger, {
      get: (target, name) => (name === 'close' ? async () => {} : Reflect.get(target, name, target)),
    });
  describeAppends(open);
  describeRetries(open);
  describeReads(open);
  describeSubscriptions(open, 20);
  describeReceipts(open, 300);
  describeSnapshots(open, 300);
  describeConcurrency(open, 20);
});
