import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPosition, RecordedEvent } from '../../src/store/event-store.ts';
import { EventTail } from '../../src/store/event-tail.ts';
import { SparseTail } from '../../src/store/eventstoredb/sparse-tail.ts';
import { someEvent } from '../contract/support.ts';

const eventAt = (position: number, type = 'A'): RecordedEvent =>
  new RecordedEvent('port-1', position - 1, formatPosition(position), someEvent({ type }));

const positionsOf = (events: readonly RecordedEvent[]): number[] => events.map(({ position }) => Number(position));

describe('the tail of a ledger', () => {
  it('holds a run of events up to the head, whatever is pushed', () => {
    const limits = { maxEvents: 20, maxBytes: 1_000_000 };
    fc.assert(
      fc.property(fc.nat(50), fc.array(fc.integer({ min: 1, max: 30 })), (start, batches) => {
        const tail = new EventTail(start, limits);
        let head = start;
        for (const size of batches) {
          tail.push(Array.from({ length: size }, (_, index) => eventAt(head + 1 + index)));
          head += size;
          expect(tail.head).toBe(head);
          expect(head - tail.base).toBeLessThanOrEqual(limits.maxEvents);
          const { events, considered } = tail.page(tail.base, () => true, 1000);
          expect(positionsOf(events)).toEqual(Array.from({ length: head - tail.base }, (_, at) => tail.base + 1 + at));
          expect(considered).toBe(head);
        }
      }),
    );
  });

  it('holds fewer where they are large', () => {
    const tail = new EventTail(0, { maxEvents: 1000, maxBytes: 2000 });
    for (let position = 1; position <= 100; position++) tail.push([eventAt(position)]);
    const { events } = tail.page(tail.base, () => true, 1000);
    const bytes = events.reduce((sum, { dataText, metadataText }) => sum + dataText.length + metadataText.length, 0);
    expect(bytes).toBeLessThanOrEqual(2000);
    expect(events.length).toBeGreaterThan(5);
    expect(tail.head).toBe(100);
  });

  it('says how far it looked where little passes', () => {
    const tail = new EventTail(0, { maxEvents: 1000, maxBytes: 1_000_000 });
    tail.push(Array.from({ length: 600 }, (_, index) => eventAt(index + 1, index % 100 === 0 ? 'Rare' : 'A')));
    const rare = ({ type }: { type: string }): boolean => type === 'Rare';
    const page = tail.page(0, rare, 2);
    expect([positionsOf(page.events), page.considered]).toEqual([[1, 101], 101]);
    const next = tail.page(page.considered, rare, 100);
    expect([positionsOf(next.events), next.considered]).toEqual([[201, 301], 357]);
  });

  it('finds its place where positions have gaps as well', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.nat(50), gaps, fc.nat(20_000), (start, steps, after) => {
        const tail = new SparseTail(start, { maxEvents: 20, maxBytes: 1_000_000 });
        const positions: number[] = [];
        for (const step of steps) positions.push((positions.at(-1) ?? start) + step);
        for (const position of positions) tail.push([eventAt(position)]);
        expect(tail.head).toBe(positions.at(-1));
        const from = Math.min(Math.max(after, tail.base), tail.head);
        const { events, considered } = tail.page(from, () => true, 1000);
        expect(positionsOf(events)).toEqual(positions.filter((position) => position > from));
        expect(considered).toBe(tail.head);
      }),
    );
  });

  it('starts anew where what is pushed does not follow', () => {
    const tail = new EventTail(0, { maxEvents: 1000, maxBytes: 1_000_000 });
    tail.push([eventAt(1), eventAt(2)]);
    tail.push([eventAt(8), eventAt(9)]);
    expect([tail.base, tail.head]).toEqual([7, 9]);
  });
});
