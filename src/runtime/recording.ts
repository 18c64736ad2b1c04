import type { Actor } from '../domain/kernel/actor.ts';
import { type Aggregate, fold } from '../domain/kernel/aggregate.ts';
import { type DomainEvent, encode } from '../domain/kernel/events.ts';
import type { NewEvent, Receipt } from '../store/event-store.ts';
import { chainLink, withChain } from './chain.ts';
import type { CommandRequest } from './command.ts';
import type { Head } from './head.ts';
import { eventId } from './ids.ts';

/** What a command came to, before it has a place in the stream. */
export interface Decision {
  readonly commandId: string;
  readonly time: string;
  readonly events: readonly DomainEvent[];
  readonly receipt: Receipt | undefined;
}

/** Gives the decided events their place in the stream and folds them into the head. */
export function advance(
  aggregate: Aggregate,
  head: Head,
  request: CommandRequest,
  { commandId, time, events }: Decision,
): { newEvents: NewEvent[]; eventsText: string } {
  const metadataText = metadataTextOf(request, commandId);
  const answered: string[] = [];
  const newEvents = events.map((decided, index): NewEvent => {
    const { type, v, data } = encode(aggregate.events, decided);
    const dataText = JSON.stringify(data);
    const recorded = `${head.chain}\n${type}\n${time}\n${dataText}\n${metadataText}`;
    const id = eventId(commandId, index, events.length, recorded);
    const revision = head.revision + 1;
    const { stream } = head;

    head.chain = chainLink(head.chain, { id, stream, revision, type, v, time, dataText, metadataText });
    head.state = fold(aggregate, request.resource.id, head.state, { id, type, v, time, revision, data });
    head.revision = revision;
    head.eventId = id;
    answered.push(answeredEventText({ id, type, time }, revision, dataText));
    return { id, type, v, time, data: dataText, metadata: withChain(metadataText, head.chain) };
  });
  if (events.length > 0) head.time = time;
  return { newEvents, eventsText: `[${answered.join(',')}]` };
}

/**
 * What an event remembers of how it came about, as JSON text: written by hand from parts that seldom change, since every
 * command pays for it. `$` names are EventStoreDB's own; `chain` is added last.
 */
function metadataTextOf(request: CommandRequest, commandId: string): string {
  const { actor, type, correlationId, causationId, traceparent, requestId } = request;
  const own = `"${commandId}"`;
  const correlation = correlationId === undefined ? own : JSON.stringify(correlationId);
  const causation = causationId === undefined ? own : JSON.stringify(causationId);
  const trace = traceparent === undefined ? '' : `,"traceparent":${JSON.stringify(traceparent)}`;
  const asked = requestId === undefined ? '' : `,"requestId":${JSON.stringify(requestId)}`;
  return `{"$correlationId":${correlation},"$causationId":${causation},"actor":${actorText(actor)},"commandId":${own},"commandType":"${type}"${trace}${asked}}`;
}

const actorTexts = new WeakMap<Actor, string>();

/** Callers are few and give many commands: each is written once. */
function actorText(actor: Actor): string {
  const known = actorTexts.get(actor);
  if (known !== undefined) return known;
  const text = JSON.stringify(actor);
  actorTexts.set(actor, text);
  return text;
}

export const answeredEventText = (
  event: { id: string; type: string; time: string },
  revision: number,
  dataText: string,
): string =>
  `{"id":"${event.id}","type":${JSON.stringify(event.type)},"revision":${revision},"time":"${event.time}","data":${dataText}}`;
