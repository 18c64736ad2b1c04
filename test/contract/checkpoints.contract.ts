import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventStore, formatPosition } from '../../src/store/event-store.ts';
import { freshStream, type OpenEngine } from './support.ts';

export function describeCheckpoints(open: OpenEngine): void {
  let store: EventStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  describe('a checkpoint', () => {
    it('is where its reader said it stands', async () => {
      const [name, other] = [freshStream(), freshStream()];
      expect(await store.loadCheckpoint(name)).toBeNull();
      await store.saveCheckpoint({ name, position: formatPosition(3) });
      await store.saveCheckpoint({ name: other, position: formatPosition(9) });
      await store.saveCheckpoint({ name, position: formatPosition(7) });
      expect(await store.loadCheckpoint(name)).toBe(formatPosition(7));
      expect(await store.loadCheckpoint(other)).toBe(formatPosition(9));
    });

    it('is listed with those of all other readers', async () => {
      const [name, other] = [freshStream(), freshStream()].sort();
      await store.saveCheckpoint({ name: other!, position: formatPosition(2) });
      await store.saveCheckpoint({ name: name!, position: formatPosition(1) });
      const kept = await store.readCheckpoints();
      expect(kept.filter((each) => [name, other].includes(each.name))).toEqual([
        { name, position: formatPosition(1) },
        { name: other, position: formatPosition(2) },
      ]);
    });

    it('goes back where its reader begins again', async () => {
      const name = freshStream();
      await store.saveCheckpoint({ name, position: formatPosition(7) });
      await store.saveCheckpoint({ name, position: formatPosition(0) });
      expect(await store.loadCheckpoint(name)).toBe(formatPosition(0));
    });
  });
}
