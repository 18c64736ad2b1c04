import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Aggregate } from '../domain/kernel/aggregate.ts';
import type { ListedResource, Page } from '../projections/queries.ts';
import { negotiate } from './accept.ts';
import { matchesTag, weakTag } from './etag.ts';
import { ListParameters, listQuery } from './list-query.ts';
import { documentedList } from './openapi-reads.ts';
import type { ReadModels } from './read-models.ts';

/** `GET /v1/{kind}s`: a page of resources. */
export function listRoutes(
  app: FastifyInstance,
  options: { readonly aggregates: readonly Aggregate[]; readonly readModels: ReadModels },
): void {
  for (const { kind } of options.aggregates) {
    app.get<{ Querystring: ListParameters }>(
      `/v1/${kind}s`,
      { schema: { ...documentedList(kind), querystring: ListParameters } },
      async (request, reply) => {
        negotiate(request.headers.accept, ['application/json']);
        const { min_position } = request.query;
        const { position, value } = await options.readModels.ask('list', listQuery(kind, request.query), min_position);
        return sendRead(request, reply, pageMembers(value), position);
      },
    );
  }
}

const pageMembers = ({ items, next }: Page<ListedResource>): string =>
  `"items":[${items.map(itemText).join(',')}],"next":${JSON.stringify(next)}`;

/** The state as it is read alone, and since when it is in its status. */
const itemText = ({ viewText, statusSince }: ListedResource): string =>
  `${viewText.slice(0, -1)},"statusSince":"${statusSince}"}`;

/** Sends members of an object and the position they are of. The tag leaves out the position, which moves all the time. */
export function sendRead(
  request: FastifyRequest,
  reply: FastifyReply,
  membersText: string,
  position: string,
): FastifyReply {
  const tag = weakTag(membersText);
  reply.header('etag', tag).header('cache-control', 'no-cache').header('stackledger-position', position);
  if (matchesTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  reply.header('content-type', 'application/json; charset=utf-8');
  return reply.send(`{${membersText},"position":"${position}"}`);
}
