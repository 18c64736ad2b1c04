import type { FastifyInstance } from 'fastify';
import { forRole } from '../service.ts';
import type { ServerState } from './server-state.ts';

/** `GET /limits`: nothing is limited here, so it tells what is used. */
export function limitRoutes(scope: FastifyInstance): void {
  scope.get('/v2.1/limits', forRole('reader'), async (request) => {
    let used = 0;
    for await (const _ of request.resources.list<ServerState>({ kind: 'server' })) used++;
    const absolute = { maxTotalInstances: -1, maxTotalCores: -1, maxTotalRAMSize: -1, totalInstancesUsed: used };
    return { limits: { rate: [], absolute } };
  });
}
