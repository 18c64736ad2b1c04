import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { describeEmbeddedStore } from '../contract/embedded-store.contract.ts';
import { describeEventStore } from '../contract/event-store.contract.ts';
import { all, freshStream, someEvents } from '../contract/support.ts';

const open = async () => new MemoryStore();
describeEventStore('a ledger in memory', open);
describeEmbeddedStore('a ledger in memory', open);

describe('a ledger in memory', () => {
  it('takes its clock and its time of birth from outside', () => {
    const store = new MemoryStore({ clock: 'manual', now: () => 0 });
    const createdAt = '1970-01-01T00:00:00.000Z';
    expect(store.info).toMatchObject({ engine: 'memory', clock: 'manual', createdAt });
  });

  it('is known by the name of the ledger it is a copy of', () => {
    const { ledgerId, clock, createdAt } = new MemoryStore({ clock: 'manual', now: () => 0 }).info;
    const copy = new MemoryStore({ copyOf: { ledgerId, clock, createdAt } });
    expect(copy.info).toEqual({ ledgerId, clock, createdAt, engine: 'memory' });
  });

  it('is not changed by what happens to the objects it was given', async () => {
    const store = new MemoryStore();
    const stream = freshStream();
    const events = someEvents(2);
    await store.append({ stream, expectedRevision: -1, events });
    events.pop();
    expect(await all(store.readStream(stream))).toHaveLength(2);
  });
});
