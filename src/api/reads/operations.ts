import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { within } from '../access/auth.ts';
import { negotiate } from '../http/accept.ts';
import { documentedOperation } from '../openapi/openapi-reads.ts';
import { marker, minPosition, pageSize, withoutUndefined } from '../schemas/parameters.ts';
import { eventText } from './event-text.ts';
import { type ReadModels, readProblem } from './read-models.ts';
import { sendOnce } from './reads.ts';

const OperationQuery = z.strictObject({
  limit: pageSize.optional(),
  marker: marker.optional().meta({ description: 'The `next` of the page before.' }),
  min_position: minPosition,
});

/** `GET /v1/operations/{correlationId}`: what one request caused, event by event, on whatever resource. */
export function operationRoute(app: FastifyInstance, readModels: ReadModels): void {
  app.get<{ Params: { correlationId: string }; Querystring: z.output<typeof OperationQuery> }>(
    '/v1/operations/:correlationId',
    { schema: { ...documentedOperation(), querystring: OperationQuery }, config: { reach: 'own' } },
    async (request, reply) => {
      negotiate(request.headers.accept, ['application/json']);
      const { min_position, ...page } = request.query;
      const { correlationId } = request.params;
      const views = await readModels.reached(min_position);
      const { position, events, next } = await views
        .operation(within(request.caller, withoutUndefined({ correlationId, ...page })))
        .catch((error) => {
          throw readProblem(error);
        });
      const members = [
        `"correlationId":${JSON.stringify(correlationId)}`,
        `"events":[${events.map(eventText).join(',')}]`,
        `"next":${JSON.stringify(next)}`,
      ];
      return sendOnce(request, reply, members.join(','), position);
    },
  );
}
