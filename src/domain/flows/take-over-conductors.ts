import { conductorRef, isConductorLost, isConductorThere } from '../agent/conductor.ts';
import { agentTypes, partsOf } from '../agent/identity.ts';
import type { DataOf } from '../node/events.ts';
import type { FlowCommand, FlowEvent } from './flow.ts';
import type { SearchingFlow } from './searching-flow.ts';

/** The conductor an event is about; null where it is about something else. */
function conductorOf({ type, data, resource }: FlowEvent): string | null {
  if (type !== 'NodeReserved') {
    const agent = partsOf(resource.id);
    return agent.type === agentTypes.conductor ? agent.host : null;
  }
  const { kind, holder } = data as DataOf<'NodeReserved'>;
  return kind === 'other' ? null : holder;
}

const allConductors = { kind: 'agent', type: agentTypes.conductor } as const;

/**
 * A conductor that falls silent, or is removed, has left its nodes: another one that is alive takes each of them over. One
 * that is back by the time it is acted on keeps its nodes, but not the work from before. A node that is locked for a lost
 * conductor at that very moment, or later, is found by its own event.
 */
export const takeOverConductors: SearchingFlow = {
  name: 'take-over-conductors',
  types: ['AgentLost', 'AgentDeleted', 'NodeReserved'],
  actor: (event) => `take-over of ${conductorOf(event)}`,

  needs(event) {
    const conductor = conductorOf(event);
    return conductor === null ? [] : [conductorRef(conductor)];
  },

  search(event, related) {
    const conductor = conductorOf(event);
    if (conductor === null) return [];
    if (event.type === 'NodeReserved') return isConductorLost(conductor, related) ? [allConductors] : [];
    return [{ kind: 'node', conductor }, allConductors];
  },

  react(event, related, found) {
    const conductor = conductorOf(event);
    if (conductor === null) return [];
    const wasReserved = event.type === 'NodeReserved';
    if (wasReserved && !isConductorLost(conductor, related)) return [];

    const alive = found.filter(({ kind }) => kind === 'agent').map(({ id }) => partsOf(id).host);
    const others = alive.filter((host) => host !== conductor).sort();
    const heirs = isConductorThere(conductor, related) ? [conductor] : others;
    const nodes = wasReserved ? [event.resource] : found.filter(({ kind }) => kind === 'node');
    return nodes.map((resource, index): FlowCommand => {
      const by = heirs[index % heirs.length];
      const data = { conductor, lostAt: event.time, ...(by !== undefined && { by }) };
      return { resource, type: 'TakeOverConductor', data };
    });
  },
};
