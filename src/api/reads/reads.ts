import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Json } from '../../domain/kernel/json.ts';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import type { FollowMessage } from '../../projections/follow.ts';
import type { Answer, Ask, QueryName } from '../../projections/queries.ts';
import { untilTokenEnds, within } from '../access/auth.ts';
import { negotiate } from '../http/accept.ts';
import { matchesTag, weakTag } from '../http/etag.ts';
import { EventStream, type EventStreamSettings, eventStreamHeaders } from '../http/event-stream.ts';
import { lastEventId } from '../http/last-event-id.ts';
import type { Log } from '../http/log.ts';
import { notFound } from '../problems/lifetime-problems.ts';
import { type ReadModels, readProblem } from './read-models.ts';

/** How an answer of the read models looks to those who asked over HTTP. */
export interface Shape<N extends QueryName> {
  /** The members of a JSON object, as text. */
  readonly members: (answer: Answer<N>) => string;
  /** The same as a document that patches apply to. One function each, so that subscribers share the work. */
  readonly document: (answer: Answer<N>) => Json;
}

export const shape = <N extends QueryName>(members: (answer: Answer<N>) => string): Shape<N> => ({
  members,
  document: (answer) => JSON.parse(`{${members(answer)}}`) as Json,
});

/** A question to the read models, as a request puts it. */
export interface Read<N extends QueryName> {
  readonly name: N;
  readonly ask: Ask<N>;
  readonly shape: Shape<N>;
  /** The answer is to include this position. */
  readonly minPosition: string | undefined;
}

export interface ReadsOptions {
  readonly readModels: ReadModels;
  readonly streams: EventStreamSettings;
  readonly stopping: AbortSignal;
  readonly onSubscriber: (change: 1 | -1) => void;
  readonly log: Log;
}

/** Answers reads from the read models: as they are, or with `Accept: text/event-stream` as they change. */
export class Reads {
  readonly #options: ReadsOptions;

  constructor(options: ReadsOptions) {
    this.#options = options;
  }

  /** @throws Problem where there was never such a resource */
  async requireKnown(resource: ResourceRef, minPosition: string | undefined): Promise<void> {
    const { value } = await this.#options.readModels.ask('resource', resource, minPosition);
    if (!value) throw notFound(resource);
  }

  async answer<N extends QueryName>(
    request: FastifyRequest,
    reply: FastifyReply,
    read: Read<N>,
  ): Promise<FastifyReply> {
    const form = negotiate(request.headers.accept, ['application/json', 'text/event-stream']);
    if (form === 'text/event-stream') return this.stream(request, reply, read);
    const ask = within(request.caller, read.ask);
    const { position, value } = await this.#options.readModels.ask(read.name, ask, read.minPosition);
    return sendOnce(request, reply, read.shape.members(value), position);
  }

  /**
   * A snapshot, then patches. What is wrong with the question is said before the stream begins; a reader who resumes is
   * known to have asked well.
   */
  async stream<N extends QueryName>(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, ask, shape: { document }, minPosition }: Read<N>,
  ): Promise<FastifyReply> {
    const after = lastEventId(request.headers);
    const views = await this.#options.readModels.reached(latest(minPosition, after));
    if (request.method === 'HEAD') return reply.headers(eventStreamHeaders).send();

    const leaving = new AbortController();
    if (reply.raw.destroyed) leaving.abort(); // whoever asked did not wait for it
    reply.raw.once('close', () => leaving.abort());
    const messages = views.follow(name, within(request.caller, ask), {
      render: document,
      signal: leaving.signal,
      ...(after !== undefined && { after }),
    });
    const first = after === undefined ? await firstOf(messages) : null;

    reply.hijack();
    const { streams, stopping, log } = this.#options;
    const events = new EventStream(reply.raw, streams, untilTokenEnds(request.caller, stopping));
    events.closed.addEventListener('abort', () => leaving.abort(), { once: true });
    this.#send(events, first, messages).catch((error) => {
      log.error('subscription broke off', { requestId: request.id, error });
    });
    return reply;
  }

  async #send(events: EventStream, first: FollowMessage | null, messages: AsyncGenerator<FollowMessage>) {
    this.#options.onSubscriber(1);
    try {
      if (first) await send(events, first);
      for await (const message of messages) await send(events, message);
    } finally {
      events.end();
      this.#options.onSubscriber(-1);
    }
  }
}

/** Sends the members of an object, and the position they are of. The tag leaves out the position, which moves all the time. */
export function sendOnce(
  request: FastifyRequest,
  reply: FastifyReply,
  members: string,
  position: string,
): FastifyReply {
  const tag = weakTag(members);
  reply.header('etag', tag).header('cache-control', 'no-cache').header('stackledger-position', position);
  if (matchesTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  reply.header('content-type', 'application/json; charset=utf-8');
  return reply.send(`{${members},"position":"${position}"}`);
}

const latest = (one = '', other = ''): string | undefined => (one > other ? one : other) || undefined;

/** @throws Problem where the question cannot be answered */
async function firstOf(messages: AsyncGenerator<FollowMessage>): Promise<FollowMessage | null> {
  try {
    return (await messages.next()).value ?? null;
  } catch (error) {
    throw readProblem(error);
  }
}

const send = (events: EventStream, message: FollowMessage): Promise<void> =>
  events.send({
    id: message.position,
    event: message.kind,
    data: textOf(message.kind === 'snapshot' ? message.document : message.patch),
  });

/** What many subscribers are sent is written out once. */
const texts = new WeakMap<object, string>();

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = texts.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    texts.set(value, text);
  }
  return text;
}
