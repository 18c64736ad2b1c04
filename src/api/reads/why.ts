import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import type { PortSettings } from '../../domain/port/drivers/configured.ts';
import type { Why } from '../../domain/why/explanation.ts';
import type { Moment } from '../../projections/state-at.ts';
import type { Views } from '../../projections/views.ts';
import type { WhySources } from '../../projections/why/load-world.ts';
import { type Present, whyNow, whyThen } from '../../projections/why/why.ts';
import { timestamp } from '../../runtime/clock.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { CommandGate } from '../commands/command-gate.ts';
import { negotiate } from '../http/accept.ts';
import { documentedWhy } from '../openapi/openapi-why.ts';
import { notFound } from '../problems/lifetime-problems.ts';
import { requireId } from '../schemas/command-schemas.ts';
import { minPosition, moment } from '../schemas/parameters.ts';
import type { PositionWait } from './position-wait.ts';
import type { ReadModels } from './read-models.ts';
import { stateThen } from './resources.ts';
import { whyWithin } from './why-within.ts';

const WhyQuery = z.strictObject({ at: moment.optional(), min_position: minPosition });

export interface WhyOptions {
  readonly runtime: Runtime;
  readonly store: EventStore;
  readonly aggregates: WhySources['aggregates'];
  readonly settings: PortSettings;
  readonly views: Promise<Views>;
  readonly gate: CommandGate;
  readonly positions: PositionWait;
  readonly readModels: ReadModels;
}

/** `GET /v1/{kind}s/{id}/why`: what the resource waits for, or with `?at=` what it waited for then. Deleted ones as well. */
export function whyRoutes(app: FastifyInstance, options: WhyOptions): void {
  const sources = whySources(options);
  const present = presentOf(options);
  const explainThen = async (aggregate: Aggregate, resource: ResourceRef, at: Moment): Promise<Why | null> => {
    const then = await stateThen(options.store, aggregate, resource, at);
    return then && whyThen(sources, resource, at, then);
  };
  for (const aggregate of Object.values<Aggregate>(options.aggregates)) {
    app.get<{ Params: { id: string }; Querystring: z.output<typeof WhyQuery> }>(
      `/v1/${aggregate.kind}s/:id/why`,
      { schema: { ...documentedWhy(aggregate), querystring: WhyQuery }, config: { reach: aggregate.kind } },
      async (request, reply) => {
        negotiate(request.headers.accept, ['application/json']);
        const resource = { kind: aggregate.kind, id: request.params.id };
        requireId(aggregate, resource.id);
        const { at, min_position } = request.query;
        await options.positions.reached(min_position);
        if (min_position !== undefined) await options.readModels.reached(min_position);
        const why = at ? await explainThen(aggregate, resource, at) : await whyNow(sources, present, resource);
        if (!why) throw notFound(resource);
        reply.header('cache-control', 'no-cache').header('stackledger-position', why.at.position);
        const { caller } = request;
        if (caller.confinedTo === undefined) return why;
        return whyWithin(why, (other) => options.gate.scope.sees(caller, other));
      },
    );
  }
}

/** Explanations do without read models that are still being opened. */
export function whySources({ store, aggregates, settings, views }: WhyOptions): WhySources {
  let opened: Views | null = null;
  views.then(
    (ready) => {
      opened = ready;
    },
    () => {}, // whoever opens them says so
  );
  return { store, aggregates, settings, views: () => opened };
}

export const presentOf = ({ gate, runtime }: Pick<WhyOptions, 'gate' | 'runtime'>): Present => ({
  now: () => timestamp(runtime.clock.now()),
  current: (resource) => gate.current(resource),
  heardAt: (resource) => runtime.heardAt(resource),
});
