import type { FastifyInstance } from 'fastify';
import { textOf } from '../microversion.ts';
import { baseUrl, forAll, withSlash } from '../service.ts';
import { microversions } from './service.ts';

/** `/compute` and `/compute/v2.1`: what clients ask first. */
export function versionRoutes(scope: FastifyInstance): void {
  scope.get('/', forAll, async (request) => ({ versions: [v21(baseUrl(request))] }));
  for (const path of withSlash('/v2.1')) {
    scope.get(path, forAll, async (request) => ({ version: v21(baseUrl(request)) }));
  }
}

const v21 = (base: string) => ({
  id: 'v2.1',
  links: [{ href: `${base}/compute/v2.1/`, rel: 'self' }],
  status: 'CURRENT',
  min_version: textOf(microversions.least),
  version: textOf(microversions.most),
  updated: '2013-07-23T11:33:21Z',
});
