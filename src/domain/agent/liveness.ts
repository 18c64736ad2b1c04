import type { Deadline } from '../kernel/aggregate.ts';
import type { Agent } from './state.ts';

/** Neutron's `agent_down_time`: an agent that is silent for so long is taken for dead. */
const agentDownTimeMs = 75_000;

/** What is needed to judge an agent: the history, and the last sign of life in memory. */
export type Judged = Pick<Agent, 'alive' | 'lastHeartbeatAt' | 'deletedAt'>;

/** The last sign of life. Of a lost agent the history knows it; of a live one, memory may know a later one. */
export const silentSince = ({ alive, lastHeartbeatAt }: Judged, heardAt: string | null): string =>
  alive && heardAt !== null && heardAt > lastHeartbeatAt ? heardAt : lastHeartbeatAt;

const downAt = (agent: Judged, heardAt: string | null): string =>
  new Date(Date.parse(silentSince(agent, heardAt)) + agentDownTimeMs).toISOString();

/** Whether the agent is alive at `time`: right also before its loss has been written down. */
export const isAgentAlive = (agent: Judged, heardAt: string | null, time: string): boolean =>
  agent.deletedAt === undefined && agent.alive && time < downAt(agent, heardAt);

/** The agent as it is at `time`. `lastHeardAt`: its last sign of life in memory, null where there is none. */
export const agentNow = (agent: Agent, heardAt: string | null, lastHeardAt: string | null, time: string): Agent => ({
  ...agent,
  alive: isAgentAlive(agent, heardAt, time),
  lastHeartbeatAt: silentSince(agent, lastHeardAt),
});

export const deadlines = (agent: Agent, heardAt: string | null): Deadline[] =>
  agent.alive
    ? [{ name: 'agent-down-time', at: downAt(agent, heardAt), command: { type: 'MarkAgentLost', data: {} } }]
    : [];
