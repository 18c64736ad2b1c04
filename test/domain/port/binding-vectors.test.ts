import { describe, expect, test } from 'vitest';
import { driversFor } from './neutron/drivers.ts';
import { play } from './neutron/play.ts';
import { type NovaEvent, novaEvent, scenarios } from './neutron/vectors.ts';
import { openSite } from './site.ts';

describe("Neutron's ports, step by step", () => {
  const totals = { steps: 0, asRecorded: 0 };

  test.each(scenarios)('$name', async (scenario) => {
    const site = await openSite(driversFor(scenario));
    const takeTold = async () => {
      await site.settle();
      const news = site.told.splice(0).map(({ data }) => novaEvent(data as NovaEvent));
      return { times: news.length, news };
    };
    const { steps, asRecorded } = await play(scenario, { ...site, takeTold });
    expect(site.refusedByFlows).toEqual([]);
    totals.steps += steps;
    totals.asRecorded += asRecorded;
  });

  test('are compared almost to the end, and mostly as they were recorded', () => {
    const all = scenarios.flatMap(({ steps }) => steps).length;
    expect(totals.steps / all).toBeGreaterThan(0.85);
    expect(totals.asRecorded / totals.steps).toBeGreaterThan(0.8);
  });
});
