import type { FastifyInstance } from 'fastify';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { ListedResource } from '../../projections/queries.ts';
import { documentedList } from '../openapi/openapi-reads.ts';
import { ListParameters, listQuery } from '../schemas/list-query.ts';
import { type Reads, shape } from './reads.ts';

/** `GET /v1/{kind}s`: a page of resources. */
export function listRoutes(app: FastifyInstance, aggregates: readonly Aggregate[], reads: Reads): void {
  for (const { kind } of aggregates) {
    app.get<{ Querystring: ListParameters }>(
      `/v1/${kind}s`,
      { schema: { ...documentedList(kind), querystring: ListParameters }, config: { reach: 'own' } },
      (request, reply) => {
        const { query } = request;
        const ask = listQuery(kind, query);
        return reads.answer(request, reply, { name: 'list', ask, shape: listShape, minPosition: query.min_position });
      },
    );
  }
}

/** The state as it is read alone, and since when it is in its status. */
const itemText = ({ viewText, statusSince }: ListedResource): string =>
  `${viewText.slice(0, -1)},"statusSince":"${statusSince}"}`;

const listShape = shape<'list'>(
  ({ items, next }) => `"items":[${items.map(itemText).join(',')}],"next":${JSON.stringify(next)}`,
);
