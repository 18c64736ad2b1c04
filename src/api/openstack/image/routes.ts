import type { FastifyInstance, FastifyRequest } from 'fastify';
import { allOf, type Query } from '../listing.ts';
import { namedByServers } from '../named-by-servers.ts';
import { baseUrl, forAll, forRole, withSlash } from '../service.ts';

/**
 * As much of Glance as clients of servers look for: an image is a name here, so each one that is asked for exists, and
 * nothing is known of what is in it.
 */
export function imageRoutes(scope: FastifyInstance): void {
  scope.get('/', forAll, async (request) => ({ versions: [versionShown(request)] }));
  for (const path of withSlash('/v2'))
    scope.get(path, forAll, async (request) => ({ versions: [versionShown(request)] }));

  scope.get('/v2/images', forRole('reader'), async (request) => {
    const names = allOf(request.query as Query, 'name');
    const ids = names.length > 0 ? [] : await namedByServers(request.resources, 'imageRef');
    return { images: ids.map(imageShown), first: '/v2/images', schema: '/v2/schemas/images' };
  });
  scope.get<{ Params: { id: string } }>('/v2/images/:id', forRole('reader'), async ({ params }) =>
    imageShown(params.id),
  );
}

const versionShown = (request: FastifyRequest) => ({
  id: 'v2.9',
  status: 'CURRENT',
  links: [{ rel: 'self', href: `${baseUrl(request)}/image/v2/` }],
});

const imageShown = (id: string) => ({
  id,
  name: id,
  status: 'active',
  visibility: 'public',
  container_format: 'bare',
  disk_format: 'raw',
  size: 0,
  min_disk: 0,
  min_ram: 0,
  tags: [],
  self: `/v2/images/${id}`,
  file: `/v2/images/${id}/file`,
  schema: '/v2/schemas/image',
});
