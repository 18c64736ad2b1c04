import type { FastifyInstance } from 'fastify';
import type { Site } from '../site.ts';
import { actionRoutes } from './actions.ts';
import { attributeRoutes } from './attributes.ts';
import { externalEventRoutes } from './external-events.ts';
import { flavorRoutes } from './flavors.ts';
import { instanceActionRoutes } from './instance-actions.ts';
import { limitRoutes } from './limits.ts';
import { serverRoutes } from './servers.ts';
import { versionRoutes } from './versions.ts';

/** Nova's paths, as far as servers need them. */
export function computeRoutes(scope: FastifyInstance, site: Site): void {
  versionRoutes(scope);
  serverRoutes(scope, site);
  actionRoutes(scope, site);
  attributeRoutes(scope, site);
  externalEventRoutes(scope, site);
  instanceActionRoutes(scope, site);
  flavorRoutes(scope, site);
  limitRoutes(scope, site);
}
