import { describe, expect, test } from 'vitest';
import type { Deadline } from '../../src/domain/kernel/aggregate.ts';
import { type ResourceRef, streamOf } from '../../src/domain/kernel/resource.ts';
import { ManualClock, timestamp } from '../../src/runtime/clock.ts';
import { Deadlines, type MeetDeadline } from '../../src/runtime/deadlines.ts';

const port = (id: string): ResourceRef => ({ kind: 'port', id });

function alarm(meet: MeetDeadline = async () => []) {
  const clock = new ManualClock();
  const start = clock.now();
  const errors: unknown[] = [];
  const met: string[] = [];
  const deadlines = new Deadlines(
    clock,
    (resource, due) => {
      met.push(`${due.name} of ${streamOf(resource)} at ${(clock.now() - start) / 1000}`);
      return meet(resource, due);
    },
    (error) => errors.push(error),
  );
  const due = (name: string, seconds: number): Deadline => ({
    name,
    at: timestamp(start + seconds * 1000),
    command: { type: 'Expire', data: {} },
  });
  return { clock, deadlines, met, errors, due };
}

describe('resources that wait for something', () => {
  test('are met at their time, earliest first, whatever order they were set in', async () => {
    const { clock, deadlines, met, due } = alarm();
    const seconds = Array.from({ length: 200 }, (_, index) => ((index * 73) % 200) + 1);
    for (const second of seconds) deadlines.set(port(String(second)), [due('wait', second)]);

    await clock.advance(100_000);
    expect(met).toEqual(Array.from({ length: 100 }, (_, index) => `wait of port-${index + 1} at ${index + 1}`));
    expect(deadlines.count).toBe(100);
  });

  test('wait for what was set last', async () => {
    const { clock, deadlines, met, due } = alarm();
    deadlines.set(port('a'), [due('first', 10)]);
    deadlines.set(port('a'), [due('second', 20)]);
    deadlines.set(port('b'), [due('third', 5)]);
    deadlines.set(port('b'), []);
    await clock.advance(60_000);
    expect(met).toEqual(['second of port-a at 20']);
  });

  test('meet several deadlines of their own in turn', async () => {
    const { clock, deadlines, met, due } = alarm(async (_resource, { name }) =>
      name === 'soon' ? [due('late', 30)] : [],
    );
    deadlines.set(port('a'), [due('late', 30), due('soon', 10)]);
    await clock.advance(20_000);
    expect(met).toEqual(['soon of port-a at 10']);
    await clock.advance(20_000);
    expect(met).toEqual(['soon of port-a at 10', 'late of port-a at 30']);
  });

  test('are tried again while the ledger cannot be written', async () => {
    let writable = false;
    const { clock, deadlines, met, errors, due } = alarm(async () => {
      if (!writable) throw new Error('disk full');
      return [];
    });
    deadlines.set(port('a'), [due('wait', 10)]);
    await clock.advance(12_500);
    writable = true;
    await clock.advance(60_000);
    expect(met).toEqual([10, 11, 12, 13].map((second) => `wait of port-a at ${second}`));
    expect(errors).toHaveLength(3);
  });

  test('belong to the operation that set them, however often they are set again or moved', async () => {
    const operations: unknown[] = [];
    const { clock, deadlines, due } = alarm(async (_resource, { name, correlationId }) => {
      operations.push([name, correlationId]);
      return [];
    });
    deadlines.set(port('a'), [due('wait', 10)], 'boot');
    deadlines.set(port('a'), [due('wait', 10), due('lease', 5)], 'claim');
    deadlines.set(port('a'), [due('wait', 20), due('lease', 5)]);
    deadlines.set(port('b'), [due('wait', 30)], 'first');
    deadlines.set(port('b'), [due('wait', 40)], 'second');
    await clock.advance(60_000);
    expect(operations).toEqual([
      ['lease', 'claim'],
      ['wait', 'second'],
    ]);
  });

  test('are left alone once the alarm clock is closed', async () => {
    const { clock, deadlines, met, due } = alarm();
    deadlines.set(port('a'), [due('wait', 10)]);
    deadlines.close();
    await clock.advance(60_000);
    expect(met).toEqual([]);
  });

  test('keep their time when they are set again and again, far ahead', async () => {
    const { clock, deadlines, met, due } = alarm();
    for (let n = 0; n < 50_000; n++) deadlines.set(port(String(n % 20)), [due('wait', 1_000 + (n % 20))]);
    for (let n = 0; n < 10; n++) deadlines.set(port(String(n)), []);
    await clock.advance(2_000_000);
    expect(met).toEqual(Array.from({ length: 10 }, (_, index) => `wait of port-${index + 10} at ${index + 1_010}`));
  });
});
