import type { Aggregate } from '../kernel/aggregate.ts';
import { agentCommands } from './commands.ts';
import { decide, open } from './decide.ts';
import { agentEvents } from './events.ts';
import { begin, evolve } from './evolve.ts';
import { AgentId } from './identity.ts';
import { deadlines } from './liveness.ts';
import { agentRefusals } from './refusals.ts';
import type { Agent } from './state.ts';

export const agentAggregate: Aggregate<Agent> = {
  kind: 'agent',
  id: AgentId,
  foldVersion: 1,
  events: agentEvents,
  commands: agentCommands,
  refusals: agentRefusals,
  begin,
  evolve,
  open,
  decide,
  internal: ['MarkAgentLost'],
  status: (agent) => (agent.alive ? 'alive' : 'lost'),
  deadlines,
  signsOfLife: ['RegisterAgent', 'Heartbeat'],
};
