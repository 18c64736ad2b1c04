import { describe } from 'vitest';
import { describeAppends } from './appends.contract.ts';
import { describeCheckpoints } from './checkpoints.contract.ts';
import { describeClosing } from './closing.contract.ts';
import { describeConcurrency } from './concurrency.contract.ts';
import { describeReads } from './reads.contract.ts';
import { describeReceipts } from './receipts.contract.ts';
import { describeRetries } from './retries.contract.ts';
import { describeSnapshots } from './snapshots.contract.ts';
import { describeSubscriptions } from './subscriptions.contract.ts';
import type { OpenEngine } from './support.ts';

/** What every engine of the `EventStore` port must do. Engines differ in what they are, not in how they behave. */
export function describeEventStore(name: string, open: OpenEngine): void {
  describe(`the contract, kept by ${name}`, () => {
    describeAppends(open);
    describeRetries(open);
    describeReads(open);
    describeSubscriptions(open);
    describeReceipts(open);
    describeSnapshots(open);
    describeCheckpoints(open);
    describeConcurrency(open);
    describeClosing(open);
  });
}
