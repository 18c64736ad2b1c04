import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { forRole } from '../service.ts';
import { notFound } from './faults.ts';
import type { ServerState } from './server-state.ts';
import { checked, memberOf, serverWith } from './servers.ts';

const Metadata = z.record(z.string().min(1).max(255), z.string().max(255));
const Tags = z.array(z.string().min(1).max(60)).max(50);

type OnServer = { Params: { id: string } };
type OnKey = { Params: { id: string; key: string } };

/** `/servers/{id}/metadata` and `/servers/{id}/tags`. */
export function attributeRoutes(scope: FastifyInstance): void {
  const change = async (request: FastifyRequest, id: string, changes: object) => {
    const done = await request.resources.command(request, { kind: 'server', id }, 'UpdateServer', changes);
    return done.state as unknown as ServerState;
  };

  const metadata = '/v2.1/servers/:id/metadata';
  scope.get<OnServer>(metadata, forRole('reader'), async (request) => ({
    metadata: (await serverWith(request.resources, request.params.id)).metadata,
  }));
  scope.put<OnServer>(metadata, forRole('reader'), async (request) => {
    const { id } = await serverWith(request.resources, request.params.id);
    return { metadata: (await change(request, id, { metadata: memberOf(request, 'metadata', Metadata) })).metadata };
  });
  scope.post<OnServer>(metadata, forRole('reader'), async (request) => {
    const server = await serverWith(request.resources, request.params.id);
    const merged = { ...server.metadata, ...memberOf(request, 'metadata', Metadata) };
    return { metadata: (await change(request, server.id, { metadata: merged })).metadata };
  });
  scope.delete<OnKey>(`${metadata}/:key`, forRole('reader'), async (request, reply) => {
    const { id, key } = request.params;
    const { [key]: value, ...others } = (await serverWith(request.resources, id)).metadata;
    if (value === undefined) throw notFound('Metadata item was not found');
    await change(request, id, { metadata: others });
    return reply.code(204).send();
  });

  const tags = '/v2.1/servers/:id/tags';
  scope.get<OnServer>(tags, forRole('reader'), async (request) => ({
    tags: (await serverWith(request.resources, request.params.id)).tags,
  }));
  scope.put<OnServer>(tags, forRole('reader'), async (request) => {
    const { id } = await serverWith(request.resources, request.params.id);
    return { tags: (await change(request, id, { tags: memberOf(request, 'tags', Tags) })).tags };
  });
  scope.put<OnKey>(`${tags}/:key`, forRole('reader'), async (request, reply) => {
    const { id, key } = request.params;
    const server = await serverWith(request.resources, id);
    if (server.tags.includes(key)) return reply.code(204).send();
    await change(request, id, { tags: checked(Tags, [...server.tags, key], 'tags') });
    return reply.code(201).send();
  });
  scope.delete<OnServer>(tags, forRole('reader'), async (request, reply) => {
    const { id } = await serverWith(request.resources, request.params.id);
    await change(request, id, { tags: [] });
    return reply.code(204).send();
  });
  scope.delete<OnKey>(`${tags}/:key`, forRole('reader'), async (request, reply) => {
    const { id, key } = request.params;
    const server = await serverWith(request.resources, id);
    if (!server.tags.includes(key)) throw notFound(`Server tag '${key}' not found`);
    await change(request, id, { tags: server.tags.filter((tag) => tag !== key) });
    return reply.code(204).send();
  });
}
