import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireRole } from '../../access/auth.ts';
import { roleForCommand } from '../../access/roles.ts';
import { Problem } from '../../problems/problem.ts';
import { forRole } from '../service.ts';
import { checked } from './body.ts';
import { knows } from './faults.ts';
import type { ServerState } from './server-state.ts';

/** The names there are, and the version each came with. */
const namesSince: Readonly<Record<string, number>> = {
  'network-changed': 1,
  'network-vif-plugged': 1,
  'network-vif-unplugged': 1,
  'network-vif-deleted': 1,
  'volume-extended': 51,
  'power-update': 76,
  'accelerator-request-bound': 82,
  'volume-reimaged': 93,
};

/** These speak about a thing that the tag names. */
const needTag = ['volume-extended', 'power-update', 'accelerator-request-bound'];

const bodyFor = (request: FastifyRequest) => {
  const names = Object.keys(namesSince).filter((name) => knows(request, namesSince[name]!));
  const event = z.strictObject({
    name: z.enum(names),
    server_uuid: z.uuid(),
    tag: z.string().max(255).optional(),
    status: z.enum(['failed', 'completed', 'in-progress']).default('completed'),
  });
  return z.strictObject({ events: z.array(event).min(1) });
};
type Event = z.output<ReturnType<typeof bodyFor>>['events'][number];

/** `POST /os-server-external-events`: what others tell Nova, each with a verdict of its own. */
export function externalEventRoutes(scope: FastifyInstance): void {
  scope.post('/v2.1/os-server-external-events', forRole('reader'), async (request, reply) => {
    requireRole(request.caller, roleForCommand('ReceiveExternalEvent'));
    const { events } = checked(bodyFor(request), request.body, 'body');
    const verdicts: object[] = [];
    let accepted = 0;
    for (const [number, event] of events.entries()) {
      const code = await take(request, event, number);
      if (code === 200) accepted++;
      // What was said of the event itself is not told back: Nova's answer has its own verdict there.
      verdicts.push({ ...event, status: code === 200 ? 'completed' : 'failed', code });
    }
    return reply.code(accepted === events.length ? 200 : 207).send({ events: verdicts });
  });
}

/** The verdict on one event. A server that is being built may hear early; one that is nowhere else has nobody to hear. */
async function take(request: FastifyRequest, event: Event, number: number): Promise<number> {
  const { name, server_uuid: given, tag, status } = event;
  const id = given.toLowerCase();
  const { resources } = request;
  const server = await resources.find<ServerState>({ kind: 'server', id });
  if (!server) return 404;
  if (server.host === null && server.vmState !== 'building') return 422;
  if (!tag && needTag.includes(name)) return 400;
  try {
    const data = { name, ...(tag && { tag }), status };
    await resources.commandPart(request, { kind: 'server', id }, 'ReceiveExternalEvent', data, number);
    return 200;
  } catch (error) {
    const code = error instanceof Problem ? refused[error.type.status] : undefined;
    if (code === undefined) throw error;
    return code;
  }
}

/** What the rules refuse, with their status, is the verdict on this event and on no other. */
const refused: Readonly<Record<number, number>> = { 404: 404, 409: 422, 410: 404, 412: 422, 422: 422 };
