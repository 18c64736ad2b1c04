import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { Flow } from '../../src/domain/flows/flow.ts';
import { flows } from '../../src/domain/flows/flows.ts';
import { campaign } from './campaign.ts';
import { faultKinds } from './faults.ts';
import { namedSeeds } from './seeds.ts';
import { report, simulate } from './simulate.ts';

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

  test('fails, and does not hang, where a process manager answers itself for ever', async () => {
    const fate = await simulate(1, [...flows, answersItself]);
    expect(fate.failure?.violation.rule).toBe('comes-to-rest');
    expect(report(fate)).toMatch(/^seed 1, step .*: the rule comes-to-rest is broken/);
  });
});

describe('a thousand worlds', () => {
  test('keep all rules, after each step', { timeout: 300_000 }, async () => {
    const { worlds, events, faults, findings } = await campaign({ from: 1, seeds: 1000, jobs: availableParallelism() });
    expect(findings.join('\n')).toBe('');
    expect(worlds).toBe(1000);
    expect(events).toBeGreaterThan(20_000);
    expect(Object.keys(faults).sort()).toEqual([...faultKinds].sort());
  });
});

/** Each change of a port's name is the reason for the next one. */
const answersItself: Flow = {
  name: 'answers-itself',
  types: ['PortCreated', 'PortUpdated'],
  react: ({ resource, revision }) => [{ resource, type: 'UpdatePort', data: { name: `after-${revision}` } }],
};
