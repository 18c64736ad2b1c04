import { type Decide, type Facts, isAlive } from '../kernel/aggregate.ts';
import type { JsonObject } from '../kernel/json.ts';
import { sameJson } from '../kernel/json.ts';
import type { AgentCommands } from './commands.ts';
import type { AgentEvent } from './events.ts';
import { isAgentAlive, silentSince } from './liveness.ts';
import { refuse } from './refusals.ts';
import type { Agent } from './state.ts';

type Opening = 'RegisterAgent' | 'DeleteAgent';

export const open: Decide<Agent | null, Pick<AgentCommands, Opening>, AgentEvent> = {
  RegisterAgent(agent, { configurations }, facts) {
    if (!agent || !isAlive(agent)) return [{ type: 'AgentRegistered', data: { configurations } }];
    return heard(agent, configurations as JsonObject, facts);
  },

  DeleteAgent(agent, _data, { resource }) {
    if (!agent) return refuse('agent-not-found', `There is no agent ${resource.id}.`);
    return isAlive(agent) ? [{ type: 'AgentDeleted', data: {} }] : [];
  },
};

export const decide: Decide<Agent, Omit<AgentCommands, Opening>, AgentEvent> = {
  Heartbeat(agent, { configurations = agent.configurations }, facts) {
    return heard(agent, configurations as JsonObject, facts);
  },

  SetAgentAdminState(agent, { adminStateUp, reason }) {
    if (agent.adminStateUp === adminStateUp) return [];
    return [{ type: 'AgentAdminStateChanged', data: { adminStateUp, ...(reason !== undefined && { reason }) } }];
  },

  /** A heartbeat may have come between the alarm and this decision. */
  MarkAgentLost(agent, _data, facts) {
    const heardAt = heardAtOf(facts);
    if (!agent.alive || isAgentAlive(agent, heardAt, facts.time)) return [];
    return [{ type: 'AgentLost', data: { silentSince: silentSince(agent, heardAt) } }];
  },
};

/** A sign of life. It is no event, unless it ends a silence or says something new. */
function heard(agent: Agent, configurations: JsonObject, facts: Facts): AgentEvent[] {
  const changed = !sameJson(agent.configurations, configurations);
  return [
    ...returned(agent, facts),
    ...(changed ? [{ type: 'AgentConfigurationChanged', data: { configurations } } as const] : []),
  ];
}

/** An agent that was silent too long was lost, whether or not that has been written down yet. */
function returned(agent: Agent, facts: Facts): AgentEvent[] {
  const heardAt = heardAtOf(facts);
  if (isAgentAlive(agent, heardAt, facts.time)) return [];
  const since = silentSince(agent, heardAt);
  const gapMs = Date.parse(facts.time) - Date.parse(since);
  const back: AgentEvent = { type: 'AgentBack', data: { silentSince: since, gapMs } };
  return agent.alive ? [{ type: 'AgentLost', data: { silentSince: since } }, back] : [back];
}

const heardAtOf = ({ related, resource }: Facts): string | null => related?.heardAt(resource) ?? null;
