import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { isStoreError } from '../../src/store/store-error.ts';
import { all, freshPrefix, type OpenEngine, someEvent, someEvents } from './support.ts';

const writers = 64;

export function describeConcurrency(open: OpenEngine, appendsPerWriter: number): void {
  let store: EventStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  describe(`${writers} writers at once`, () => {
    it('on streams of their own all succeed, in order', async () => {
      const prefix = freshPrefix();
      const work = Array.from({ length: writers }, async (_, writer) => {
        const stream = `${prefix}${writer}`;
        for (let revision = 0; revision < appendsPerWriter; revision++) {
          const answer = await store.append({ stream, expectedRevision: revision - 1, events: someEvents(1) });
          expect(answer.revision).toBe(revision);
        }
      });
      await Promise.all(work);

      const next = new Map<string, number>();
      let last = '';
      for await (const { stream, revision, position } of store.readAll({ filter: { streamPrefixes: [prefix] } })) {
        if (position <= last || revision !== (next.get(stream) ?? 0))
          expect.fail(`${stream}@${revision} is out of order`);
        last = position;
        next.set(stream, revision + 1);
      }
      expect([...next.values()]).toEqual(Array.from({ length: writers }, () => appendsPerWriter));
    });

    it('on shared streams record the winners and nobody else', async () => {
      const prefix = freshPrefix();
      const shared = Array.from({ length: 4 }, (_, index) => ({ stream: `${prefix}${index}`, revision: -1 }));
      const won = new Map<string, string>();
      let lost = 0;
      const work = Array.from({ length: writers }, async (_, writer) => {
        for (let attempt = 0; attempt < appendsPerWriter; attempt++) {
          const target = shared[(writer + attempt) % shared.length]!;
          const event = someEvent();
          try {
            const { stream, revision: expectedRevision } = target;
            const { revision } = await store.append({ stream, expectedRevision, events: [event] });
            won.set(`${stream}@${revision}`, event.id);
            target.revision = Math.max(target.revision, revision);
          } catch (error) {
            if (!isStoreError(error, 'wrong-expected-revision')) throw error;
            lost += 1;
          }
        }
      });
      await Promise.all(work);

      const recorded = await all(store.readAll({ filter: { streamPrefixes: [prefix] } }));
      const places = recorded.map(({ stream, revision, id }) => [`${stream}@${revision}`, id] as const);
      expect(new Map(places)).toEqual(won);
      expect(recorded).toHaveLength(won.size);
      expect(won.size + lost).toBe(writers * appendsPerWriter);
      expect(lost).toBeGreaterThan(0);
      for (const { stream, revision } of shared)
        expect(recorded.filter((event) => event.stream === stream)).toHaveLength(revision + 1);
    });
  });
}
