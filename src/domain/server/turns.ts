import type { Born, EventContext } from '../kernel/aggregate.ts';
import type { ServerEvent } from './events.ts';
import { begin, evolve } from './evolve.ts';
import type { ServerFacts } from './facts.ts';
import type { Server } from './state.ts';

type Turn = (server: Server) => ServerEvent[];

/** Decides several things, each on the state that the ones before it lead to. */
export function inTurn(server: Server, { time }: Pick<ServerFacts, 'time'>, ...turns: readonly Turn[]): ServerEvent[] {
  const context: EventContext = { id: server.id, eventId: '', revision: server.revision, time };
  const events: ServerEvent[] = [];
  let state = server;
  let folded = 0;
  for (const turn of turns) {
    if (folded < events.length && state === server) state = structuredClone(server);
    for (; folded < events.length; folded++) apply(state, events[folded]!, context);
    events.push(...turn(state));
  }
  return events;
}

/** The server as it is once it was discovered. */
export function born(
  data: Parameters<typeof begin.ServerDiscovered>[0],
  { time, resource: { id } }: Pick<ServerFacts, 'time' | 'resource'>,
): Server {
  const lifetime = { revision: 0, createdAt: time, updatedAt: time };
  const life = begin.ServerDiscovered(data, { id, eventId: '', revision: 0, time });
  return structuredClone(Object.assign(life as Born<Server>, lifetime));
}

type Handler = (server: Server, data: object, context: EventContext) => void;
const handlers = evolve as unknown as Readonly<Record<string, Handler>>;

const apply = (state: Server, { type, data }: ServerEvent, context: EventContext): void =>
  handlers[type]?.(state, data, context);
