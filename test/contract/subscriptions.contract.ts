import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import {
  all,
  freshPrefix,
  freshStream,
  idsOf,
  iterate,
  nextIds,
  type OpenEngine,
  someEvents,
  untilCaughtUp,
  write,
} from './support.ts';

export function describeSubscriptions(open: OpenEngine, appends: number): void {
  let store: EventStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const follow = (prefix: string, after?: string, signal?: AbortSignal) =>
    iterate(
      store.subscribe({
        filter: { streamPrefixes: [prefix] },
        ...(after !== undefined && { after }),
        ...(signal && { signal }),
      }),
    );

  describe('a subscription', () => {
    it('gives what is there, says that it has caught up, and goes on with what comes', async () => {
      const prefix = freshPrefix();
      const [old, live] = [someEvents(3), someEvents(2)];
      const last = await write(store, `${prefix}1`, old);
      const messages = follow(prefix);
      expect(await nextIds(messages, 3)).toEqual(idsOf(old));
      expect(await messages.next()).toEqual({ done: false, value: { kind: 'caught-up', position: last } });
      const next = nextIds(messages, 2);
      await write(store, `${prefix}2`, live);
      expect(await next).toEqual(idsOf(live));
      await messages.return?.();
    });

    it('begins after the position it is given', async () => {
      const prefix = freshPrefix();
      const events = someEvents(3);
      await write(store, `${prefix}1`, events);
      const [first] = await all(store.readAll({ filter: { streamPrefixes: [prefix] } }));
      const messages = follow(prefix, first!.position);
      expect(await nextIds(messages, 2)).toEqual(idsOf(events.slice(1)));
      await messages.return?.();
    });

    it('waits for a stream that does not exist yet', async () => {
      const stream = freshStream();
      const messages = iterate(store.subscribe({ filter: { stream } }));
      await untilCaughtUp(messages);
      const events = someEvents(2);
      const next = nextIds(messages, 2);
      await write(store, freshStream(), someEvents(1));
      await write(store, stream, events);
      expect(await next).toEqual(idsOf(events));
      await messages.return?.();
    });

    it('tells how far it has come where nothing passes its filter', async () => {
      const messages = iterate(store.subscribe({ filter: { types: ['NeverHappens'] } }));
      const before = await untilCaughtUp(messages);
      const waiting = untilCaughtUp(messages);
      const position = await write(store, freshStream(), someEvents(3));
      expect(await waiting).toBe(position);
      expect(position > before).toBe(true);
      await messages.return?.();
    });

    it('says it has caught up once, however long nothing happens', async () => {
      const prefix = freshPrefix();
      const last = await write(store, `${prefix}1`, someEvents(1));
      const messages = follow(prefix);
      await nextIds(messages, 1);
      expect(await untilCaughtUp(messages)).toBe(last);
      const next = messages.next();
      const quiet = new Promise((resolve) => setTimeout(() => resolve('quiet'), 50));
      expect(await Promise.race([next, quiet])).toBe('quiet');
      await messages.return?.();
      expect((await next).done).toBe(true);
    });

    it('catches up a second time when it is far behind', async () => {
      const prefix = freshPrefix();
      const messages = follow(prefix);
      await untilCaughtUp(messages);
      const events = someEvents(2000);
      const last = await write(store, `${prefix}1`, events);
      expect(await nextIds(messages, 2000)).toEqual(idsOf(events));
      expect(await untilCaughtUp(messages)).toBe(last);
      await messages.return?.();
    });
  });

  describe('the end of a subscription', () => {
    it('comes when its signal aborts while it waits', async () => {
      const stop = new AbortController();
      const messages = follow(freshPrefix(), undefined, stop.signal);
      await untilCaughtUp(messages);
      const next = messages.next();
      stop.abort();
      expect((await next).done).toBe(true);
    });

    it('comes for any number of them from one signal, and nobody takes that for a leak', async () => {
      const warnings: Error[] = [];
      const hear = (warning: Error): unknown => warnings.push(warning);
      process.on('warning', hear);
      const stop = new AbortController();
      const many = Array.from({ length: 30 }, () => follow(freshPrefix(), undefined, stop.signal));
      await Promise.all(many.map(untilCaughtUp));
      const ends = many.map((messages) => messages.next());
      await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
      for (const end of ends) expect((await end).done).toBe(true);
      process.off('warning', hear);
      expect(warnings).toEqual([]);
    });

    it('comes in the middle of the past', async () => {
      const prefix = freshPrefix();
      await write(store, `${prefix}1`, someEvents(500));
      const stop = new AbortController();
      const seen: string[] = [];
      for await (const message of store.subscribe({ filter: { streamPrefixes: [prefix] }, signal: stop.signal })) {
        if (message.kind === 'event') seen.push(message.event.id);
        if (seen.length === 10) stop.abort();
      }
      expect(seen).toHaveLength(10);
    });

    it('comes at once where the signal has aborted before', async () => {
      expect(await all(store.subscribe({ signal: AbortSignal.abort() }))).toEqual([]);
    });

    it('comes when its reader drops it while it waits', async () => {
      const messages = follow(freshPrefix());
      await untilCaughtUp(messages);
      const next = messages.next();
      await messages.return?.();
      expect((await next).done).toBe(true);
    });
  });

  describe('subscribers of different speed', () => {
    it('do not hold each other up, and each gets everything', async () => {
      const prefix = freshPrefix();
      const slow = follow(prefix);
      await untilCaughtUp(slow);
      const events = someEvents(3000);
      const fast = follow(prefix);
      const fastIds = nextIds(fast, 3000);
      for (let from = 0; from < 3000; from += 100) await write(store, `${prefix}1`, events.slice(from, from + 100));
      expect(await fastIds).toEqual(idsOf(events));
      expect(await nextIds(slow, 3000)).toEqual(idsOf(events));
      await Promise.all([slow.return?.(), fast.return?.()]);
    });
  });

  describe('the seam between the past and what comes', () => {
    it('neither loses nor repeats an event, wherever and whenever a subscriber begins', async () => {
      const prefix = freshPrefix();
      const writers = 8;
      const total = writers * appends;
      const subscribers: Promise<{ after: string; ids: string[] }>[] = [];
      const began = await store.head();
      const mine = { after: began, filter: { streamPrefixes: [prefix] } };

      const subscribeSomewhere = async (): Promise<{ after: string; ids: string[] }> => {
        const grown = Number(await store.head()) - Number(began);
        const after = String(Number(began) + Math.floor(Math.random() * (grown + 1)));
        const ids: string[] = [];
        const before = (await all(store.readAll(mine))).filter(
          ({ position }) => Number(position) <= Number(after),
        ).length;
        const messages = follow(prefix, after);
        ids.push(...(await nextIds(messages, total - before)));
        await messages.return?.();
        return { after, ids };
      };
      const writing = Array.from({ length: writers }, async (_, writer) => {
        for (let revision = 0; revision < appends; revision++) {
          const stream = `${prefix}${writer}`;
          await store.append({ stream, expectedRevision: revision - 1, events: someEvents(1) });
          if (Math.random() < 60 / total) subscribers.push(subscribeSomewhere());
        }
      });
      await Promise.all(writing);
      subscribers.push(subscribeSomewhere());

      const log = await all(store.readAll(mine));
      expect(log).toHaveLength(total);
      for (const { after, ids } of await Promise.all(subscribers)) {
        const expected = log.filter(({ position }) => Number(position) > Number(after));
        expect(ids).toEqual(idsOf(expected));
      }
      expect(subscribers.length).toBeGreaterThan(20);
    });
  });
}
