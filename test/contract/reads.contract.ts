import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventFilter, EventStore, ReadStreamOptions, RecordedEvent } from '../../src/store/event-store.ts';
import { all, freshPrefix, freshStream, idsOf, type OpenEngine, someEvents, write } from './support.ts';

const range = (from: number, to: number): number[] =>
  from <= to
    ? Array.from({ length: to - from + 1 }, (_, index) => from + index)
    : Array.from({ length: from - to + 1 }, (_, index) => from - index);

export function describeReads(open: OpenEngine): void {
  let store: EventStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  describe('reading a stream', () => {
    const stream = freshStream();
    beforeAll(() => write(store, stream, someEvents(10)));

    const reads: [what: string, options: ReadStreamOptions, revisions: number[]][] = [
      ['from the start', {}, range(0, 9)],
      ['from a revision on, inclusive', { from: 7 }, range(7, 9)],
      ['a few', { from: 2, limit: 3 }, range(2, 4)],
      ['none', { limit: 0 }, []],
      ['from beyond the end', { from: 10 }, []],
      ['more than there are', { limit: 1000 }, range(0, 9)],
      ['backwards from the end', { direction: 'backwards' }, range(9, 0)],
      ['backwards from a revision, inclusive', { direction: 'backwards', from: 2 }, [2, 1, 0]],
      ['backwards from beyond the end', { direction: 'backwards', from: 500, limit: 2 }, [9, 8]],
      ['the last one', { direction: 'backwards', limit: 1 }, [9]],
      ['backwards from before the start', { direction: 'backwards', from: -1 }, []],
    ];
    for (const [what, options, revisions] of reads) {
      it(`gives ${what}`, async () => {
        expect((await all(store.readStream(stream, options))).map(({ revision }) => revision)).toEqual(revisions);
      });
    }

    it('finds nothing in a stream that was never written', async () => {
      expect(await all(store.readStream(freshStream()))).toEqual([]);
      expect(await all(store.readStream(freshStream(), { direction: 'backwards' }))).toEqual([]);
    });

    it('takes no limit that is not a whole number', async () => {
      await expect(all(store.readStream(stream, { limit: -1 }))).rejects.toThrow(RangeError);
      await expect(all(store.readAll({ limit: 1.5 }))).rejects.toThrow(RangeError);
    });

    it('can be given up in the middle', async () => {
      for await (const { revision } of store.readStream(stream)) if (revision === 4) break;
      expect(await all(store.readStream(stream, { limit: 1 }))).toHaveLength(1);
    });
  });

  describe('a stream of thousands of events', () => {
    const stream = freshStream('node');
    const length = 3000;
    beforeAll(async () => {
      for (let written = 0; written < length; written += 1000) await write(store, stream, someEvents(1000));
    });

    it('is read forwards and backwards without loss or repeat', async () => {
      const forwards = (await all(store.readStream(stream))).map(({ revision }) => revision);
      expect(forwards).toEqual(range(0, length - 1));
      const backwards = (await all(store.readStream(stream, { direction: 'backwards' }))).map(
        (event) => event.revision,
      );
      expect(backwards).toEqual(range(length - 1, 0));
    });

    it('is paged from any revision', async () => {
      const page = await all(store.readStream(stream, { from: 1234, limit: 777 }));
      expect(page.map(({ revision }) => revision)).toEqual(range(1234, 2010));
    });

    it('leaves room for others while it is read', async () => {
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 0);
      let count = 0;
      for await (const _ of store.readStream(stream)) count += 1;
      clearInterval(timer);
      expect(count).toBe(length);
      expect(turns).toBeGreaterThan(0);
    });
  });

  it('gives streams of very large events whole', async () => {
    const stream = freshStream();
    const data = `{"x":"${'y'.repeat(400_000)}"}`;
    for (let index = 0; index < 6; index++) await write(store, stream, someEvents(2, { data }));
    const sizes = (await all(store.readStream(stream))).map(({ dataText }) => dataText.length);
    expect(sizes).toEqual(Array.from({ length: 12 }, () => data.length));
    expect(await all(store.readAll({ filter: { streamPrefixes: [stream] } }))).toHaveLength(12);
  });

  describe('reading the ledger', () => {
    const prefix = freshPrefix();
    const [ports, nodes] = [`${prefix}port-1`, `${prefix}node-1`];
    const written: RecordedEvent[] = [];
    const mine = (filter: EventFilter = {}): EventFilter => ({ streamPrefixes: [prefix], ...filter });
    beforeAll(async () => {
      for (let round = 0; round < 5; round++) {
        await write(store, ports, someEvents(2, { type: 'PortBound' }));
        await write(store, nodes, someEvents(1, { type: 'NodeEnrolled' }));
        await write(store, `${prefix}port-${round + 2}`, someEvents(1, { type: 'PortCreated' }));
      }
      for await (const event of store.readAll({ filter: mine() })) written.push(event);
    });

    it('gives the events of all streams in the order of their positions', () => {
      expect(written).toHaveLength(20);
      const positions = written.map(({ position }) => position);
      expect(positions).toEqual(positions.toSorted());
      expect(new Set(positions).size).toBe(20);
    });

    it('keeps the order within each stream', () => {
      const revisions = written.filter(({ stream }) => stream === ports).map(({ revision }) => revision);
      expect(revisions).toEqual(range(0, 9));
    });

    it('goes on after any position, without the event at it', async () => {
      for (const [index, { position }] of written.entries()) {
        const rest = await all(store.readAll({ after: position, filter: mine() }));
        expect(idsOf(rest)).toEqual(idsOf(written.slice(index + 1)));
      }
    });

    it('takes a position without its leading zeros', async () => {
      const after = String(Number(written[3]!.position));
      expect(idsOf(await all(store.readAll({ after, filter: mine() })))).toEqual(idsOf(written.slice(4)));
    });

    it('refuses what is no position', async () => {
      for (const after of ['', 'abc', '-1', '1.5', '99999999999999999'])
        await expect(all(store.readAll({ after })), after).rejects.toThrow(RangeError);
    });

    it('finds nothing after the head', async () => {
      expect(await all(store.readAll({ after: await store.head() }))).toEqual([]);
    });

    it('stops at the limit', async () => {
      expect(idsOf(await all(store.readAll({ filter: mine(), limit: 7 })))).toEqual(idsOf(written.slice(0, 7)));
      expect(await all(store.readAll({ limit: 0 }))).toEqual([]);
    });

    const filters: [what: string, filter: EventFilter, admits: (event: RecordedEvent) => boolean][] = [
      ['one stream', { stream: nodes }, ({ stream }) => stream === nodes],
      ['a prefix', { streamPrefixes: [`${prefix}port-`] }, ({ stream }) => stream.startsWith(`${prefix}port-`)],
      [
        'either of two prefixes',
        { streamPrefixes: [`${prefix}node-`, `${prefix}port-3`] },
        ({ stream }) => stream === nodes || stream === `${prefix}port-3`,
      ],
      ['one type', { types: ['PortCreated'] }, ({ type }) => type === 'PortCreated'],
      ['either of two types', { types: ['NodeEnrolled', 'PortBound'] }, ({ type }) => type !== 'PortCreated'],
      ['a stream and a type that is there', { stream: ports, types: ['PortBound'] }, ({ stream }) => stream === ports],
      ['a stream and a type that is not there', { stream: ports, types: ['NodeEnrolled'] }, () => false],
      ['a stream that another prefix excludes', { stream: nodes, streamPrefixes: [`${prefix}port-`] }, () => false],
      ['a stream that does not exist', { stream: `${prefix}nothing` }, () => false],
      ['an empty list of prefixes', { streamPrefixes: [] }, () => false],
      ['an empty list of types', { types: [] }, () => false],
    ];
    for (const [what, filter, admits] of filters) {
      it(`gives only ${what}`, async () => {
        const expected = written.filter(admits);
        expect(idsOf(await all(store.readAll({ filter: mine(filter) })))).toEqual(idsOf(expected));
        const after = written[6]!.position;
        const rest = expected.filter(({ position }) => position > after);
        expect(idsOf(await all(store.readAll({ after, filter: mine(filter), limit: 3 })))).toEqual(
          idsOf(rest.slice(0, 3)),
        );
      });
    }

    it('takes a prefix literally', async () => {
      await write(store, `${prefix}a_b%`, someEvents(1));
      await write(store, `${prefix}axbc`, someEvents(1));
      expect(await all(store.readAll({ filter: { streamPrefixes: [`${prefix}a_`] } }))).toHaveLength(1);
    });

    it('is at the head with the position of the last append', async () => {
      const position = await write(store, freshStream(), someEvents(4));
      expect(await store.head()).toBe(position);
    });
  });
}
