import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { Actor } from '../../domain/kernel/actor.ts';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import { Timestamp } from '../../domain/kernel/resource.ts';
import { startPosition } from '../../store/event-store.ts';
import { apiProblems } from '../problems/problem-types.ts';
import { BulkEnvelope } from '../schemas/command-schemas.ts';
import { exampleCommands } from './openapi-examples.ts';

/*
 * What each route's page in the API reference says. Paths, queries and bodies are described by the schemas that check
 * them; what follows describes the answers.
 */

export const position = z
  .string()
  .meta({ example: startPosition, description: 'Place of an event in the ledger; opaque.' });

export const ResourceRef = z.object({ kind: z.string(), id: z.string() }).meta({ id: 'ResourceRef' });

export const State = z
  .looseObject({
    id: z.string(),
    revision: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Timestamp.optional(),
  })
  .meta({ id: 'State', description: 'The state of a resource. Each kind has its own members beside these.' });

const AnsweredEvent = z
  .object({ id: z.uuid(), type: z.string(), revision: z.int(), time: Timestamp, data: z.looseObject({}) })
  .meta({ id: 'AnsweredEvent' });

const CommandAnswer = z
  .object({
    resource: ResourceRef,
    revision: z.int().meta({ description: 'The resource is at this revision now.' }),
    position,
    events: z
      .array(AnsweredEvent)
      .meta({ description: 'What the command led to; empty where its work was done already.' }),
    state: State,
  })
  .meta({ id: 'CommandAnswer' });

const Problem = z
  .looseObject({
    type: z.string().meta({ example: '/problems/port-not-found', description: 'Documented at this path.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().optional(),
    requestId: z.string().optional(),
    revision: z.int().optional().meta({ description: 'Where the resource is.' }),
    allowed: z.array(z.string()).optional().meta({ description: 'What would be accepted now.' }),
    retryable: z.boolean().optional().meta({ description: 'Whether the same request can succeed later by itself.' }),
    errors: z.array(z.object({ in: z.string(), pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });

export const Event = z
  .object({
    id: z.uuid(),
    stream: z.string(),
    resource: ResourceRef.nullable(),
    revision: z.int(),
    position,
    type: z.string(),
    v: z.int().meta({ description: 'Version of the schema that `data` follows.' }),
    time: Timestamp,
    data: z.looseObject({}),
    metadata: z.looseObject({
      $correlationId: z.string(),
      $causationId: z.string(),
      actor: Actor,
      commandId: z.string(),
      commandType: z.string(),
    }),
  })
  .meta({ id: 'Event' });

const HistoryEntry = z
  .object({
    revision: z.int(),
    position,
    id: z.uuid(),
    type: z.string(),
    v: z.int(),
    time: Timestamp,
    actor: Actor.nullable(),
    cause: z.object({
      commandType: z.string().nullable(),
      commandId: z.string().nullable(),
      correlationId: z.string().nullable(),
      causationId: z.string().nullable(),
      requestId: z.string().nullable(),
    }),
    sincePreviousMs: z.int().nullable().meta({ description: 'Time since the event before.' }),
    statusChange: z
      .object({ from: z.string().nullable(), to: z.string(), lastedMs: z.int().nullable() })
      .nullable()
      .meta({
        description: 'Where the event changed the status: from what, to what, and how long the one before lasted.',
      }),
    data: z.looseObject({}),
    patch: z
      .array(z.looseObject({ op: z.enum(['add', 'replace', 'remove']), path: z.string() }))
      .optional()
      .meta({ description: 'JSON Patch (RFC 6902) of the state; with `diff=true`.' }),
    unfoldable: z.string().optional(),
  })
  .meta({ id: 'HistoryEntry' });

/** The problems an operation can answer with, by status: those every operation has, and some of its own. */
export function problems(...statuses: number[]): Record<string, unknown> {
  const described = [400, 401, 403, 406, ...statuses].map((status) => {
    const titles = Object.values(apiProblems)
      .filter((type) => type.status === status)
      .map(({ title }) => `${title}.`);
    const description = [...titles, ...(ruleProblems[status] ?? [])].join(' ');
    return [status, { description, content: { 'application/problem+json': { schema: Problem } } }];
  });
  return Object.fromEntries(described);
}

/** What the rules refuse, where the reason is not the API's own. */
const ruleProblems: Readonly<Record<number, readonly string[]>> = {
  404: ['There is no such resource.'],
  409: ['The rules refuse it in this state.'],
  410: ['The resource was deleted; its history stays readable.'],
  412: ['If-Match names another revision.'],
  422: ['The Idempotency-Key was seen before with another body.'],
};

export const answered = (description: string, schema: z.ZodType): Record<string, unknown> => ({
  200: { description, content: { 'application/json': { schema } } },
});

export const idOf = ({ kind, id }: Aggregate): z.ZodType => z.object({ id: id.describe(`Id of the ${kind}.`) });

const CommandHeaders = z.object({
  'idempotency-key': z.string().min(1).max(255).optional().describe('Makes a retry safe.'),
  'if-match': z.string().optional().describe('The revision the command is meant for, in quotes.'),
  'x-request-id': z.string().max(255).optional().describe('Kept with the events.'),
  'x-correlation-id': z.string().max(255).optional().describe('Ties together what belongs to one undertaking.'),
  traceparent: z.string().optional().describe('W3C trace context; kept with the events.'),
  'x-actor': z.string().max(255).optional().describe('Who gives the command, where no tokens are in use.'),
});

export const documentedCommand = (aggregate: Aggregate): FastifySchema => ({
  tags: ['Commands'],
  operationId: `${aggregate.kind}Command`,
  summary: `Command a ${aggregate.kind}`,
  description: 'Answers when the change is durable. A command that finds its work done answers with no events.',
  params: idOf(aggregate),
  headers: CommandHeaders,
  response: {
    ...answered('Done.', CommandAnswer),
    ...problems(404, 409, 410, 412, 413, 415, 422, 429, 500, 503),
  },
  'x-examples': exampleCommands(aggregate),
});

export const documentedBulk = (aggregates: readonly Aggregate[]): FastifySchema => ({
  tags: ['Commands'],
  operationId: 'bulkCommands',
  summary: 'Many commands, a line each',
  description: `A command a line: ${aggregates.map(({ kind }) => kind).join(', ')}. The verdicts come back in the same order, a line each: \`{"line", "status": 200, "resource", "revision", "position", "events"}\` or a problem document with its \`line\`. One bad line harms no other; commands on one resource keep their order. Read while you write: the server stops reading where verdicts are left unread.`,
  consumes: ['application/x-ndjson'],
  headers: CommandHeaders.pick({ 'x-request-id': true, 'x-correlation-id': true, traceparent: true, 'x-actor': true }),
  'x-body': BulkEnvelope.meta({ id: 'BulkCommand' }),
  response: {
    200: { description: 'A verdict a line.', content: { 'application/x-ndjson': { schema: CommandAnswer } } },
    ...problems(415),
  },
});

export const documentedRead = (aggregate: Aggregate): FastifySchema => ({
  tags: ['Reads'],
  operationId: `${aggregate.kind}State`,
  summary: `A ${aggregate.kind} as it is, or as it was`,
  description: 'Always current. `ETag` is the revision; `If-None-Match` spares the answer where nothing has changed.',
  params: idOf(aggregate),
  response: { ...answered('The state.', State), ...problems(404, 409, 410, 503) },
});

export const documentedHistory = (aggregate: Aggregate): FastifySchema => ({
  tags: ['Reads'],
  operationId: `${aggregate.kind}History`,
  summary: `What happened to a ${aggregate.kind}`,
  description: 'Works after deletion too.',
  params: idOf(aggregate),
  response: {
    ...answered(
      'A page of the history.',
      z.object({
        resource: ResourceRef,
        lastRevision: z.int(),
        next: z.int().nullable().meta({ description: 'The `marker` of the next page.' }),
        events: z.array(HistoryEntry),
      }),
    ),
    ...problems(404, 503),
  },
});

export const documentedEvents = (): FastifySchema => ({
  tags: ['Reads', 'Subscriptions'],
  operationId: 'events',
  summary: 'Every event of the ledger, in order',
  description:
    'With `Accept: text/event-stream` it goes on as the ledger grows: `id` is the position, `event` the type, `data` the event. `Last-Event-ID` resumes without loss or repeat; `caught-up` says that the end is reached for now; `lagging` ends the stream of a reader that is too slow.',
  headers: z.object({ 'last-event-id': z.string().optional().describe('Where a stream is resumed.') }),
  response: {
    200: {
      description: 'A page, or a stream.',
      content: {
        'application/json': { schema: z.object({ events: z.array(Event), next: position }) },
        'text/event-stream': { schema: z.string() },
      },
    },
    ...problems(503),
  },
});

export const documentedClock = (): FastifySchema => ({
  tags: ['Process'],
  operationId: 'advanceClock',
  summary: 'Let time pass',
  description: 'Only under `STACKLEDGER_CLOCK=manual`. Answers once every deadline in between has fired, in order.',
  response: { ...answered('The new time.', z.object({ now: Timestamp })), ...problems(409, 415) },
});

export const documentedNow = (): FastifySchema => ({
  tags: ['Process'],
  operationId: 'readClock',
  summary: 'What time it is in the ledger',
  description: 'The time that new events bear. `manual` time stands still until somebody lets it pass.',
  response: answered('The time.', z.object({ now: Timestamp, clock: z.enum(['system', 'manual']) })),
});

export const documentedHealth = (summary: string): FastifySchema => ({
  tags: ['Process'],
  summary,
  security: [],
  response: answered('It is so.', z.object({ status: z.string() })),
});

export const documentedMetrics = (): FastifySchema => ({
  tags: ['Process'],
  summary: 'Counters and durations for Prometheus',
  response: { 200: { description: 'Metrics.', content: { 'text/plain': { schema: z.string() } } } },
});

export const undocumented: FastifySchema = { hide: true };
