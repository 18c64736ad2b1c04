import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { portAggregate } from '../../src/domain/port/index.ts';
import type { Port } from '../../src/domain/port/state.ts';
import { Resource } from '../support/story.ts';

const entities = ['L2', 'DHCP', 'storage', 'l2', ''];

const Report = fc.record({
  type: fc.constantFrom('AddProvisioningComponent', 'RemoveProvisioningComponent', 'ProvisioningComplete'),
  data: fc.record({ entity: fc.constantFrom(...entities) }),
});

const portAfter = (reports: readonly { type: string; data: object }[]) => {
  const port = new Resource<Port>(portAggregate);
  port.execute('CreatePort');
  for (const { type, data } of reports) port.execute(type, data);
  return port;
};

const blocksOf = (port: Resource<Port>) => port.state!.blocks.map((block) => block.entity).sort();

describe('reports that are retried, doubled and reordered', () => {
  test('leave the blocks that the distinct reports leave in the order in which they first arrived', () => {
    // Each reporter sends its report once or more; a repeat may arrive at any time after the first.
    const scenario = fc.uniqueArray(fc.constantFrom(...entities), { minLength: 1 }).chain((reporting) =>
      fc.record({
        reporting: fc.shuffledSubarray(reporting, { minLength: reporting.length }),
        repeats: fc.array(fc.constantFrom(...reporting), { maxLength: 20 }),
        seed: fc.infiniteStream(fc.nat()),
      }),
    );
    fc.assert(
      fc.property(scenario, ({ reporting, repeats, seed }) => {
        const blocked = entities.map((entity) => ({ type: 'AddProvisioningComponent', data: { entity } }));
        const complete = (entity: string) => ({ type: 'ProvisioningComplete', data: { entity } });
        const arrivals = [...reporting];
        for (const entity of repeats) {
          const earliest = arrivals.indexOf(entity) + 1;
          arrivals.splice(earliest + (seed.next().value! % (arrivals.length - earliest + 1)), 0, entity);
        }
        const noisy = portAfter([...blocked, ...arrivals.map(complete)]);
        const distinct = portAfter([...blocked, ...reporting.map(complete)]);
        expect(blocksOf(noisy)).toEqual(blocksOf(distinct));
        expect(noisy.state!.status).toBe(distinct.state!.status);
        expect(noisy.revision).toBe(distinct.revision);
      }),
      { numRuns: 500 },
    );
  });

  test('change nothing when they are repeated at once', () => {
    fc.assert(
      fc.property(fc.array(Report, { maxLength: 25 }), (reports) => {
        const port = portAfter(reports);
        for (const { type, data } of reports.slice(-3)) {
          port.execute(type, data);
          expect(port.decide(type, data)).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('provision a port exactly once in each round, and never one that is blocked', () => {
    fc.assert(
      fc.property(fc.array(Report, { maxLength: 40 }), (reports) => {
        const port = portAfter([]);
        for (const { type, data } of reports) {
          const round = port.state!.round;
          const before = { number: round.number, provisioned: round.provisioned !== null };
          const events = port.execute(type, data).map((event) => event.type);
          const provisioned = events.filter((name) => name === 'PortProvisioned').length;
          expect(provisioned).toBeLessThanOrEqual(before.provisioned ? 0 : 1);
          if (provisioned) expect(port.state!.blocks).toEqual([]);
          if (port.state!.status === 'ACTIVE') expect(port.state!.blocks).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
