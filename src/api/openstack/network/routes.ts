import type { FastifyInstance } from 'fastify';
import type { Site } from '../site.ts';
import { versionRoutes } from './versions.ts';

export function networkRoutes(scope: FastifyInstance, _site: Site): void {
  versionRoutes(scope);
}
