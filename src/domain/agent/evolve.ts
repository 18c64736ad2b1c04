import type { Begin, Evolve } from '../kernel/aggregate.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { AgentEvent } from './events.ts';
import { partsOf } from './identity.ts';
import type { Agent } from './state.ts';

export const begin: Begin<Agent, AgentEvent, 'AgentRegistered'> = {
  AgentRegistered({ configurations }, { id, time }) {
    return {
      id,
      ...partsOf(id),
      alive: true,
      adminStateUp: true,
      lastHeartbeatAt: time,
      since: time,
      configurations: configurations as JsonObject,
    };
  },
};

export const evolve: Evolve<Agent, AgentEvent, 'AgentRegistered'> = {
  AgentConfigurationChanged(agent, { configurations }, { time }) {
    agent.configurations = configurations as JsonObject;
    agent.lastHeartbeatAt = time;
  },

  AgentAdminStateChanged(agent, { adminStateUp }) {
    agent.adminStateUp = adminStateUp;
  },

  AgentLost(agent, { silentSince }, { time }) {
    agent.alive = false;
    agent.lastHeartbeatAt = silentSince;
    agent.since = time;
  },

  AgentBack(agent, _data, { time }) {
    agent.alive = true;
    agent.lastHeartbeatAt = time;
    agent.since = time;
  },

  AgentDeleted(agent, _data, { time }) {
    agent.deletedAt = time;
    agent.alive = false;
    agent.since = time;
  },
};
