import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { changeAsRead } from '../as-read.ts';
import { Fault } from '../fault.ts';
import { newId } from '../new-id.ts';
import type { Resources } from '../resources.ts';
import { baseUrl, forRole, withSlash } from '../service.ts';
import { invalid } from './faults.ts';
import { PatchStep } from './json-patch.ts';
import { attributesOf, changeOf } from './node-changes.ts';
import { listNodes } from './node-list.ts';
import { nodeNamed, requireFreeName } from './node-lookup.ts';
import { nodeShown, selectionOf } from './node-shown.ts';
import type { NodeState } from './node-state.ts';

type Ident = { Params: { ident: string } };

const Given = z.looseObject({ uuid: z.string().optional(), driver: z.string() });
const Patch = z.array(PatchStep);

/** Nodes themselves: enrolled, listed, shown, changed, deleted. */
export function nodeRoutes(scope: FastifyInstance): void {
  for (const path of withSlash('/v1/nodes')) {
    scope.get(path, forRole('reader'), (request) => listNodes(request, request.resources, false));
    scope.post(path, forRole('reader'), async (request, reply) => {
      const node = await enroll(request, request.resources);
      const location = `${baseUrl(request)}/baremetal/v1/nodes/${node.id}`;
      return reply
        .code(201)
        .header('location', location)
        .send(nodeShown(request, node, 'all'));
    });
  }
  for (const path of withSlash('/v1/nodes/detail')) {
    scope.get(path, forRole('reader'), (request) => listNodes(request, request.resources, true));
  }

  scope.get<Ident>('/v1/nodes/:ident', forRole('reader'), async (request) => {
    const node = await nodeNamed(request.resources, request.params.ident);
    return nodeShown(request, node, selectionOf(request, 'all'));
  });

  scope.patch<Ident>('/v1/nodes/:ident', forRole('reader'), async (request) =>
    nodeShown(request, await change(request, request.resources), 'all'),
  );

  scope.delete<Ident>('/v1/nodes/:ident', forRole('reader'), async (request, reply) => {
    const { id } = await nodeNamed(request.resources, request.params.ident);
    await request.resources.command(request, { kind: 'node', id }, 'DeleteNode');
    return reply.code(204).send();
  });
}

/** Clients from before `enroll` was known get a node that is available at once. */
const enrollSince = 11;

async function enroll(request: FastifyRequest, resources: Resources): Promise<NodeState> {
  const body = Given.safeParse(request.body);
  if (!body.success) throw new Fault(400, 'MissingParameterValue', 'A node needs a driver, as text.');
  const { uuid, ...given } = body.data;
  const id = uuid?.toLowerCase() ?? newId(request);
  const attributes = attributesOf(request, given);
  await requireFreeName(resources, given.name, id);
  const provisionState = request.microversion.minor < enrollSince ? 'available' : 'enroll';
  const data = { ...attributes, provisionState };
  return (await resources.command<NodeState>(request, { kind: 'node', id }, 'EnrollNode', data)).state;
}

/** A patch is of the node as it was read. */
const change = (request: FastifyRequest<Ident>, resources: Resources): Promise<NodeState> =>
  changeAsRead(
    request,
    async () => patchNode(request, resources, await nodeNamed(resources, request.params.ident)),
    () => new Fault(409, 'Conflict', 'Others keep changing the node; try again.'),
  );

async function patchNode(request: FastifyRequest, resources: Resources, node: NodeState): Promise<NodeState> {
  const patch = Patch.safeParse(request.body);
  if (!patch.success) throw invalid(`The body must be a JSON Patch: ${patch.error.issues[0]!.message}.`);
  const resource = { kind: 'node', id: node.id } as const;
  const done = await resources.earlier<NodeState>(request, resource, 'UpdateNode');
  if (done) return done.state;
  const { update, maintenance } = changeOf(request, node, patch.data);
  if (maintenance === null) {
    await requireFreeName(resources, (update as { name?: unknown }).name, node.id);
    return (await resources.command<NodeState>(request, resource, 'UpdateNode', update, node.revision)).state;
  }
  // Each is an append of its own; together they could be half done.
  if (Object.keys(update).length > 0) throw invalid('Change maintenance in a request of its own.');
  const type = maintenance ? 'SetMaintenance' : 'ClearMaintenance';
  return (await resources.command<NodeState>(request, resource, type)).state;
}
