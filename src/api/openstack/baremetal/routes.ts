import type { FastifyInstance } from 'fastify';
import type { Site } from '../site.ts';
import { historyRoutes } from './history.ts';
import { nodeRoutes } from './nodes.ts';
import { stateRoutes } from './states.ts';
import { surroundingRoutes } from './surroundings.ts';
import { versionRoutes } from './versions.ts';

/** Ironic's paths, as far as nodes need them. */
export function baremetalRoutes(scope: FastifyInstance, site: Site): void {
  versionRoutes(scope);
  nodeRoutes(scope, site);
  stateRoutes(scope, site);
  historyRoutes(scope, site);
  surroundingRoutes(scope, site);
}
