import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../fault.ts';
import type { Resources } from '../resources.ts';
import { forRole, withSlash } from '../service.ts';
import { offsetTime } from '../times.ts';
import { requireMinor } from './faults.ts';
import { interfaces } from './node-fields.ts';
import { nodeNamed } from './node-lookup.ts';
import { linksTo } from './node-shown.ts';
import type { NodeState } from './node-state.ts';

/** What Ironic has and this ledger does not: clients that look there find nothing. The member of the answer, by path. */
const nothing: Readonly<Record<string, string>> = {
  ports: 'ports',
  'ports/detail': 'ports',
  portgroups: 'portgroups',
  'portgroups/detail': 'portgroups',
  chassis: 'chassis',
  'chassis/detail': 'chassis',
  allocations: 'allocations',
  deploy_templates: 'deploy_templates',
  'volume/connectors': 'connectors',
  'volume/targets': 'targets',
};

/** The same below a node. */
const nothingOfNode: Readonly<Record<string, string>> = {
  ports: 'ports',
  portgroups: 'portgroups',
  vifs: 'vifs',
  traits: 'traits',
  bios: 'bios',
  'volume/connectors': 'connectors',
  'volume/targets': 'targets',
};

/** Conductors and drivers, as the nodes name them, and what is always empty. */
export function surroundingRoutes(scope: FastifyInstance): void {
  for (const [path, member] of Object.entries(nothing)) {
    for (const either of withSlash(`/v1/${path}`)) scope.get(either, forRole('reader'), async () => ({ [member]: [] }));
  }
  for (const [path, member] of Object.entries(nothingOfNode)) {
    scope.get<{ Params: { ident: string } }>(`/v1/nodes/:ident/${path}`, forRole('reader'), async (request) => {
      await nodeNamed(request.resources, request.params.ident);
      return { [member]: [] };
    });
  }

  scope.get<{ Params: { ident: string } }>('/v1/nodes/:ident/validate', forRole('reader'), async (request) => {
    await nodeNamed(request.resources, request.params.ident);
    // Clients deploy nothing that is not valid. What a driver needs is the worker's affair, who says so when it fails.
    const unchecked = { result: true, reason: 'Not checked here: whoever works on the node finds out.' };
    return Object.fromEntries(Object.keys(interfaces).map((name) => [name, unchecked]));
  });

  for (const path of withSlash('/v1/conductors')) {
    scope.get(path, forRole('reader'), async (request) => {
      requireMinor(request, 49, 'conductors');
      const { conductors } = await inUse(request.resources);
      return { conductors: [...conductors.values()].map((conductor) => conductorShown(request, conductor)) };
    });
  }
  scope.get<{ Params: { hostname: string } }>('/v1/conductors/:hostname', forRole('reader'), async (request) => {
    requireMinor(request, 49, 'conductors');
    const { hostname } = request.params;
    const conductor = (await inUse(request.resources)).conductors.get(hostname);
    if (!conductor) throw new Fault(404, 'ConductorNotFound', `No node names ${hostname} as its conductor.`);
    return { ...conductorShown(request, conductor), drivers: [...conductor.drivers].sort() };
  });

  for (const path of withSlash('/v1/drivers')) {
    scope.get(path, forRole('reader'), async (request) => {
      const { drivers } = await inUse(request.resources);
      return { drivers: [...drivers].map(([name, hosts]) => driverShown(request, name, hosts)) };
    });
  }
  scope.get<{ Params: { name: string } }>('/v1/drivers/:name', forRole('reader'), async (request) => {
    const { name } = request.params;
    const hosts = (await inUse(request.resources)).drivers.get(name);
    if (!hosts) throw new Fault(404, 'DriverNotFound', `No node has the driver ${name}.`);
    return driverShown(request, name, hosts);
  });
}

interface Conductor {
  readonly hostname: string;
  readonly drivers: Set<string>;
  createdAt: string;
  updatedAt: string;
}

/** The conductors and drivers that nodes name. There are few of them, however many nodes. */
async function inUse(resources: Resources) {
  const conductors = new Map<string, Conductor>();
  const drivers = new Map<string, Set<string>>();
  for await (const { conductor, driver, createdAt, updatedAt } of resources.list<NodeState>({ kind: 'node' })) {
    const hosts = drivers.get(driver) ?? new Set();
    drivers.set(driver, hosts);
    if (conductor === null) continue;
    hosts.add(conductor);
    const known = conductors.get(conductor) ?? { hostname: conductor, drivers: new Set(), createdAt, updatedAt };
    known.drivers.add(driver);
    if (updatedAt > known.updatedAt) known.updatedAt = updatedAt;
    conductors.set(conductor, known);
  }
  return { conductors, drivers };
}

/** One that is lost has its nodes taken over, so those that have nodes are believed to be alive. */
const conductorShown = (request: FastifyRequest, { hostname, createdAt, updatedAt }: Conductor) => ({
  hostname,
  conductor_group: '',
  alive: true,
  created_at: offsetTime(createdAt),
  updated_at: offsetTime(updatedAt),
  links: linksTo(request, `conductors/${hostname}`),
});

const driverShown = (request: FastifyRequest, name: string, hosts: ReadonlySet<string>) => ({
  name,
  hosts: [...hosts].sort(),
  links: linksTo(request, `drivers/${name}`),
  ...(request.microversion.minor >= 30 && { type: 'dynamic' }),
});
