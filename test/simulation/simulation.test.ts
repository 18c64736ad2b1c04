import { describe, expect, test } from 'vitest';
import { namedSeeds } from './seeds.ts';
import { report, simulate } from './simulate.ts';

/** So many worlds, or as many as fit into the time. */
const worlds = 900;
const timeMs = 30_000;

describe('a world from one seed', () => {
  test.each(Object.entries(namedSeeds))('%s', async (_fault, seed) => {
    const fate = await simulate(seed);
    expect(fate.failure, report(fate)).toBeNull();
  });

  test('is the same world each time', async () => {
    for (const seed of [1, 2, 3]) {
      const [first, second] = [await simulate(seed), await simulate(seed)];
      const written = ({ log }: typeof first) => log.map((event) => JSON.stringify(event));
      expect(first.log.length).toBeGreaterThan(20);
      expect(written(second)).toEqual(written(first));
    }
  });

  test('keeps all rules, after each step', { timeout: 2 * timeMs }, async () => {
    const end = performance.now() + timeMs;
    let seed = 1;
    for (; seed <= worlds && performance.now() < end; seed++) {
      const fate = await simulate(seed);
      expect(fate.failure, report(fate)).toBeNull();
    }
    expect(seed).toBeGreaterThan(20);
  });
});
