import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type HistoryEntry, type HistoryPage, historyOf } from '../../projections/history.ts';
import { refText } from '../commands/commands.ts';
import { negotiate } from '../http/accept.ts';
import { documentedHistory } from '../openapi/openapi-routes.ts';
import { notFound } from '../problems/lifetime-problems.ts';
import { requireId } from '../schemas/command-schemas.ts';
import { flag, minPosition, pageSize, revision } from '../schemas/parameters.ts';
import type { LedgerReads } from './ledger-reads.ts';

const HistoryQuery = z.strictObject({
  limit: pageSize.optional(),
  marker: revision.optional().meta({ description: 'The `next` of the page before.' }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: '`asc`, oldest first, unless said otherwise.' }),
  diff: flag.optional().meta({ description: 'Whether each entry carries the JSON Patch it made to the state.' }),
  min_position: minPosition,
});

/** `GET /v1/{kind}s/{id}/history`: what happened, in order, with who, why, and how long the status before had lasted. */
export function historyRoutes(app: FastifyInstance, options: LedgerReads): void {
  for (const aggregate of options.aggregates) {
    app.get<{ Params: { id: string }; Querystring: z.output<typeof HistoryQuery> }>(
      `/v1/${aggregate.kind}s/:id/history`,
      { schema: { ...documentedHistory(aggregate), querystring: HistoryQuery }, config: { reach: aggregate.kind } },
      async (request, reply) => {
        negotiate(request.headers.accept, ['application/json']);
        const resource = { kind: aggregate.kind, id: request.params.id };
        requireId(aggregate, resource.id);
        const { limit = 100, order = 'asc', diff = false, marker, min_position } = request.query;
        await options.positions.reached(min_position);
        const query = { limit, order, diff, ...(marker !== undefined && { marker }) };
        const page = await historyOf(options.store, aggregate, resource, query);
        if (!page) throw notFound(resource);
        reply.header('content-type', 'application/json; charset=utf-8');
        return pageText(refText(resource), page);
      },
    );
  }
}

const pageText = (resourceText: string, { entries, next, lastRevision }: HistoryPage): string =>
  `{"resource":${resourceText},"lastRevision":${lastRevision},"next":${next},"events":[${entries.map(entryText).join(',')}]}`;

function entryText({ event, actor, cause, sincePreviousMs, statusChange, patch, unfoldable }: HistoryEntry): string {
  const { id, revision, position, type, v, time } = event;
  const head = JSON.stringify({ revision, position, id, type, v, time, actor, cause, sincePreviousMs, statusChange });
  const tail = JSON.stringify({ ...(patch && { patch }), ...(unfoldable !== undefined && { unfoldable }) });
  return `${head.slice(0, -1)},"data":${event.dataText}${tail === '{}' ? '}' : `,${tail.slice(1)}`}`;
}
