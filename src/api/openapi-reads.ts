import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Kind } from '../domain/kernel/resource.ts';
import { Timestamp } from '../domain/kernel/resource.ts';
import { answered, position, problems, State } from './openapi-routes.ts';

/* What the API reference says of the reads that are answered by the read models. */

const ListedState = State.extend({
  statusSince: Timestamp.meta({ description: 'Since when it is in its status.' }),
}).meta({ id: 'ListedState' });

const next = z.string().nullable().meta({ description: 'The `marker` of the next page; null where this is the last.' });

const pageOf = (item: z.ZodType) => z.object({ items: z.array(item), next, position });

export const documentedList = (kind: Kind): FastifySchema => ({
  tags: ['Reads'],
  operationId: `${kind}List`,
  summary: `The ${kind}s`,
  description: `A page of ${kind}s as they are at \`position\`. Filters narrow it down together; a filter that is given several values, by repeating it or (where values have no comma) with commas, takes any of them.`,
  response: { ...answered('A page.', pageOf(ListedState)), ...problems(503) },
});
