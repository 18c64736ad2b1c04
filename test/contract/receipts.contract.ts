import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventStore, Receipt } from '../../src/store/event-store.ts';
import { all, faultOf, freshStream, type OpenEngine, revisionOf, someEvent, someEvents } from './support.ts';

export function describeReceipts(open: OpenEngine, many: number): void {
  let store: EventStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const receiptFor = (commandId: string, bodyHash = 'hash-1'): Receipt => ({ commandId, bodyHash });

  describe('a receipt', () => {
    it('leads to the events that its command made', async () => {
      const stream = freshStream();
      await store.append({ stream, expectedRevision: -1, events: someEvents(2) });
      const receipt = receiptFor('command-1');
      const { position } = await store.append({ stream, expectedRevision: 1, events: someEvents(3), receipt });
      await store.append({ stream, expectedRevision: 4, events: someEvents(1) });
      const found = await store.findReceipt(stream, 'command-1');
      expect(found).toEqual({ ...receipt, eventCount: 3, lastRevision: 4, position });
    });

    it('is kept also for a command that made none', async () => {
      const stream = freshStream();
      const { position } = await store.append({ stream, expectedRevision: -1, events: someEvents(2) });
      const receipt = receiptFor('command-1');
      const answer = await store.append({ stream, expectedRevision: 1, events: [], receipt });
      expect(answer).toEqual({ revision: 1, position });
      expect(await revisionOf(store, stream)).toBe(1);
      const found = await store.findReceipt(stream, 'command-1');
      expect(found).toEqual({ ...receipt, eventCount: 0, lastRevision: 1, position });
    });

    it('answers its command again only where that rests on the same event', async () => {
      const stream = freshStream();
      const [first, second] = someEvents(2);
      const receipt = receiptFor('command-1');
      await store.append({ stream, expectedRevision: -1, events: [first!] });
      const again = (expectedEventId: string) =>
        store.append({ stream, expectedRevision: 0, expectedEventId, events: [], receipt });
      await again(first!.id);
      expect(await again(first!.id)).toMatchObject({ revision: 0 });
      expect(await faultOf(again(second!.id))).toMatchObject({ code: 'wrong-expected-revision' });

      const made = { commandId: 'command-2', bodyHash: 'hash-2' };
      const withEvents = (expectedEventId: string) =>
        store.append({ stream, expectedRevision: 0, expectedEventId, events: [second!], receipt: made });
      await withEvents(first!.id);
      expect(await withEvents(first!.id)).toMatchObject({ revision: 1 });
      expect(await faultOf(withEvents(second!.id))).toMatchObject({ code: 'wrong-expected-revision' });
    });

    it('belongs to one stream', async () => {
      const [stream, other] = [freshStream(), freshStream()];
      for (const each of [stream, other])
        await store.append({ stream: each, expectedRevision: -1, events: someEvents(1), receipt: receiptFor(each) });
      expect(await store.findReceipt(stream, other)).toBeNull();
      expect(await store.findReceipt(freshStream(), other)).toBeNull();
      expect(await store.findReceipt(other, other)).not.toBeNull();
    });

    it('is not kept when its append is refused', async () => {
      const stream = freshStream();
      const receipt = receiptFor('command-1');
      await faultOf(store.append({ stream, expectedRevision: 3, events: someEvents(1), receipt }));
      await faultOf(store.append({ stream, expectedRevision: 3, events: [], receipt }));
      expect(await store.findReceipt(stream, 'command-1')).toBeNull();
    });

    it('expects its revision even where there is no event to write', async () => {
      const stream = freshStream();
      await store.append({ stream, expectedRevision: -1, events: someEvents(3) });
      const stale = store.append({ stream, expectedRevision: 1, events: [], receipt: receiptFor('command-1') });
      expect(await faultOf(stale)).toMatchObject({ code: 'wrong-expected-revision', expected: 1, actual: 2 });
    });
  });

  describe('a retry that brings its receipt', () => {
    it('gets the first answer, with or without events, and whatever came after', async () => {
      const stream = freshStream();
      const made = { stream, expectedRevision: -1, events: someEvents(2), receipt: receiptFor('command-1') };
      const none = { stream, expectedRevision: 1, events: [], receipt: receiptFor('command-2') };
      const answers = [await store.append(made), await store.append(none)];
      await store.append({ stream, expectedRevision: 1, events: someEvents(1) });
      expect([await store.append(made), await store.append(none)]).toEqual(answers);
    });

    it('is no retry when its body is another', async () => {
      const stream = freshStream();
      const events = someEvents(2);
      await store.append({ stream, expectedRevision: -1, events, receipt: receiptFor('command-1') });
      const other = { stream, expectedRevision: -1, events, receipt: receiptFor('command-1', 'hash-2') };
      expect(await faultOf(store.append(other))).toMatchObject({ code: 'wrong-expected-revision', actual: 1 });
    });

    it('is no retry when it has only the first of its events', async () => {
      const stream = freshStream();
      const events = someEvents(2);
      const receipt = receiptFor('command-1');
      await store.append({ stream, expectedRevision: -1, events, receipt });
      const fewer = { stream, expectedRevision: -1, events: events.slice(0, 1), receipt };
      expect(await faultOf(store.append(fewer))).toMatchObject({ code: 'wrong-expected-revision', actual: 1 });
    });

    it('does not put a second receipt in the place of the first', async () => {
      const stream = freshStream();
      const receipt = receiptFor('command-1');
      await store.append({ stream, expectedRevision: -1, events: someEvents(1), receipt });
      for (const events of [[], [someEvent()]]) {
        const fault = await faultOf(store.append({ stream, expectedRevision: 0, events, receipt }));
        expect(fault).toEqual({ code: 'duplicate-event-id', stream, eventId: 'command-1' });
      }
      expect(await store.findReceipt(stream, 'command-1')).toMatchObject({ eventCount: 1, lastRevision: 0 });
      expect(await revisionOf(store, stream)).toBe(0);
    });
  });

  it('gives all receipts in the order of their positions', async () => {
    const streams = Array.from({ length: many }, () => freshStream());
    const made = (stream: string, index: number) =>
      store.append({
        stream,
        expectedRevision: -1,
        events: someEvents(1 + (index % 2)),
        receipt: receiptFor(`made-${stream}`),
      });
    const none = (stream: string, index: number) =>
      store.append({ stream, expectedRevision: index % 2, events: [], receipt: receiptFor(`none-${stream}`) });
    await Promise.all(streams.map(made));
    await Promise.all(streams.map(none));

    const receipts = await all(store.readReceipts());
    const positions = receipts.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted());
    const mine = receipts.filter(({ stream }) => streams.includes(stream));
    expect(mine).toHaveLength(2 * many);
    expect(new Set(mine.map(({ commandId }) => commandId)).size).toBe(2 * many);
    for (const { stream, ...receipt } of mine.slice(0, 20))
      expect(await store.findReceipt(stream, receipt.commandId)).toEqual(receipt);
  });
}
