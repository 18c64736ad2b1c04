import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { forRole } from '../service.ts';
import { checked, memberOf } from './body.ts';
import { notFound } from './faults.ts';
import { serverWith, updateServer } from './one-server.ts';

const Metadata = z.record(z.string().min(1).max(255), z.string().max(255));
const Tags = z.array(z.string().min(1).max(60)).max(50);

type OnServer = { Params: { id: string } };
type OnKey = { Params: { id: string; key: string } };

/** `/servers/{id}/metadata` and `/servers/{id}/tags`. */
export function attributeRoutes(scope: FastifyInstance): void {
  const metadata = '/v2.1/servers/:id/metadata';
  scope.get<OnServer>(metadata, forRole('reader'), async (request) => ({
    metadata: (await serverWith(request.resources, request.params.id)).metadata,
  }));
  scope.put<OnServer>(metadata, forRole('reader'), async (request) => {
    const wanted = () => ({ metadata: memberOf(request, 'metadata', Metadata) });
    return { metadata: (await updateServer(request, request.params.id, wanted)).metadata };
  });
  scope.post<OnServer>(metadata, forRole('reader'), async (request) => {
    const server = await updateServer(request, request.params.id, (known) => ({
      metadata: { ...known.metadata, ...memberOf(request, 'metadata', Metadata) },
    }));
    return { metadata: server.metadata };
  });
  scope.delete<OnKey>(`${metadata}/:key`, forRole('reader'), async (request, reply) => {
    const { id, key } = request.params;
    await updateServer(request, id, (server) => {
      if (!Object.hasOwn(server.metadata, key)) throw notFound('Metadata item was not found');
      const { [key]: _, ...others } = server.metadata;
      return { metadata: others };
    });
    return reply.code(204).send();
  });

  const tags = '/v2.1/servers/:id/tags';
  scope.get<OnServer>(tags, forRole('reader'), async (request) => ({
    tags: (await serverWith(request.resources, request.params.id)).tags,
  }));
  scope.put<OnServer>(tags, forRole('reader'), async (request) => {
    const wanted = () => ({ tags: memberOf(request, 'tags', Tags) });
    return { tags: (await updateServer(request, request.params.id, wanted)).tags };
  });
  scope.put<OnKey>(`${tags}/:key`, forRole('reader'), async (request, reply) => {
    const { id, key } = request.params;
    let status: 201 | 204 = 201;
    await updateServer(request, id, (server) => {
      status = server.tags.includes(key) ? 204 : 201;
      return status === 204 ? null : { tags: checked(Tags, [...server.tags, key], 'tags') };
    });
    return reply.code(status).send();
  });
  scope.delete<OnServer>(tags, forRole('reader'), async (request, reply) => {
    await updateServer(request, request.params.id, () => ({ tags: [] }));
    return reply.code(204).send();
  });
  scope.delete<OnKey>(`${tags}/:key`, forRole('reader'), async (request, reply) => {
    const { id, key } = request.params;
    await updateServer(request, id, (server) => {
      if (!server.tags.includes(key)) throw notFound(`Server tag '${key}' not found`);
      return { tags: server.tags.filter((tag) => tag !== key) };
    });
    return reply.code(204).send();
  });
}
