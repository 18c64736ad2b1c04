import type { FastifyInstance } from 'fastify';
import { baseUrl, forAll, withSlash } from '../service.ts';

const collections = ['networks', 'subnets', 'ports', 'agents'] as const;

/** `/network` and `/network/v2.0`: what clients ask first. */
export function versionRoutes(scope: FastifyInstance): void {
  scope.get('/', forAll, async (request) => ({
    versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ href: `${baseUrl(request)}/network/v2.0/`, rel: 'self' }] }],
  }));
  for (const path of withSlash('/v2.0')) {
    scope.get(path, forAll, async (request) => ({
      resources: collections.map((name) => ({
        name: name.slice(0, -1),
        collection: name,
        links: [{ href: `${baseUrl(request)}/network/v2.0/${name}`, rel: 'self' }],
      })),
    }));
  }
}
