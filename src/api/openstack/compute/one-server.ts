import type { FastifyRequest } from 'fastify';
import type { Done } from '../../../runtime/command.ts';
import { Problem } from '../../problem.ts';
import { changeAsRead } from '../as-read.ts';
import type { Resources } from '../resources.ts';
import { conflict, inTheWay, serverNotFound } from './faults.ts';
import type { ServerState } from './server-state.ts';

/** @throws Fault where there is none */
export async function serverWith(resources: Resources, id: string): Promise<ServerState> {
  const server = await resources.find<ServerState>({ kind: 'server', id });
  if (server) return server;
  throw serverNotFound(id);
}

/** Gives a server a command. What stands in its way is told as Nova tells it. @throws Fault */
export async function commandServer(
  request: FastifyRequest,
  id: string,
  type: string,
  data: object = {},
  ifRevision?: number,
): Promise<Done> {
  try {
    return await request.resources.command(request, { kind: 'server', id }, type, data, ifRevision);
  } catch (error) {
    throw error instanceof Problem ? (inTheWay(id, error.help) ?? error) : error;
  }
}

/** The changes to make of a server; null where there is nothing to change. */
type Change = (server: ServerState) => object | null;

/** Changes a server by what is made of it as it is, so that nobody's change is lost. @throws Fault */
export const updateServer = (request: FastifyRequest, id: string, change: Change): Promise<ServerState> =>
  changeAsRead(
    request,
    async () => {
      const server = await serverWith(request.resources, id);
      const changes = change(server);
      if (changes === null) return server;
      const done = await commandServer(request, server.id, 'UpdateServer', changes, Number(server.revision));
      return done.state as unknown as ServerState;
    },
    () => conflict(`Others keep changing the instance ${id}; try again.`),
  );
