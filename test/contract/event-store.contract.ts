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

export interface ContractOptions {
  /** How much each of many writers does: less where an append is a call to another process. */
  readonly appendsPerWriter?: number;
  /** How many receipts and snapshots there are where there are many. */
  readonly many?: number;
}

/** What every engine of the `EventStore` port must do. Engines differ in what they are, not in how they behave. */
export function describeEventStore(
  name: string,
  open: OpenEngine,
  { appendsPerWriter = 200, many = 300 }: ContractOptions = {},
): void {
  describe(`the contract, kept by ${name}`, () => {
    describeAppends(open);
    describeRetries(open);
    describeReads(open);
    describeSubscriptions(open, appendsPerWriter);
    describeReceipts(open, many);
    describeSnapshots(open, many);
    describeCheckpoints(open);
    describeConcurrency(open, appendsPerWriter);
    describeClosing(open);
  });
}
