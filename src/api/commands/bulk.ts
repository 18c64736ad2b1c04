import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { Audit } from '../access/audit.ts';
import { commandHeaders } from '../http/headers.ts';
import type { Log } from '../http/log.ts';
import { documentedBulk } from '../openapi/openapi-routes.ts';
import { apiProblem, invalidRequest, passingProblem } from '../problems/problem.ts';
import { flag } from '../schemas/parameters.ts';
import { BulkExchange, type BulkLimits } from './bulk-exchange.ts';
import type { CommandGate } from './command-gate.ts';

const BulkQuery = z.strictObject({ state: flag.optional() });

/** `POST /v1/commands`: newline-delimited commands in, a verdict a line out. */
export function bulkRoute(
  app: FastifyInstance,
  options: {
    readonly aggregates: readonly Aggregate[];
    readonly gate: CommandGate;
    readonly limits: BulkLimits;
    readonly stopping: AbortSignal;
    readonly log: Log;
    readonly audit: Audit;
  },
): void {
  const aggregates = new Map<string, Aggregate>(options.aggregates.map((aggregate) => [aggregate.kind, aggregate]));

  let open = 0;

  // In a scope of its own, where nothing but NDJSON is read, and that as it comes.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/x-ndjson', (request, payload, done) => {
      const encoding = request.headers['content-encoding'];
      if (encoding === undefined || encoding === 'identity') done(null, payload);
      else done(apiProblem('unsupported-media-type', `The content encoding ${encoding} is not read here.`));
    });

    scope.post<{ Querystring: z.output<typeof BulkQuery>; Body: Readable | undefined }>(
      '/v1/commands',
      {
        schema: { ...documentedBulk(options.aggregates), querystring: BulkQuery },
        config: { needs: 'agent', reach: 'own' },
      },
      (request, reply) => {
        const { key, ifRevision, ...headers } = commandHeaders(request.headers);
        if (key !== undefined || ifRevision !== undefined) {
          const detail =
            'Idempotency-Key and If-Match belong to one command: put them into the line, as key and ifMatch.';
          throw invalidRequest([{ in: 'header', pointer: '', detail }]);
        }
        const { maxRequests } = options.limits;
        if (open >= maxRequests) {
          throw passingProblem('too-many-requests', `${maxRequests} bulk requests are open; no more are taken.`);
        }
        open++;
        reply.raw.once('close', () => open--);
        reply.hijack();
        reply.raw.writeHead(200, {
          'content-type': 'application/x-ndjson; charset=utf-8',
          'cache-control': 'no-store',
        });
        reply.raw.flushHeaders();
        const exchange = new BulkExchange(reply.raw, {
          ...options.limits,
          gate: options.gate,
          context: { aggregates, caller: request.caller, headers },
          withState: request.query.state ?? false,
          stopping: options.stopping,
          onRefused: (command, { type, slug }) => options.audit.refused(request, command, type.status, slug),
          onFault: (error) => options.log.error('bulk command failed', { requestId: request.id, error }),
        });
        exchange.run(request.body ?? request.raw).catch((error) => {
          // The caller went away in the middle of a line; what was accepted is carried out all the same.
          options.log.debug('bulk request broken off', { requestId: request.id, error });
          reply.raw.destroy();
        });
      },
    );
  });
}
