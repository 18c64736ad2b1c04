import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Clock, ManualClock, timestamp } from '../../runtime/clock.ts';
import { documentedClock, documentedNow } from '../openapi/openapi-routes.ts';
import { apiProblem } from '../problems/problem.ts';
import { parseDuration } from '../schemas/duration.ts';

const aCentury = 100 * 366 * 86_400_000;

const Advance = z.strictObject({
  advance: z
    .string()
    .transform((text, context) => {
      const milliseconds = parseDuration(text);
      if (milliseconds !== null && milliseconds <= aCentury) return milliseconds;
      context.addIssue(
        'must be an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as PT75S or P1DT2H',
      );
      return z.NEVER;
    })
    .meta({ example: 'PT75S', format: 'duration' }),
});

/**
 * `GET /v1/clock`: the ledger's time, by which ages are told. `POST /v1/clock`: makes time pass, where it stands still
 * otherwise; answers when all that was due has happened, and all that followed from it.
 */
export function clockRoute(app: FastifyInstance, clock: Clock, settled: () => Promise<void>): void {
  let moving: Promise<unknown> = Promise.resolve();

  app.get('/v1/clock', { schema: documentedNow(), config: { reach: 'own' } }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { now: timestamp(clock.now()), clock: clock instanceof ManualClock ? 'manual' : 'system' };
  });

  app.post<{ Body: z.output<typeof Advance> }>(
    '/v1/clock',
    { schema: { ...documentedClock(), body: Advance }, config: { needs: 'admin' } },
    async (request) => {
      if (!(clock instanceof ManualClock)) {
        throw apiProblem('clock-not-manual', 'This ledger runs on the clock of its machine.');
      }
      // One after the other: two that moved time at once would each end somewhere in the other's future.
      const moved = moving.then(async () => {
        const end = await clock.advance(request.body.advance, settled);
        await settled();
        return end;
      });
      moving = moved.catch(() => {});
      return { now: timestamp(await moved) };
    },
  );
}
