import { describe, expect, it, onTestFinished } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { TestCluster } from '../support/eventstoredb/cluster.ts';
import { collect } from '../support/ledger.ts';
import { smallLedger } from './ledger-file.ts';
import { emptyCopyFor, exported, exportOf, importInto } from './transfer-support.ts';

/** A store that takes a few appends and then no more. */
function failingAfter(store: EventStore, appends: number): EventStore {
  let left = appends;
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append' && left-- <= 0)
        return () => Promise.reject(new StoreError({ code: 'not-writable', reason: 'the cluster went away' }));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe('a site that moves from a file to a cluster', () => {
  it('goes on where an import broke off, is the same ledger there, and comes back to the byte', async () => {
    const text = await exportOf((await smallLedger()).url);
    const cluster = await TestCluster.start({ nodes: 3 });
    onTestFinished(() => cluster.stop());
    const copy = await emptyCopyFor(text, cluster.url);

    await expect(importInto(failingAfter(copy, 6), text)).rejects.toThrow('the cluster went away');
    const result = await importInto(copy, text);
    expect(result).toMatchObject({ events: 13, receipts: 6, positionsKept: false });
    expect(result.found).toBeGreaterThan(0);
    expect(result.found).toBeLessThan(13);

    const { ledgerId } = JSON.parse(text.slice(0, text.indexOf('\n'))).ledger;
    expect(copy.info).toMatchObject({ ledgerId, engine: 'eventstoredb' });
    const receipts = await collect(copy.readReceipts());
    expect(receipts.map(({ eventCount }) => eventCount)).toEqual([1, 1, 0, 0, 1, 2]);

    const there = await exported(copy);
    const back = await emptyCopyFor(there);
    expect(await importInto(back, there)).toMatchObject({ events: 13, receipts: 6, found: 0 });
    expect(await exported(back)).toBe(text);
    await Promise.all([back.close(), copy.close()]);
  });
});
