import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { Json } from '../../domain/kernel/json.ts';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import { UnfoldableEvent } from '../../projections/folding.ts';
import { type Moment, stateAt } from '../../projections/state-at.ts';
import type { EventStore } from '../../store/event-store.ts';
import { type CommandGate, unreadable } from '../commands/command-gate.ts';
import { isLive } from '../commands/live-state.ts';
import { negotiate } from '../http/accept.ts';
import { matchesTag } from '../http/etag.ts';
import { documentedRead } from '../openapi/openapi-routes.ts';
import { gone, notFound } from '../problems/lifetime-problems.ts';
import { apiProblem, invalidRequest } from '../problems/problem.ts';
import { requireId } from '../schemas/command-schemas.ts';
import { minPosition, moment } from '../schemas/parameters.ts';
import type { LedgerReads } from './ledger-reads.ts';
import type { Reads, Shape } from './reads.ts';

interface VisibleState {
  readonly revision: number;
  readonly position: string;
  readonly deletedAt?: string | undefined;
  readonly stateText: string;
}

const StateQuery = z.strictObject({ at: moment.optional(), min_position: minPosition });

/** `GET /v1/{kind}s/{id}`: the state as it is, with `?at=` as it was, or with `Accept: text/event-stream` as it changes. */
export function resourceRoutes(
  app: FastifyInstance,
  options: LedgerReads & {
    readonly gate: CommandGate;
    readonly reads: Reads;
  },
): void {
  for (const aggregate of options.aggregates) {
    app.get<{ Params: { id: string }; Querystring: z.output<typeof StateQuery> }>(
      `/v1/${aggregate.kind}s/:id`,
      { schema: { ...documentedRead(aggregate), querystring: StateQuery }, config: { reach: aggregate.kind } },
      async (request, reply) => {
        const form = negotiate(request.headers.accept, ['application/json', 'text/event-stream']);
        const resource = { kind: aggregate.kind, id: request.params.id };
        requireId(aggregate, resource.id);
        const { at, min_position } = request.query;
        if (form === 'text/event-stream' && at) {
          throw invalidRequest([{ in: 'query', pointer: '/at', detail: 'A stream is of the present.' }]);
        }
        await options.positions.reached(min_position);
        const state = at
          ? await stateThen(options.store, aggregate, resource, at)
          : await options.gate.current(resource);
        if (!state) throw notFound(resource);
        if (state.deletedAt !== undefined) throw gone(resource, state.deletedAt);
        if (form === 'application/json') return sendState(request, reply, state, isLive(aggregate.kind));
        const read = { name: 'resource', ask: resource, shape: resourceShape, minPosition: state.position } as const;
        return options.reads.stream(request, reply, read);
      },
    );
  }
}

const resourceShape: Shape<'resource'> = {
  members: (resource) => (resource?.viewText ?? '{}').slice(1, -1),
  document: (resource) => resource && (JSON.parse(resource.viewText) as Json),
};

function sendState(request: FastifyRequest, reply: FastifyReply, state: VisibleState, live: boolean): FastifyReply {
  const tag = `"${state.revision}"`;
  reply.header('etag', tag).header('cache-control', 'no-cache').header('stackledger-position', state.position);
  if (!live && matchesTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(state.stateText);
}

/** @throws Problem where the resource did not exist at that moment */
export async function stateThen(
  store: EventStore,
  aggregate: Aggregate,
  resource: ResourceRef,
  at: Moment,
): Promise<VisibleState | null> {
  if (at.by === 'position') await requireRecorded(store, at.position);
  const then = await stateAt(store, aggregate, resource, at).catch((error) => {
    throw error instanceof UnfoldableEvent ? unreadable(resource, error) : error;
  });
  switch (then.found) {
    case 'state':
      return then;
    case 'nothing':
      return null;
    case 'before': {
      const { firstRevision, createdAt } = then;
      const detail = `The ${resource.kind} ${resource.id} did not exist yet; it was created at ${createdAt}.`;
      throw apiProblem('not-yet-created', detail, { firstRevision, createdAt });
    }
    case 'after': {
      const { firstRevision, lastRevision } = then;
      const range = `${firstRevision} to ${lastRevision}`;
      const detail = `The ${resource.kind} ${resource.id} has the revisions ${range}.`;
      throw apiProblem('no-such-revision', detail, { firstRevision, lastRevision });
    }
  }
}

async function requireRecorded(store: EventStore, position: string): Promise<void> {
  const head = await store.head();
  if (position <= head) return;
  const detail = `The ledger ends at position ${head}; nothing is recorded at ${position}.`;
  throw apiProblem('no-such-position', detail, { position: head });
}
