import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Kind, kinds } from '../../domain/kernel/resource.ts';
import { type DoctorMarker, examine } from '../../projections/why/doctor.ts';
import { negotiate } from '../http/accept.ts';
import { documentedDoctor } from '../openapi/openapi-why.ts';
import { minPosition, pageSize } from '../schemas/parameters.ts';
import { readProblem } from './read-models.ts';
import { presentOf, type WhyOptions, whySources } from './why.ts';

/** `<kind>` or `<kind>.<marker of its list>`. */
const marker = z
  .string()
  .max(2000)
  .transform((text, context): DoctorMarker => {
    const dot = text.indexOf('.');
    const kind = (dot < 0 ? text : text.slice(0, dot)) as Kind;
    if (kinds.includes(kind)) return { kind, marker: dot < 0 ? null : text.slice(dot + 1) };
    context.addIssue('must be the `next` of the page before');
    return z.NEVER;
  });

const textOf = ({ kind, marker: inList }: DoctorMarker): string => (inList === null ? kind : `${kind}.${inList}`);

const DoctorQuery = z.strictObject({
  kind: z.enum(kinds).optional().meta({ description: 'Only these.' }),
  limit: pageSize
    .optional()
    .meta({ description: 'How many resources are looked at for this page; 100 unless said otherwise.' }),
  marker: marker.optional().meta({ description: 'The `next` of the page before.', type: 'string' }),
  min_position: minPosition,
});

/** `GET /v1/doctor`: what would bite later, found by looking through everything that lives, a page at a time. */
export function doctorRoute(app: FastifyInstance, options: WhyOptions): void {
  const sources = whySources(options);
  const present = presentOf(options);
  app.get<{ Querystring: z.output<typeof DoctorQuery> }>(
    '/v1/doctor',
    { schema: { ...documentedDoctor(), querystring: DoctorQuery } },
    async (request, reply) => {
      negotiate(request.headers.accept, ['application/json']);
      const { kind, limit = 100, marker: at, min_position } = request.query;
      const views = await options.readModels.reached(min_position);
      const query = { limit, ...(kind !== undefined && { kind }), ...(at !== undefined && { marker: at }) };
      const page = await examine(sources, present, views, query).catch((error) => {
        throw readProblem(error);
      });
      reply.header('cache-control', 'no-cache').header('stackledger-position', page.position);
      return { ...page, next: page.next && textOf(page.next) };
    },
  );
}
