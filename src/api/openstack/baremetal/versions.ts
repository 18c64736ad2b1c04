import type { FastifyInstance } from 'fastify';
import { textOf } from '../microversion.ts';
import { baseUrl, forAll, withSlash } from '../service.ts';
import { microversions } from './service.ts';

const collections = ['nodes', 'ports', 'portgroups', 'chassis', 'drivers', 'conductors', 'allocations'] as const;

/** `/baremetal` and `/baremetal/v1`: what clients ask first. */
export function versionRoutes(scope: FastifyInstance): void {
  scope.get('/', forAll, async (request) => {
    const version = v1(`${baseUrl(request)}/baremetal`);
    return {
      name: 'OpenStack Ironic API',
      description: 'Bare metal nodes, as Stackledger keeps them.',
      versions: [version],
      default_version: version,
    };
  });
  for (const path of withSlash('/v1')) {
    scope.get(path, forAll, async (request) => {
      const root = `${baseUrl(request)}/baremetal`;
      const links = collections.map((name) => [name, [{ href: `${root}/v1/${name}/`, rel: 'self' }]]);
      return {
        id: 'v1',
        links: [{ href: `${root}/v1/`, rel: 'self' }],
        media_types: [{ base: 'application/json', type: 'application/json' }],
        version: v1(root),
        ...Object.fromEntries(links),
      };
    });
  }
}

const v1 = (root: string) => ({
  id: 'v1',
  links: [{ href: `${root}/v1/`, rel: 'self' }],
  status: 'CURRENT',
  min_version: textOf(microversions.least),
  version: textOf(microversions.most),
});
