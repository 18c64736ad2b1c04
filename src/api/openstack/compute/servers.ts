import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { newId } from '../new-id.ts';
import type { Resources } from '../resources.ts';
import { baseUrl, forRole } from '../service.ts';
import { addressesOf } from './addresses.ts';
import { memberOf } from './body.ts';
import { badRequest, knows } from './faults.ts';
import { commandServer, serverWith } from './one-server.ts';
import { listServers } from './server-list.ts';
import { linksTo, serverShown } from './server-shown.ts';

const Networks = z.union([
  z.enum(['auto', 'none']),
  z.array(z.looseObject({ port: z.string().optional(), uuid: z.string().optional() })),
]);

/** What is read of a request for servers; what else Nova knows goes to whoever builds them. */
const Wanted = z.looseObject({
  name: z.string().min(1).max(255),
  flavorRef: z.union([z.string(), z.number()]).transform(String),
  imageRef: z.string().optional(),
  description: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  tags: z.array(z.string()).optional(),
  availability_zone: z.string().nullable().optional(),
  networks: Networks.optional(),
  min_count: z.coerce.number().int().positive().optional(),
  max_count: z.coerce.number().int().positive().optional(),
});
type Wanted = z.output<typeof Wanted>;

const mostAtOnce = 1000;

const Changes = z.strictObject({
  name: z.string().min(1).max(255).optional(),
  description: z.string().nullable().optional(),
  accessIPv4: z.string().optional(),
  accessIPv6: z.string().optional(),
  'OS-DCF:diskConfig': z.string().optional(),
  hostname: z.string().optional(),
});

type OnServer = { Params: { id: string } };

/** `/v2.1/servers`. */
export function serverRoutes(scope: FastifyInstance): void {
  scope.get('/v2.1/servers', forRole('reader'), (request) => listServers(request, request.resources, false));
  scope.get('/v2.1/servers/detail', forRole('reader'), (request) => listServers(request, request.resources, true));

  scope.post('/v2.1/servers', forRole('reader'), async (request, reply) => {
    const id = await create(request, request.resources, memberOf(request, 'server', Wanted));
    const links = linksTo(request, `servers/${id}`);
    return reply
      .code(202)
      .header('location', `${baseUrl(request)}/compute/v2.1/servers/${id}`)
      .send({ server: { id, links, 'OS-DCF:diskConfig': 'MANUAL', security_groups: [{ name: 'default' }] } });
  });

  scope.get<OnServer>('/v2.1/servers/:id', forRole('reader'), async (request) => {
    const server = await serverWith(request.resources, request.params.id);
    return { server: serverShown(request, server, await addressesOf(request.resources, server)) };
  });

  scope.put<OnServer>('/v2.1/servers/:id', forRole('reader'), async (request) => {
    const { id } = await serverWith(request.resources, request.params.id);
    const { name, description } = memberOf(request, 'server', Changes);
    const changes = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
    const { state: server } = await commandServer(request, id, 'UpdateServer', changes);
    return { server: serverShown(request, server, await addressesOf(request.resources, server)) };
  });

  scope.delete<OnServer>('/v2.1/servers/:id', forRole('reader'), async (request, reply) => {
    const { id } = await serverWith(request.resources, request.params.id);
    await commandServer(request, id, 'DeleteServer');
    return reply.code(204).send();
  });
}

/** Makes as many servers as are wanted, and gives the id of the first. */
async function create(request: FastifyRequest, resources: Resources, wanted: Wanted): Promise<string> {
  const count = wanted.max_count ?? wanted.min_count ?? 1;
  if (count < (wanted.min_count ?? 1)) throw badRequest('min_count must be <= max_count');
  if (count > mostAtOnce) throw badRequest(`No more than ${mostAtOnce} servers are made at once.`);
  if (wanted.networks === undefined && knows(request, 37)) throw badRequest("'networks' is a required property");
  const ports = await portsIn(resources, wanted);
  if (count > 1 && ports.length > 0)
    throw badRequest('Unable to launch multiple instances with a single configured port ID.');
  const ids = Array.from({ length: count }, (_, number) => newId(request, number));
  const { actor } = request.caller;
  const data = {
    description: wanted.description ?? null,
    projectId: actor.projectId ?? '',
    userId: actor.id,
    imageRef: wanted.imageRef || null,
    flavorRef: wanted.flavorRef,
    metadata: wanted.metadata ?? {},
    tags: wanted.tags ?? [],
    availabilityZone: wanted.availability_zone ?? null,
    reservationId: `r-${ids[0]!.slice(0, 8)}`,
    ports,
  };
  for (const [index, id] of ids.entries()) {
    const name = count === 1 ? wanted.name : `${wanted.name}-${index + 1}`;
    await resources.command(request, { kind: 'server', id }, 'CreateServer', { ...data, name });
  }
  return ids[0]!;
}

/** Ports that exist already go with the server; those of a network are made by whoever builds it. */
async function portsIn(resources: Resources, { networks }: Wanted): Promise<string[]> {
  if (networks === undefined || typeof networks === 'string') return [];
  const ids = networks.flatMap(({ port }) => port ?? []);
  for (const id of ids) {
    if (!(await resources.find({ kind: 'port', id }))) throw badRequest(`Port id ${id} could not be found.`);
  }
  return ids;
}
