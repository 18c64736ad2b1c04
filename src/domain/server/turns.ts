import type { EventContext } from '../kernel/aggregate.ts';
import type { ServerEvent } from './events.ts';
import { evolve } from './evolve.ts';
import type { ServerFacts } from './facts.ts';
import type { Server } from './state.ts';

type Turn = (server: Server) => ServerEvent[];

/** Decides several things, each on the state that the ones before it lead to. */
export function inTurn(server: Server, { time }: Pick<ServerFacts, 'time'>, ...turns: readonly Turn[]): ServerEvent[] {
  const context: EventContext = { id: server.id, eventId: '', revision: server.revision, time };
  const events: ServerEvent[] = [];
  let state = server;
  for (const turn of turns) {
    const next = turn(state);
    if (next.length === 0) continue;
    if (state === server) state = structuredClone(server);
    for (const event of next) apply(state, event, context);
    events.push(...next);
  }
  return events;
}

type Handler = (server: Server, data: object, context: EventContext) => void;
const handlers = evolve as unknown as Readonly<Record<string, Handler>>;

/** The data is copied, so that what is folded here shares nothing with what is stored. */
const apply = (state: Server, { type, data }: ServerEvent, context: EventContext): void =>
  handlers[type]?.(state, structuredClone(data), context);
