import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore, Snapshot } from '../../src/store/event-store.ts';
import { all, freshStream, type OpenEngine, someEvents, write } from './support.ts';

export function describeSnapshots(open: OpenEngine, many: number): void {
  let store: EventStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  describe('a snapshot', () => {
    let snapshot: Snapshot;
    beforeEach(async () => {
      const stream = freshStream();
      await write(store, stream, someEvents(10));
      snapshot = { stream, revision: 5, foldVersion: 1, state: '{"status":"ACTIVE","name":"döner 🥙"}' };
      await store.saveSnapshot(snapshot);
    });

    it('is given back as it was', async () => {
      expect(await store.loadSnapshot(snapshot.stream)).toEqual(snapshot);
      expect(await store.loadSnapshot(freshStream())).toBeNull();
    });

    it('gives way to a newer one', async () => {
      const newer = { ...snapshot, revision: 9, state: '{}' };
      await store.saveSnapshot(newer);
      expect(await store.loadSnapshot(snapshot.stream)).toEqual(newer);
    });

    it('stays where an older one comes late', async () => {
      await store.saveSnapshot({ ...snapshot, revision: 3, state: '{}' });
      expect(await store.loadSnapshot(snapshot.stream)).toEqual(snapshot);
    });

    it('gives way to one of another fold, even of an earlier revision', async () => {
      const other = { ...snapshot, foldVersion: 2, revision: 1 };
      await store.saveSnapshot(other);
      expect(await store.loadSnapshot(snapshot.stream)).toEqual(other);
    });

    it('is not kept where its stream has not come so far', async () => {
      await store.saveSnapshot({ ...snapshot, revision: 10 });
      expect(await store.loadSnapshot(snapshot.stream)).toEqual(snapshot);
      const stream = freshStream();
      await store.saveSnapshot({ ...snapshot, stream, revision: 0 });
      expect(await store.loadSnapshot(stream)).toBeNull();
    });

    it('is found among all that are kept', async () => {
      const others = Array.from({ length: many }, () => freshStream());
      await Promise.all(
        others.map(async (stream) => {
          await write(store, stream, someEvents(1));
          await store.saveSnapshot({ stream, revision: 0, foldVersion: 1, state: '{}' });
        }),
      );
      const kept = await all(store.readSnapshots());
      expect(kept).toContainEqual(snapshot);
      const streams = kept.map(({ stream }) => stream);
      expect(new Set(streams).size).toBe(streams.length);
      expect(streams).toEqual(expect.arrayContaining(others));
    });

    it('may follow the append it rests on without waiting for it', async () => {
      const { stream } = snapshot;
      const append = store.append({ stream, expectedRevision: 9, events: someEvents(1) });
      const saved = { ...snapshot, revision: 9 };
      await Promise.all([append, store.saveSnapshot(saved)]);
      expect(await store.loadSnapshot(stream)).toEqual(saved);
    });
  });
}
