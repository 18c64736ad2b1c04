import { isAlive, type Related } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import { agentRef, agentTypes } from './identity.ts';
import type { Agent } from './state.ts';

/** The agent by which an Ironic conductor makes itself known. */
export const conductorRef = (name: string): ResourceRef => agentRef(name, agentTypes.conductor);

export function isConductorThere(name: string, related: Related): boolean {
  const agent = related.stateOf(conductorRef(name)) as Agent | null;
  return isAlive(agent) && agent!.alive;
}

/** Whether it is known to be gone. Of a conductor that never introduced itself nothing is known. */
export const isConductorLost = (name: string, related: Related): boolean =>
  related.stateOf(conductorRef(name)) !== null && !isConductorThere(name, related);
