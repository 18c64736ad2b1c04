/**
 * What the store and its writer thread say to each other. A batch travels as two flat lists, the cheapest form to copy
 * between threads; it holds appends, then snapshots, and becomes one transaction.
 */

import type { Verdict } from '../append-rules.ts';
import type { AppendRequest, Checkpoint, NewEvent, Snapshot } from '../event-store.ts';
import type { SqliteFault } from './sqlite-fault.ts';

export interface Batch {
  readonly appends: readonly AppendRequest[];
  readonly snapshots: readonly Snapshot[];
  readonly checkpoints: readonly Checkpoint[];
}

export interface EncodedBatch {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
}

export type ToWriter = { readonly kind: 'commit'; readonly batch: EncodedBatch } | { readonly kind: 'close' };

export type FromWriter =
  /** Open, and at this position. Comes once, first. */
  | { readonly kind: 'ready'; readonly head: number }
  /** The ledger could not be opened for writing; the thread ends. */
  | { readonly kind: 'unready'; readonly fault: SqliteFault }
  /**
   * Safe on disk. The appends were written in their order, from the position `first` on, except for those listed by their
   * index: these wrote no event, for the reason given.
   */
  | { readonly kind: 'committed'; readonly first: number; readonly exceptions: readonly VerdictException[] }
  /** Nothing of the batch was kept. */
  | { readonly kind: 'failed'; readonly fault: SqliteFault };

export type VerdictException = readonly [index: number, verdict: Exclude<Verdict, { kind: 'write' }>];

export function encodeBatch({ appends, snapshots, checkpoints }: Batch): EncodedBatch {
  const texts: string[] = [];
  const numbers: number[] = [appends.length, snapshots.length, checkpoints.length];
  for (const { stream, expectedRevision, expectedEventId = '', events, receipt } of appends) {
    texts.push(stream, expectedEventId);
    if (receipt) texts.push(receipt.commandId, receipt.bodyHash);
    numbers.push(expectedRevision, events.length, receipt ? 1 : 0);
    for (const { id, type, v, time, data, metadata } of events) {
      texts.push(id, type, time, data, metadata);
      numbers.push(v);
    }
  }
  for (const { stream, revision, foldVersion, state } of snapshots) {
    texts.push(stream, state);
    numbers.push(revision, foldVersion);
  }
  for (const { name, position } of checkpoints) texts.push(name, position);
  return { texts, numbers };
}

export function decodeBatch({ texts, numbers }: EncodedBatch): Batch {
  let nextText = 0;
  let nextNumber = 0;
  const text = (): string => texts[nextText++]!;
  const number = (): number => numbers[nextNumber++]!;

  const event = (): NewEvent => ({
    id: text(),
    type: text(),
    v: number(),
    time: text(),
    data: text(),
    metadata: text(),
  });
  const append = (): AppendRequest => {
    const stream = text();
    const expectedEventId = text() || undefined;
    const expectedRevision = number();
    const eventCount = number();
    const receipt = number() === 1 ? { commandId: text(), bodyHash: text() } : undefined;
    const events = Array.from({ length: eventCount }, event);
    return { stream, expectedRevision, expectedEventId, events, receipt };
  };
  const snapshot = (): Snapshot => ({
    stream: text(),
    state: text(),
    revision: number(),
    foldVersion: number(),
  });

  const appendCount = number();
  const snapshotCount = number();
  const checkpointCount = number();
  return {
    appends: Array.from({ length: appendCount }, append),
    snapshots: Array.from({ length: snapshotCount }, snapshot),
    checkpoints: Array.from({ length: checkpointCount }, (): Checkpoint => ({ name: text(), position: text() })),
  };
}
