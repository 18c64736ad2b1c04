import { z } from 'zod';
import { Configurations } from './events.ts';

export const agentCommands = {
  /** The agent introduces itself. Sent again at each start, it is a heartbeat that may bring a new configuration. */
  RegisterAgent: z.strictObject({ configurations: Configurations.default({}) }),

  /** A sign of life; `configurations` where they may have changed. */
  Heartbeat: z.strictObject({ configurations: Configurations.optional() }),

  /** Whether the agent's ports are bound again when it returns. What it serves already is left alone. */
  SetAgentAdminState: z.strictObject({ adminStateUp: z.boolean(), reason: z.string().min(1).max(1000).optional() }),

  DeleteAgent: z.strictObject({}),

  /** The clock's own: the agent has been silent for the agent down time. */
  MarkAgentLost: z.strictObject({}),
};

export type AgentCommands = typeof agentCommands;
