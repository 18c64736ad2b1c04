import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AppendRequest,
  type EventStore,
  eventOverheadBytes,
  maxAppendBytes,
} from '../../src/store/event-store.ts';
import { all, faultOf, freshStream, idsOf, type OpenEngine, revisionOf, someEvent, someEvents } from './support.ts';

export function describeAppends(open: OpenEngine): void {
  let store: EventStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  describe('appending', () => {
    it('begins a stream at revision 0 and counts on in steps of one', async () => {
      const stream = freshStream();
      const first = await store.append({ stream, expectedRevision: -1, events: someEvents(1) });
      const second = await store.append({ stream, expectedRevision: 0, events: someEvents(3) });
      expect([first.revision, second.revision]).toEqual([0, 3]);
      expect((await all(store.readStream(stream))).map(({ revision }) => revision)).toEqual([0, 1, 2, 3]);
    });

    it('answers with the place of the last event written', async () => {
      const stream = freshStream();
      const answer = await store.append({ stream, expectedRevision: -1, events: someEvents(3) });
      const last = (await all(store.readStream(stream))).at(-1);
      expect(answer).toEqual({ revision: last?.revision, position: last?.position });
    });

    it('gives every event a position of its own, rising in the order of the append', async () => {
      const stream = freshStream();
      await store.append({ stream, expectedRevision: -1, events: someEvents(5) });
      const positions = (await all(store.readStream(stream))).map(({ position }) => position);
      expect(new Set(positions).size).toBe(5);
      expect(positions).toEqual(positions.toSorted());
    });

    it('keeps every field of an event', async () => {
      const stream = freshStream();
      const event = someEvent({ type: 'PortBound', v: 3, time: '2026-02-28T23:59:59.999Z' });
      const { position } = await store.append({ stream, expectedRevision: -1, events: [event] });
      const [read] = await all(store.readStream(stream));
      const { id, type, v, time, dataText, metadataText } = read!;
      expect({ id, type, v, time, data: dataText, metadata: metadataText }).toEqual(event);
      expect(read).toMatchObject({ stream, revision: 0, position, data: { status: 'ACTIVE' } });
      expect(read!.metadata).toEqual({ actor: { type: 'user', id: 'ann' } });
    });

    it('takes appends to one stream that are sent without waiting for each other', async () => {
      const stream = freshStream();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          store.append({ stream, expectedRevision: index * 2 - 1, events: someEvents(2) }),
        ),
      );
      expect(answers.map(({ revision }) => revision)).toEqual(answers.map((_, index) => index * 2 + 1));
      expect(await revisionOf(store, stream)).toBe(99);
    });

    it('settles no append at once, so that nobody comes to rely on it', async () => {
      let settled = false;
      const append = store.append({ stream: freshStream(), expectedRevision: -1, events: someEvents(1) });
      const watched = append.then(() => {
        settled = true;
      });
      expect(settled).toBe(false);
      await watched;
    });
  });

  describe('an append that expects another revision than the stream has', () => {
    const stream = freshStream();
    beforeAll(() => store.append({ stream, expectedRevision: -1, events: someEvents(3) }));

    for (const expected of [-1, 0, 1, 3, 100]) {
      it(`is refused at ${expected} where the stream is at 2, and writes nothing`, async () => {
        const fault = await faultOf(store.append({ stream, expectedRevision: expected, events: someEvents(2) }));
        expect(fault).toEqual({ code: 'wrong-expected-revision', stream, expected, actual: 2 });
        expect(await revisionOf(store, stream)).toBe(2);
      });
    }

    it('is refused where it rests on another event of the same revision', async () => {
      const [first, second] = someEvents(2);
      const contested = freshStream();
      await store.append({ stream: contested, expectedRevision: -1, events: [first!] });
      const rests = (expectedEventId: string) =>
        store.append({ stream: contested, expectedRevision: 0, expectedEventId, events: [second!] });
      expect(await faultOf(rests(second!.id))).toMatchObject({ code: 'wrong-expected-revision', actual: 0 });
      expect(await rests(first!.id)).toMatchObject({ revision: 1 });
    });

    it('learns that a stream was never written', async () => {
      const absent = freshStream();
      const fault = await faultOf(store.append({ stream: absent, expectedRevision: 0, events: someEvents(1) }));
      expect(fault).toMatchObject({ code: 'wrong-expected-revision', expected: 0, actual: -1 });
      expect(await all(store.readStream(absent))).toEqual([]);
    });

    it('harms none of those sent beside it', async () => {
      const streams = [freshStream(), freshStream()];
      const outcomes = await Promise.allSettled([
        store.append({ stream: streams[0]!, expectedRevision: -1, events: someEvents(1) }),
        store.append({ stream, expectedRevision: 7, events: someEvents(1) }),
        store.append({ stream: streams[1]!, expectedRevision: -1, events: someEvents(1) }),
        store.append({ stream: streams[0]!, expectedRevision: 0, events: someEvents(1) }),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect(await revisionOf(store, streams[0]!)).toBe(1);
    });
  });

  describe('an event id that is already there', () => {
    it('is refused twice in one append', async () => {
      const stream = freshStream();
      const event = someEvent();
      const fault = await faultOf(store.append({ stream, expectedRevision: -1, events: [event, someEvent(), event] }));
      expect(fault).toEqual({ code: 'duplicate-event-id', stream, eventId: event.id });
      expect(await revisionOf(store, stream)).toBe(-1);
    });

    it('is refused however long ago the stream took it, and what came with it is not stored', async () => {
      const stream = freshStream();
      const old = someEvent();
      await store.append({ stream, expectedRevision: -1, events: [old, ...someEvents(20)] });
      const fault = await faultOf(store.append({ stream, expectedRevision: 20, events: [someEvent(), old] }));
      expect(fault).toEqual({ code: 'duplicate-event-id', stream, eventId: old.id });
      expect(await revisionOf(store, stream)).toBe(20);
    });

    it('is no matter where it is in another stream', async () => {
      const event = someEvent();
      const streams = [freshStream(), freshStream()];
      for (const stream of streams) await store.append({ stream, expectedRevision: -1, events: [event] });
      for (const stream of streams) expect(idsOf(await all(store.readStream(stream)))).toEqual([event.id]);
    });
  });

  describe('an append that no ledger could hold', () => {
    const invalid: Record<string, Partial<AppendRequest>> = {
      'no events and no receipt': { events: [] },
      'a receipt where nothing was ever written': { events: [], receipt: { commandId: 'c', bodyHash: 'h' } },
      'no stream name': { stream: '' },
      'a stream name that is reserved': { stream: '$streams' },
      'a stream name with half a character': { stream: 'port-\ud83d' },
      'a stream name that is too long': { stream: 'x'.repeat(1001) },
      'any revision at all': { expectedRevision: -2 },
      'half a revision': { expectedRevision: 0.5 },
      'no number for a revision': { expectedRevision: Number.NaN },
      'an id that is no UUID': { events: [someEvent({ id: 'event-1' })] },
      'an id in upper case': { events: [someEvent({ id: randomUUID().toUpperCase() })] },
      'the nil id': { events: [someEvent({ id: '00000000-0000-0000-0000-000000000000' })] },
      'an empty type': { events: [someEvent({ type: '' })] },
      'a type that is reserved': { events: [someEvent({ type: '$metadata' })] },
      'a schema version before the first': { events: [someEvent({ v: 0 })] },
      'a time without milliseconds': { events: [someEvent({ time: '2026-03-01T12:00:00Z' })] },
      'a time with an offset': { events: [someEvent({ time: '2026-03-01T12:00:00.000+01:00' })] },
      'data that is no object': { events: [someEvent({ data: '[1]' })] },
      'metadata that is no object': { events: [someEvent({ metadata: '' })] },
      'data with half a character': { events: [someEvent({ data: '{"a":"\udc00"}' })] },
      'a receipt without a command': { events: [], receipt: { commandId: '', bodyHash: 'h' } },
    };
    for (const [what, request] of Object.entries(invalid)) {
      it(`is refused: ${what}`, async () => {
        const append = store.append({ stream: freshStream(), expectedRevision: -1, events: someEvents(1), ...request });
        expect(await faultOf(append)).toMatchObject({ code: 'invalid-append' });
      });
    }

    it('may be as large as the limit, in bytes, and no larger', async () => {
      const frame = someEvent({ type: 'T', data: '{"x":""}', metadata: '{}' });
      const room = maxAppendBytes - eventOverheadBytes - 2 - 8 - 2;
      const full = { ...frame, data: `{"x":"${'é'.repeat(room / 2)}"}` };
      const over = { ...frame, data: `{"x":"${'é'.repeat(room / 2)}a"}` };
      const stream = freshStream();
      const fault = await faultOf(store.append({ stream, expectedRevision: -1, events: [over] }));
      expect(fault).toEqual({ code: 'append-too-large', stream, bytes: maxAppendBytes + 1, limit: maxAppendBytes });
      expect(await store.append({ stream, expectedRevision: -1, events: [full] })).toMatchObject({ revision: 0 });
    });
  });

  describe('text', () => {
    const texts = {
      emoji: '{"who":"👩‍🚀 Ünïcødé 中文 עברית"}',
      'escaped half characters': '{"half":"\\ud83d and \\udc00"}',
      'escaped control characters': '{"nul":"\\u0000","tab":"\\t"}',
      'line separators': '{"u2028":"\u2028\u2029"}',
      'white space and the order of keys': '{ "b" : 1,\n\t"a":2 }',
      'numbers as they were written': '{"a":1.0,"b":1e3,"c":12345678901234567890}',
      'repeated keys': '{"a":1,"a":2}',
      'a quarter of a megabyte': `{"x":"${'0123456789abcdef'.repeat(16_384)}"}`,
    };
    for (const [what, text] of Object.entries(texts)) {
      it(`survives as it was: ${what}`, async () => {
        const stream = freshStream('node-ß😀');
        const events = [someEvent({ data: text, metadata: text })];
        const { position } = await store.append({ stream, expectedRevision: -1, events });
        const [read] = await all(store.readStream(stream));
        expect([read!.dataText, read!.metadataText, read!.stream]).toEqual([text, text, stream]);
        const [found] = await all(store.readAll({ filter: { stream } }));
        expect([found!.dataText, found!.position]).toEqual([text, position]);
      });
    }
  });
}
