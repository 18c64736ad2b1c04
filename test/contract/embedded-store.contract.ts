import { describe, expect, it } from 'vitest';
import { formatPosition, startPosition } from '../../src/store/event-store.ts';
import { all, freshStream, iterate, type OpenEngine, someEvent, someEvents, untilCaughtUp, write } from './support.ts';

/** What holds for a ledger that nobody else writes, in a process of its own: it begins empty, and has no holes. */
export function describeEmbeddedStore(name: string, open: OpenEngine): void {
  describe(`the ledger's positions in ${name}`, () => {
    it('begin before the first event', async () => {
      const store = await open();
      expect(await store.head()).toBe(startPosition);
      expect(await all(store.readAll())).toEqual([]);
      expect(await untilCaughtUp(iterate(store.subscribe()))).toBe(startPosition);
      expect(await write(store, freshStream(), someEvents(1))).toBe(formatPosition(1));
      await store.close();
    });

    it('C055: have no holes, whatever was refused in between', async () => {
      const store = await open();
      const shared = freshStream();
      const known = someEvent();
      await write(store, shared, [known]);
      const attempts = Array.from({ length: 200 }, (_, index) => [
        store.append({ stream: freshStream(), expectedRevision: -1, events: someEvents(1 + (index % 3)) }),
        store.append({ stream: shared, expectedRevision: 99, events: someEvents(2) }),
        store.append({ stream: shared, expectedRevision: 0, events: [someEvent(), known] }),
      ]).flat();
      await Promise.allSettled(attempts);
      const positions = (await all(store.readAll())).map(({ position }) => Number(position));
      expect(positions).toEqual(Array.from({ length: 1 + 67 * 1 + 67 * 2 + 66 * 3 }, (_, index) => index + 1));
      expect(await store.head()).toBe(formatPosition(positions.length));
      await store.close();
    });
  });
}
