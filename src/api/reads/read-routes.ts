import type { FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import { kinds, type ResourceRef } from '../../domain/kernel/resource.ts';
import type { Ask, QueryName } from '../../projections/queries.ts';
import {
  documentedBlocked,
  documentedGraph,
  documentedOverview,
  documentedSearch,
  documentedTimeline,
} from '../openapi/openapi-reads.ts';
import { requireId } from '../schemas/command-schemas.ts';
import { marker, minPosition, pageSize, smallNumber, text, time, withoutUndefined } from '../schemas/parameters.ts';
import { type Reads, type Shape, shape } from './reads.ts';

const limit = pageSize.optional();
const nextMarker = marker.optional().meta({ description: 'The `next` of the page before.' });
const kind = z.enum(kinds).optional().meta({ description: 'Only resources of this kind.' });

/** The members of an answer that is an object already. */
const asItIs = <N extends QueryName>(): Shape<N> => shape<N>((answer) => JSON.stringify(answer).slice(1, -1));

const overviewShape = asItIs<'overview'>();
const blockedShape = asItIs<'waiting'>();
const graphShape = asItIs<'graph'>();
const timelineShape = asItIs<'statusHistory'>();
const searchShape = shape<'search'>((hits) => `"items":${JSON.stringify(hits)}`);

/** What the read models answer beside lists: an overview, who waits, a graph, a timeline, a search. */
export function readRoutes(app: FastifyInstance, aggregates: readonly Aggregate[], reads: Reads): void {
  route(app, reads, '/v1/overview', {
    documented: documentedOverview(),
    query: {
      limit: smallNumber(100)
        .optional()
        .meta({ description: 'At most so many of each list; 20 unless said otherwise.' }),
      minutes: smallNumber(1440).optional().meta({
        description: 'How far rates and flapping look back from the newest event; 60 unless said otherwise.',
      }),
    },
    question: (query) => ({ name: 'overview', ask: withoutUndefined(query), shape: overviewShape }),
  });

  route(app, reads, '/v1/blocked', {
    documented: documentedBlocked(),
    query: {
      kind,
      what: text.optional().meta({ description: 'Only who waits for this: L2, network-vif-plugged, capacity, ...' }),
      host: text.optional().meta({ description: 'Only what is to be done on this host.' }),
      holder: text.optional().meta({ description: 'Only what this one holds or is to do.' }),
      before: time.optional().meta({ description: 'Only who has waited since this time or longer.' }),
      limit,
      marker: nextMarker,
    },
    question: (query) => ({ name: 'waiting', ask: withoutUndefined(query), shape: blockedShape }),
  });

  route(app, reads, '/v1/search', {
    documented: documentedSearch(),
    query: {
      q: text.meta({ description: 'The beginning of an id, a name, a MAC or an IP address, in upper or lower case.' }),
      kind,
      limit: smallNumber(100).optional().meta({ description: 'At most so many; 20 unless said otherwise.' }),
    },
    question: ({ q, ...query }) => ({
      name: 'search',
      ask: withoutUndefined({ text: q, ...query }),
      shape: searchShape,
    }),
  });

  const depth = smallNumber(6).optional().meta({ description: 'How many steps away; 3 unless said otherwise.' });
  for (const aggregate of aggregates) {
    route(app, reads, `/v1/graph/${aggregate.kind}/:id`, {
      documented: documentedGraph(aggregate),
      query: { depth, limit },
      aggregate,
      question: (query, id) => ({
        name: 'graph',
        ask: withoutUndefined({ kind: aggregate.kind, id, ...query }),
        shape: graphShape,
      }),
    });

    route(app, reads, `/v1/${aggregate.kind}s/:id/timeline`, {
      documented: documentedTimeline(aggregate),
      query: {
        from: time.optional().meta({ description: 'Only intervals that reach to this time or beyond.' }),
        to: time.optional().meta({ description: 'Only intervals that began by this time.' }),
        limit,
        marker: nextMarker,
      },
      aggregate,
      question: (query, id) => ({
        name: 'statusHistory',
        ask: withoutUndefined({ kind: aggregate.kind, id, ...query }),
        shape: timelineShape,
      }),
    });
  }
}

interface Route<N extends QueryName, Q extends z.ZodRawShape> {
  readonly documented: FastifySchema;
  readonly query: Q;
  /** Whose id the path holds; there has to be such a resource, or have been. */
  readonly aggregate?: Aggregate;
  readonly question: (
    query: z.output<z.ZodObject<Q>>,
    id: string,
  ) => { readonly name: N; readonly ask: Ask<N>; readonly shape: Shape<N> };
}

function route<N extends QueryName, Q extends z.ZodRawShape>(
  app: FastifyInstance,
  reads: Reads,
  path: string,
  { documented, query, aggregate, question }: Route<N, Q>,
): void {
  const querystring = z.strictObject({ ...query, min_position: minPosition });
  app.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>(
    path,
    { schema: { ...documented, querystring }, config: { reach: aggregate?.kind ?? 'own' } },
    async (request, reply) => {
      const { min_position, ...asked } = request.query as { min_position?: string };
      const { id } = request.params;
      if (aggregate) {
        requireId(aggregate, id);
        const resource: ResourceRef = { kind: aggregate.kind, id };
        await reads.requireKnown(resource, min_position);
      }
      const put = question(asked as z.output<z.ZodObject<Q>>, id);
      return reads.answer(request, reply, { ...put, minPosition: min_position });
    },
  );
}
