import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import { type Kind, Timestamp } from '../../domain/kernel/resource.ts';
import { answered, Event, idOf, position, problems, ResourceRef, State } from './openapi-routes.ts';

/* What the API reference says of the reads that are answered by the read models. */

const ListedState = State.extend({
  statusSince: Timestamp.meta({ description: 'Since when it is in its status.' }),
}).meta({ id: 'ListedState' });

const Summary = z
  .object({ kind: z.string(), id: z.string(), name: z.string().nullable(), status: z.string(), statusSince: Timestamp })
  .meta({ id: 'ResourceSummary', description: 'A resource in one line.' });

const Waiting = z
  .object({
    resource: Summary,
    wait: z.object({
      what: z
        .string()
        .meta({ description: 'L2, DHCP, network-vif-plugged, capacity, worker, call-back, reservation.' }),
      on: ResourceRef.nullable().meta({ description: 'The resource it is about, where there is one.' }),
      host: z.string().nullable().meta({ description: 'Where the awaited work is done.' }),
      holder: z.string().nullable().meta({ description: 'Who has the resource, or is to act.' }),
      since: Timestamp,
      deadline: Timestamp.nullable(),
    }),
  })
  .meta({ id: 'Waiting' });

const Flapping = z
  .object({ resource: Summary, changes: z.int(), firstAt: Timestamp, lastAt: Timestamp })
  .meta({ id: 'Flapping' });

const Overview = z
  .object({
    at: Timestamp.nullable().meta({ description: 'Time of the newest event: rates and flapping look back from here.' }),
    counts: z.array(z.object({ kind: z.string(), status: z.string(), count: z.int() })),
    blocked: z.object({
      total: z.int(),
      oldest: z.array(Waiting.extend({ reason: z.string().nullable() }).meta({ id: 'Blocked' })),
    }),
    failures: z
      .array(z.object({ resource: Summary, reason: z.string().nullable() }))
      .meta({ description: 'What failed and still is so, newest first.' }),
    rates: z.array(
      z.object({
        minute: z.string().meta({ example: '2026-01-31T12:05' }),
        kind: z.string(),
        events: z.int(),
        commands: z.int(),
      }),
    ),
    flapping: z.array(Flapping).meta({ description: 'Four changes of status and more, the restless first.' }),
    parked: z.object({
      total: z.int(),
      first: z.array(
        z.looseObject({ resource: ResourceRef, revision: z.int(), position, eventType: z.string(), error: z.string() }),
      ),
    }),
    position,
  })
  .meta({ id: 'Overview' });

const VertexRef = z.object({ kind: z.string(), id: z.string() });
const Graph = z
  .object({
    vertices: z.array(
      VertexRef.extend({ resource: Summary.nullable(), deleted: z.boolean(), distance: z.int() }).meta({
        id: 'Vertex',
      }),
    ),
    edges: z
      .array(z.object({ from: VertexRef, to: VertexRef, relation: z.string() }))
      .meta({ description: '`from` depends on `to`.' }),
    truncated: z.boolean().meta({ description: 'Whether the limit cut it short.' }),
    position,
  })
  .meta({ id: 'Graph' });

const Stay = z
  .object({
    since: Timestamp,
    until: Timestamp.nullable().meta({ description: 'Null where it lasts.' }),
    status: z.string(),
    statusSince: Timestamp,
    subState: z.string().nullable(),
    subStateSince: Timestamp,
    host: z.string().nullable(),
    previousStatus: z.string().nullable(),
  })
  .meta({ id: 'Stay', description: 'An interval in which neither status, sub-state nor host changed.' });

const next = z.string().nullable().meta({ description: 'The `marker` of the next page; null where this is the last.' });

const pageOf = (item: z.ZodType) => z.object({ items: z.array(item), next, position });

/** What every read can do that the read models answer. */
const live =
  'With `Accept: text/event-stream` it goes on: a `snapshot`, then a `patch` (RFC 6902) for each change. `id` is the position, which `Last-Event-ID` resumes from; `lagging` ends the stream of a reader that is too slow.';

const read = (operationId: string, summary: string, description: string, schema: z.ZodType): FastifySchema => ({
  tags: ['Reads', 'Subscriptions'],
  operationId,
  summary,
  description: `${description} ${live}`.trimStart(),
  headers: z.object({ 'last-event-id': z.string().optional().describe('Where a stream is resumed.') }),
  response: { ...answered('The answer.', schema), ...problems(503) },
});

export const documentedList = (kind: Kind): FastifySchema =>
  read(
    `${kind}List`,
    `The ${kind}s`,
    `A page of ${kind}s as they are at \`position\`. Filters narrow it down together; a filter that is given several values, by repeating it or (where values have no comma) with commas, takes any of them.`,
    pageOf(ListedState),
  );

export const documentedOverview = (): FastifySchema =>
  read(
    'overview',
    'What is wrong now',
    'Counts by kind and status, who waits longest and why, what failed, what is restless, and how much happens.',
    Overview,
  );

export const documentedBlocked = (): FastifySchema =>
  read('blocked', 'Who waits for whom', 'Longest first.', pageOf(Waiting));

export const documentedSearch = (): FastifySchema =>
  read(
    'search',
    'Find a resource by its id or name',
    'Resources whose id or name begins with `q`, deleted ones too; those that are it first.',
    z.object({ items: z.array(Summary.extend({ deletedAt: Timestamp.nullable() })), position }),
  );

export const documentedGraph = (aggregate: Aggregate): FastifySchema => ({
  ...read(
    `${aggregate.kind}Graph`,
    `A ${aggregate.kind} with what it depends on and what depends on it`,
    'Nearest first.',
    Graph,
  ),
  params: idOf(aggregate),
});

export const documentedTimeline = (aggregate: Aggregate): FastifySchema => ({
  ...read(
    `${aggregate.kind}Timeline`,
    `The intervals a ${aggregate.kind} spent in its statuses`,
    'Oldest first; works after deletion too.',
    pageOf(Stay),
  ),
  params: idOf(aggregate),
});

export const documentedOperation = (): FastifySchema => ({
  tags: ['Reads'],
  operationId: 'operation',
  summary: 'What one request caused',
  description: 'Every event with this correlation id, on whatever resource, in the order of the ledger.',
  params: z.object({ correlationId: z.string().describe('`metadata.$correlationId` of the events.') }),
  response: {
    ...answered('A page.', z.object({ correlationId: z.string(), events: z.array(Event), next, position })),
    ...problems(503),
  },
});
