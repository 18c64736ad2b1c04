import type { FastifyInstance } from 'fastify';
import { historyRoutes } from './history.ts';
import { nodeRoutes } from './nodes.ts';
import { stateRoutes } from './states.ts';
import { surroundingRoutes } from './surroundings.ts';
import { versionRoutes } from './versions.ts';

/** Ironic's paths, as far as nodes need them. */
export function baremetalRoutes(scope: FastifyInstance): void {
  versionRoutes(scope);
  nodeRoutes(scope);
  stateRoutes(scope);
  historyRoutes(scope);
  surroundingRoutes(scope);
}
