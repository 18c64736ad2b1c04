import type { FastifyInstance, FastifyRequest } from 'fastify';
import { namedByServers } from '../named-by-servers.ts';
import { forRole } from '../service.ts';
import { linksTo } from './server-shown.ts';

/** Flavors are names here: clients that look one up find it, and nothing of how large it is. */
export function flavorRoutes(scope: FastifyInstance): void {
  const shown = (request: FastifyRequest, name: string) => ({
    id: name,
    name,
    ram: 0,
    disk: 0,
    vcpus: 0,
    swap: '',
    rxtx_factor: 1,
    'OS-FLV-EXT-DATA:ephemeral': 0,
    'OS-FLV-DISABLED:disabled': false,
    'os-flavor-access:is_public': true,
    links: linksTo(request, `flavors/${name}`),
  });
  for (const path of ['/v2.1/flavors', '/v2.1/flavors/detail']) {
    scope.get(path, forRole('reader'), async (request) => ({
      flavors: (await namedByServers(request.resources, 'flavorRef')).map((name) => shown(request, name)),
    }));
  }
  scope.get<{ Params: { name: string } }>('/v2.1/flavors/:name', forRole('reader'), async (request) => ({
    flavor: shown(request, request.params.name),
  }));
  scope.get('/v2.1/flavors/:name/os-extra_specs', forRole('reader'), async () => ({ extra_specs: {} }));
}
