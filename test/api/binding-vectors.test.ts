import { afterAll, describe, expect, test } from 'vitest';
import { driversFor, ownDriversFor, within } from '../domain/port/neutron/drivers.ts';
import { play } from '../domain/port/neutron/play.ts';
import { type Scenario, scenarios } from '../domain/port/neutron/vectors.ts';
import { domainOf, startNeutronServer } from './neutron-server.ts';

type Server = ReturnType<typeof startNeutronServer>;

/** Drivers that a scenario brings along: all on one server, each for the hosts of its scenario. */
const broughtAlong = scenarios.flatMap((scenario, number) =>
  ownDriversFor(scenario) ? [] : driversFor(scenario).map((driver) => within(domainOf(number), driver)),
);

describe("Neutron's ports, step by step over HTTP", () => {
  const servers = new Map<string, Server>();
  afterAll(async () => {
    await Promise.all([...servers.values()].map(async (server) => (await server).stop()));
  });

  /** One server for all scenarios that ask for the same drivers. */
  function serverFor(scenario: Scenario): Server {
    const own = ownDriversFor(scenario);
    const server = servers.get(`${own}`) ?? startNeutronServer(own ?? broughtAlong);
    servers.set(`${own}`, server);
    return server;
  }
  const totals = { steps: 0, asRecorded: 0 };

  test.each(scenarios.map((scenario, number) => ({ ...scenario, number })))(
    '$name',
    async ({ number, ...scenario }) => {
      const server = await serverFor(scenario);
      const { steps, asRecorded } = await play(scenario, await server.stage(number));
      totals.steps += steps;
      totals.asRecorded += asRecorded;
    },
  );

  test('are compared as far, and are as much as recorded, as without HTTP', () => {
    const all = scenarios.flatMap(({ steps }) => steps).length;
    expect(totals.steps / all).toBeGreaterThan(0.85);
    expect(totals.asRecorded / totals.steps).toBeGreaterThan(0.8);
  });
});
