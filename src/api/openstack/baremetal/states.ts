import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { baseUrl, forRole } from '../service.ts';
import { parsed } from './body.ts';
import { requireMinor } from './faults.ts';
import { nodeFields, sinceOf } from './node-fields.ts';
import { nodeNamed } from './node-lookup.ts';
import { requireVerbVersion, verbIn } from './provision.ts';

type Ident = { Params: { ident: string } };

const shownStates = [
  'console_enabled',
  'last_error',
  'power_state',
  'target_power_state',
  'provision_state',
  'target_provision_state',
  'provision_updated_at',
  'raid_config',
  'target_raid_config',
  'boot_mode',
  'secure_boot',
];

const PowerBody = z.strictObject({ target: z.string(), timeout: z.int().min(1).max(31_536_000).nullish() });
const MaintenanceBody = z.strictObject({ reason: z.string().nullish() }).nullish();

/** What moves a node: verbs, power, maintenance. All of it is accepted now and done later. */
export function stateRoutes(scope: FastifyInstance): void {
  scope.get<Ident>('/v1/nodes/:ident/states', forRole('reader'), async (request) => {
    const node = await nodeNamed(request.resources, request.params.ident);
    const { minor } = request.microversion;
    const shown = shownStates.filter((field) => sinceOf(field) <= minor);
    return Object.fromEntries(shown.map((field) => [field, nodeFields[field]!.value(node, minor)]));
  });

  scope.put<Ident>('/v1/nodes/:ident/states/provision', forRole('reader'), async (request, reply) => {
    const node = await nodeNamed(request.resources, request.params.ident);
    const verb = verbIn(request.body);
    requireVerbVersion(request, node, verb);
    await request.resources.command(request, { kind: 'node', id: node.id }, 'SetProvisionState', verb);
    return accepted(request, reply);
  });

  scope.put<Ident>('/v1/nodes/:ident/states/power', forRole('reader'), async (request, reply) => {
    const { id } = await nodeNamed(request.resources, request.params.ident);
    const { target, timeout } = parsed(PowerBody, request.body);
    if (timeout) requireMinor(request, 27, 'timeout');
    if (target.startsWith('soft ')) requireMinor(request, 27, target);
    const timeoutMs = timeout ? { timeoutMs: timeout * 1000 } : {};
    await request.resources.command(request, { kind: 'node', id }, 'SetPowerState', { target, ...timeoutMs });
    return accepted(request, reply);
  });

  scope.put<Ident>('/v1/nodes/:ident/maintenance', forRole('reader'), async (request, reply) => {
    const { id } = await nodeNamed(request.resources, request.params.ident);
    const reason = parsed(MaintenanceBody, request.body)?.reason ?? null;
    await request.resources.command(request, { kind: 'node', id }, 'SetMaintenance', { reason });
    return reply.code(202).send();
  });

  scope.delete<Ident>('/v1/nodes/:ident/maintenance', forRole('reader'), async (request, reply) => {
    const { id } = await nodeNamed(request.resources, request.params.ident);
    await request.resources.command(request, { kind: 'node', id }, 'ClearMaintenance');
    return reply.code(202).send();
  });
}

/** Clients look at the states until what they asked for has come about. */
function accepted(request: FastifyRequest<Ident>, reply: FastifyReply): FastifyReply {
  const ident = encodeURIComponent(request.params.ident);
  return reply
    .code(202)
    .header('location', `${baseUrl(request)}/baremetal/v1/nodes/${ident}/states`)
    .send();
}
