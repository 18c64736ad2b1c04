import { describe, expect, it } from 'vitest';
import { all, faultOf, freshStream, iterate, type OpenEngine, someEvents, untilCaughtUp, write } from './support.ts';

export function describeClosing(open: OpenEngine): void {
  describe('closing', () => {
    it('finishes the appends in flight and shows them to nobody twice', async () => {
      const store = await open();
      const stream = freshStream();
      const appends = Array.from({ length: 100 }, (_, index) =>
        store.append({ stream, expectedRevision: index - 1, events: someEvents(1) }),
      );
      await store.close();
      expect((await Promise.all(appends)).at(-1)).toMatchObject({ revision: 99 });
    });

    it('ends the subscriptions', async () => {
      const store = await open();
      const waiting = iterate(store.subscribe());
      const untouched = iterate(store.subscribe());
      await untilCaughtUp(waiting);
      const next = waiting.next();
      await store.close();
      expect((await next).done).toBe(true);
      expect(await faultOf(untouched.next())).toEqual({ code: 'closed' });
    });

    it('stops a read that is under way', async () => {
      const store = await open();
      const stream = freshStream();
      for (let page = 0; page < 4; page++) await write(store, stream, someEvents(500));
      const events = iterate(store.readStream(stream));
      await events.next();
      await store.close();
      const rest = all({ [Symbol.asyncIterator]: () => events as AsyncIterator<unknown> & AsyncIterable<unknown> });
      expect(await faultOf(rest)).toEqual({ code: 'closed' });
    });

    it('refuses whatever comes later', async () => {
      const store = await open();
      await store.close();
      const stream = freshStream();
      const late = [
        store.append({ stream, expectedRevision: -1, events: someEvents(1) }),
        store.saveSnapshot({ stream, revision: 0, foldVersion: 1, state: '{}' }),
        store.loadSnapshot(stream),
        store.findReceipt(stream, 'command-1'),
        store.head(),
        all(store.readStream(stream)),
        all(store.readAll()),
        all(store.readReceipts()),
        all(store.readSnapshots()),
        all(store.subscribe()),
      ];
      for (const operation of late) expect(await faultOf(operation)).toEqual({ code: 'closed' });
    });

    it('may be asked for twice', async () => {
      const store = await open();
      await Promise.all([store.close(), store.close()]);
      await store.close();
    });
  });
}
