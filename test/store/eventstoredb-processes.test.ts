import { afterEach, describe, expect, it } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { freshStream, idsOf, revisionOf, someEvents, write } from '../contract/support.ts';
import { database } from '../support/eventstoredb/engine.ts';

describe('a ledger that two processes have open', () => {
  const { open } = database({ nodes: 3 });
  const opened: EventStore[] = [];

  const openStore = async (): Promise<EventStore> => {
    const store = await open();
    opened.push(store);
    return store;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });

  it('is known by one name, whichever process opened it first', async () => {
    const [one, other] = await Promise.all([openStore(), openStore()]);
    expect(one.info).toEqual(other.info);
  });

  it('lets one of two appends at the same revision win', async () => {
    const [one, other] = [await openStore(), await openStore()];
    const stream = freshStream();
    await write(one, stream, someEvents(1));
    const outcomes = await Promise.allSettled(
      [one, other].map((store) => store.append({ stream, expectedRevision: 0, events: someEvents(1) })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await revisionOf(other, stream)).toBe(1);
  });

  it('finds a receipt that the other has left, with an event or without', async () => {
    const [one, other] = [await openStore(), await openStore()];
    const stream = freshStream();
    await write(one, stream, someEvents(1));
    expect(await other.findReceipt(stream, 'made')).toBeNull();
    const made = { commandId: 'made', bodyHash: 'h' };
    const idle = { commandId: 'idle', bodyHash: 'h' };
    await one.append({ stream, expectedRevision: 0, events: someEvents(1), receipt: made });
    await one.append({ stream, expectedRevision: 1, events: [], receipt: idle });
    expect(await other.findReceipt(stream, 'made')).toMatchObject({ eventCount: 1, lastRevision: 1 });
    expect(await other.findReceipt(stream, 'idle')).toMatchObject({ eventCount: 0, lastRevision: 1 });
  });

  it('has the other told of what was stored before its head says so', async () => {
    const [one, other] = [await openStore(), await openStore()];
    const seen: string[] = [];
    other.watch({ stored: (events) => seen.push(...idsOf(events)), announced: () => {} });
    const events = someEvents(3);
    const position = await write(one, freshStream(), events);
    expect((await other.head()) >= position).toBe(true);
    expect(seen).toEqual(expect.arrayContaining(idsOf(events)));
  });

  it('passes on what one says to the others', async () => {
    const [one, other] = [await openStore(), await openStore()];
    const heard = new Promise<string>((resolve) => other.watch({ stored: () => {}, announced: resolve }));
    await one.announce('{"port-1":"now"}');
    expect(await heard).toBe('{"port-1":"now"}');
  });

  it('leaves a piece of work to one, and to the next when that lets go', async () => {
    const [one, other] = [await openStore(), await openStore()];
    const stop = new AbortController();
    const name = freshStream();
    const first = await one.lease(name, stop.signal);
    const second = other.lease(name, stop.signal);
    expect(await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))])).toBe('waits');
    await first!.release();
    expect(first!.lost.aborted).toBe(true);
    expect((await second)!.lost.aborted).toBe(false);
    stop.abort();
  });
});
