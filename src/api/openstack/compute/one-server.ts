import type { FastifyRequest } from 'fastify';
import { Problem } from '../../problems/problem.ts';
import { changeAsRead } from '../as-read.ts';
import type { DoneTo, Resources } from '../resources.ts';
import { conflict, inTheWay, serverNotFound } from './faults.ts';
import type { ServerState } from './server-state.ts';

/** @throws Fault where there is none */
export const serverWith = (resources: Resources, id: string): Promise<ServerState> =>
  resources.existing<ServerState>({ kind: 'server', id }, () => serverNotFound(id));

/** Gives a server a command. What stands in its way is told as Nova tells it. @throws Fault */
export async function commandServer(
  request: FastifyRequest,
  id: string,
  type: string,
  data: object = {},
  ifRevision?: number,
): Promise<DoneTo<ServerState>> {
  try {
    return await request.resources.command<ServerState>(request, { kind: 'server', id }, type, data, ifRevision);
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
      const done = await request.resources.earlier<ServerState>(request, { kind: 'server', id }, 'UpdateServer');
      if (done) return done.state;
      const server = await serverWith(request.resources, id);
      const changes = change(server);
      if (changes === null) return server;
      return (await commandServer(request, server.id, 'UpdateServer', changes, server.revision)).state;
    },
    () => conflict(`Others keep changing the instance ${id}; try again.`),
  );
