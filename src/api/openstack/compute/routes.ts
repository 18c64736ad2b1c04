import type { FastifyInstance } from 'fastify';
import { actionRoutes } from './actions.ts';
import { attributeRoutes } from './attributes.ts';
import { externalEventRoutes } from './external-events.ts';
import { flavorRoutes } from './flavors.ts';
import { instanceActionRoutes } from './instance-actions.ts';
import { limitRoutes } from './limits.ts';
import { serverRoutes } from './servers.ts';
import { versionRoutes } from './versions.ts';

/** Nova's paths, as far as servers need them. */
export function computeRoutes(scope: FastifyInstance): void {
  versionRoutes(scope);
  serverRoutes(scope);
  actionRoutes(scope);
  attributeRoutes(scope);
  externalEventRoutes(scope);
  instanceActionRoutes(scope);
  flavorRoutes(scope);
  limitRoutes(scope);
}
