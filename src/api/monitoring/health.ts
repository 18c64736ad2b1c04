import type { FastifyInstance } from 'fastify';
import { documentedHealth, documentedMetrics } from '../openapi/openapi-routes.ts';
import type { Metrics } from './metrics.ts';

/** Says why the server should not be sent requests; null where it should. */
export type ReadinessCheck = () => string | null | Promise<string | null>;

export function healthRoutes(
  app: FastifyInstance,
  options: { readonly metrics: Metrics; readonly readiness: readonly ReadinessCheck[] },
): void {
  app.get('/livez', { schema: documentedHealth('Whether the process runs.'), config: { needs: null } }, async () => ({
    status: 'ok',
  }));

  app.get(
    '/readyz',
    { schema: documentedHealth('Whether requests should be sent here.'), config: { needs: null } },
    async (_request, reply) => {
      const checked = await Promise.all(options.readiness.map((check) => check()));
      const reasons = checked.filter((reason) => reason !== null);
      if (reasons.length === 0) return { status: 'ok' };
      return reply.code(503).header('retry-after', '5').send({ status: 'unavailable', reasons });
    },
  );

  app.get('/metrics', { schema: documentedMetrics() }, async (_request, reply) => {
    reply.header('content-type', options.metrics.contentType);
    return options.metrics.render();
  });
}
