import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppendResult, EventStore, NewEvent } from '../../src/store/event-store.ts';
import { faultOf, freshStream, type OpenEngine, revisionOf, someEvent, someEvents } from './support.ts';

export function describeRetries(open: OpenEngine): void {
  let store: EventStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  describe('an append whose answer was lost', () => {
    let stream: string;
    let events: NewEvent[];
    let answer: AppendResult;
    beforeEach(async () => {
      stream = freshStream();
      events = someEvents(3);
      await store.append({ stream, expectedRevision: -1, events: someEvents(2) });
      answer = await store.append({ stream, expectedRevision: 1, events });
    });

    it('gets the same answer again and writes nothing', async () => {
      expect(await store.append({ stream, expectedRevision: 1, events })).toEqual(answer);
      expect(await revisionOf(store, stream)).toBe(4);
    });

    it('gets it also when the stream has moved on', async () => {
      await store.append({ stream, expectedRevision: 4, events: someEvents(5) });
      expect(await store.append({ stream, expectedRevision: 1, events })).toEqual(answer);
      expect(await revisionOf(store, stream)).toBe(9);
    });

    it('gets it when both tries arrive together', async () => {
      const later = someEvents(2);
      const [first, second] = await Promise.all([
        store.append({ stream, expectedRevision: 4, events: later }),
        store.append({ stream, expectedRevision: 4, events: later }),
      ]);
      expect(second).toEqual(first);
      expect(await revisionOf(store, stream)).toBe(6);
    });

    it('gets it where the retry holds only the first part of what was written', async () => {
      const part = events.slice(0, 2);
      const { revision } = await store.append({ stream, expectedRevision: 1, events: part });
      expect(revision).toBe(3);
    });
  });

  describe('an append that only resembles an earlier one', () => {
    let stream: string;
    let events: NewEvent[];
    beforeEach(async () => {
      stream = freshStream();
      events = someEvents(3);
      await store.append({ stream, expectedRevision: -1, events });
    });

    const resembling: Record<string, () => NewEvent[]> = {
      'another first event': () => [someEvent(), ...events.slice(1)],
      'another last event': () => [...events.slice(0, 2), someEvent()],
      'one event more than was written': () => [...events, someEvent()],
      'the events in another order': () => events.toReversed(),
    };
    for (const [what, resemblance] of Object.entries(resembling)) {
      it(`has lost a race: ${what}`, async () => {
        const fault = await faultOf(store.append({ stream, expectedRevision: -1, events: resemblance() }));
        expect(fault).toMatchObject({ code: 'wrong-expected-revision', expected: -1, actual: 2 });
        expect(await revisionOf(store, stream)).toBe(2);
      });
    }

    it('is refused for its ids when it expects the revision the first try led to', async () => {
      const fault = await faultOf(store.append({ stream, expectedRevision: 2, events }));
      expect(fault).toEqual({ code: 'duplicate-event-id', stream, eventId: events[0]!.id });
    });
  });
}
