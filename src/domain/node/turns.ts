import type { EventContext } from '../kernel/aggregate.ts';
import type { NodeEvent } from './events.ts';
import { begin, evolve } from './evolve.ts';
import type { NodeFacts } from './facts.ts';
import type { Node } from './state.ts';

type Handler = (node: Node, data: object, context: EventContext) => void;
const handlers = evolve as unknown as Readonly<Record<string, Handler>>;

/** Decides several things, each on the node that the ones before it lead to. */
export function inTurn(node: Node, facts: NodeFacts, ...turns: readonly ((node: Node) => NodeEvent[])[]): NodeEvent[] {
  const context: EventContext = { id: node.id, eventId: '', revision: node.revision, time: facts.time };
  const state = structuredClone(node);
  return turns.flatMap((turn) => {
    const events = turn(state);
    for (const { type, data } of events) handlers[type]!(state, data, context);
    return events;
  });
}

/** The node as it is once it was enrolled. */
export function born({ type, data }: NodeEvent, { time, resource: { id } }: NodeFacts): Node {
  if (type !== 'NodeEnrolled') throw new Error(`${type} begins no life`);
  const life = begin.NodeEnrolled(data, { id, eventId: '', revision: 0, time });
  return Object.assign(life, { revision: 0, createdAt: time, updatedAt: time });
}
