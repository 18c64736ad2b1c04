import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Kind, resourceOf, streamOf } from '../../domain/kernel/resource.ts';
import { type EventFilter, type EventStore, type RecordedEvent, startPosition } from '../../store/event-store.ts';
import { type Caller, untilTokenEnds } from '../access/auth.ts';
import type { CommandGate } from '../commands/command-gate.ts';
import { negotiate } from '../http/accept.ts';
import { EventStream, type EventStreamSettings, eventStreamHeaders } from '../http/event-stream.ts';
import { lastEventId } from '../http/last-event-id.ts';
import type { Log } from '../http/log.ts';
import { documentedEvents } from '../openapi/openapi-routes.ts';
import { invalidRequest } from '../problems/problem.ts';
import { minPosition, pageSize, position } from '../schemas/parameters.ts';
import { eventText } from './event-text.ts';
import type { LedgerReads } from './ledger-reads.ts';

type Seen = (event: RecordedEvent) => Promise<boolean>;

/** So many events are looked through for a page of those that a caller sees. */
const maxLooked = 10_000;

/** A page is cut here, however large its events are. */
const maxPageCharacters = 8_000_000;

const severalOf = <S extends z.ZodType<unknown, string>>(schema: S) =>
  z.union([schema.transform((one) => [one]), z.array(schema)]);

const eventsQuery = (kinds: readonly string[]) =>
  z.strictObject({
    after: position.optional().meta({ description: 'Only events after this position.' }),
    kind: severalOf(z.enum(kinds))
      .optional()
      .meta({ description: 'Only events of this kind of resource; repeatable.' }),
    type: severalOf(z.string().min(1).max(255))
      .optional()
      .meta({ description: 'Only events of this type; repeatable.' }),
    id: z.string().min(1).max(512).optional().meta({ description: 'Only events of the resource with this id.' }),
    limit: pageSize.optional(),
    min_position: minPosition,
  });
type EventsQuery = z.output<ReturnType<typeof eventsQuery>>;

/** `GET /v1/events`: the whole ledger, in order; as pages, or with `Accept: text/event-stream` as it grows. */
export function eventRoutes(
  app: FastifyInstance,
  options: LedgerReads & {
    readonly gate: CommandGate;
    readonly streams: EventStreamSettings;
    readonly stopping: AbortSignal;
    readonly onSubscriber: (change: 1 | -1) => void;
    readonly log: Log;
  },
): void {
  const { store, positions } = options;
  const kinds = options.aggregates.map(({ kind }) => kind);

  app.get<{ Querystring: EventsQuery }>(
    '/v1/events',
    { schema: { ...documentedEvents(), querystring: eventsQuery(kinds) }, config: { reach: 'own' } },
    async (request, reply) => {
      const form = negotiate(request.headers.accept, ['application/json', 'text/event-stream']);
      const { limit = 100, min_position } = request.query;
      const filter = filterOf(kinds, request.query);
      await positions.reached(min_position);
      if (form === 'text/event-stream') return stream(request, reply, filter);

      const { after = startPosition } = request.query;
      await positions.reached(after);
      reply.header('content-type', 'application/json; charset=utf-8');
      return pageOf(store, after, filter, limit, seenBy(request.caller));
    },
  );

  async function stream(
    request: FastifyRequest<{ Querystring: EventsQuery }>,
    reply: FastifyReply,
    filter: EventFilter,
  ): Promise<FastifyReply> {
    if (request.query.limit !== undefined) {
      throw invalidRequest([{ in: 'query', pointer: '/limit', detail: 'A stream has no limit.' }]);
    }
    // What its last connection saw counts more than where a reader's first one began.
    const after = lastEventId(request.headers) ?? request.query.after ?? startPosition;
    await positions.reached(after);
    if (request.method === 'HEAD') return reply.headers(eventStreamHeaders).send();

    reply.hijack();
    const ending = untilTokenEnds(request.caller, options.stopping);
    const events = new EventStream(reply.raw, options.streams, ending);
    follow(events, after, filter, seenBy(request.caller)).catch((error) => {
      options.log.error('event stream broke off', { requestId: request.id, error });
    });
    return reply;
  }

  /** Whether an event is of a resource that the caller sees now; null where that is every resource. */
  function seenBy(caller: Caller): Seen | null {
    if (caller.confinedTo === undefined) return null;
    return async ({ stream }) => {
      const resource = resourceOf(stream);
      return resource !== null && options.gate.scope.sees(caller, resource);
    };
  }

  async function follow(events: EventStream, after: string, filter: EventFilter, isSeen: Seen | null): Promise<void> {
    options.onSubscriber(1);
    try {
      for await (const message of store.subscribe({ after, filter, signal: events.closed })) {
        if (message.kind === 'caught-up') {
          const { position: id } = message;
          await events.send({ id, event: 'caught-up', data: JSON.stringify({ position: id }) });
        } else {
          const { event } = message;
          if (isSeen && !(await isSeen(event))) continue;
          await events.send({ id: event.position, event: event.type, data: eventText(event) });
        }
      }
    } finally {
      events.end();
      options.onSubscriber(-1);
    }
  }
}

function filterOf(allKinds: readonly Kind[], { kind, type, id }: EventsQuery): EventFilter {
  const kinds = (kind as Kind[] | undefined) ?? allKinds;
  const types = type && { types: type };
  if (id !== undefined && kinds.length === 1) return { stream: streamOf({ kind: kinds[0]!, id }), ...types };
  if (id !== undefined) return { streamPrefixes: kinds.map((each) => streamOf({ kind: each, id })), ...types };
  return { ...(kind && { streamPrefixes: kinds.map((each) => `${each}-`) }), ...types };
}

/**
 * A page of events. `next` is where the following page begins, and stays useful where nothing was found: it moves past
 * all that the filter passed over.
 */
async function pageOf(
  store: EventStore,
  after: string,
  filter: EventFilter,
  limit: number,
  isSeen: Seen | null,
): Promise<string> {
  const head = await store.head();
  const texts: string[] = [];
  let size = 0;
  let next = after;
  let looked = 0;
  const most = isSeen ? maxLooked : limit;
  for await (const event of store.readAll({ after, filter, limit: most })) {
    looked += 1;
    if (isSeen && !(await isSeen(event))) {
      next = event.position;
      continue;
    }
    const text = eventText(event);
    size += text.length;
    if (size > maxPageCharacters && texts.length > 0) return page(texts, next);
    texts.push(text);
    next = event.position;
    if (texts.length === limit) break;
  }
  return page(texts, looked < most && texts.length < limit && head > next ? head : next);
}

const page = (texts: readonly string[], next: string): string => `{"events":[${texts.join(',')}],"next":"${next}"}`;
