import { type Aggregate, fold } from '../domain/kernel/aggregate.ts';
import { type DomainEvent, encode } from '../domain/kernel/events.ts';
import type { NewEvent, Receipt } from '../store/event-store.ts';
import { chainLink, withChain } from './chain.ts';
import type { CommandRequest, EventMetadata } from './command.ts';
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
  const metadata = JSON.stringify(metadataOf(request, commandId));
  const answered: string[] = [];
  const newEvents = events.map((decided, index): NewEvent => {
    const { type, v, data } = encode(aggregate.events, decided);
    const event = { id: eventId(commandId, index), type, v, time };
    const revision = head.revision + 1;
    const dataText = JSON.stringify(data);
    const { stream } = head;

    head.chain = chainLink(head.chain, { ...event, stream, revision, dataText, metadataText: metadata });
    // Folded from the text, like every later replay: what JSON cannot keep must not live on in memory either.
    head.state = fold(aggregate, request.resource.id, head.state, { ...event, revision, data: JSON.parse(dataText) });
    head.revision = revision;
    head.eventId = event.id;
    answered.push(answeredEventText(event, revision, dataText));
    return { ...event, data: dataText, metadata: withChain(metadata, head.chain) };
  });
  if (events.length > 0) head.time = time;
  return { newEvents, eventsText: `[${answered.join(',')}]` };
}

function metadataOf(request: CommandRequest, commandId: string): Omit<EventMetadata, 'chain'> {
  const { actor, type, correlationId = commandId, causationId = commandId, traceparent, requestId } = request;
  return {
    $correlationId: correlationId,
    $causationId: causationId,
    actor,
    commandId,
    commandType: type,
    ...(traceparent !== undefined && { traceparent }),
    ...(requestId !== undefined && { requestId }),
  };
}

export const answeredEventText = (
  event: { id: string; type: string; time: string },
  revision: number,
  dataText: string,
): string =>
  `{"id":"${event.id}","type":${JSON.stringify(event.type)},"revision":${revision},"time":"${event.time}","data":${dataText}}`;
