import type { FastifyInstance } from 'fastify';
import { agentRoutes } from './agents.ts';
import { bindingRoutes } from './bindings.ts';
import { extensionRoutes } from './extensions.ts';
import { networkRoutes as ownNetworkRoutes } from './networks.ts';
import { portRoutes } from './ports.ts';
import { subnetRoutes } from './subnets.ts';
import { versionRoutes } from './versions.ts';

/** Neutron's paths, as far as ports need them. */
export function networkRoutes(scope: FastifyInstance): void {
  versionRoutes(scope);
  extensionRoutes(scope);
  ownNetworkRoutes(scope);
  subnetRoutes(scope);
  portRoutes(scope);
  bindingRoutes(scope);
  agentRoutes(scope);
}
