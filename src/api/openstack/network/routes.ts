import type { FastifyInstance } from 'fastify';
import type { Site } from '../site.ts';
import { agentRoutes } from './agents.ts';
import { bindingRoutes } from './bindings.ts';
import { extensionRoutes } from './extensions.ts';
import { networkRoutes as ownNetworkRoutes } from './networks.ts';
import { portRoutes } from './ports.ts';
import { subnetRoutes } from './subnets.ts';
import { versionRoutes } from './versions.ts';

/** Neutron's paths, as far as ports need them. */
export function networkRoutes(scope: FastifyInstance, site: Site): void {
  versionRoutes(scope);
  extensionRoutes(scope);
  ownNetworkRoutes(scope, site);
  subnetRoutes(scope, site);
  portRoutes(scope, site);
  bindingRoutes(scope, site);
  agentRoutes(scope, site);
}
