import { z } from 'zod';
import { defineEvents, type EventOf } from '../kernel/events.ts';
import { Timestamp } from '../kernel/resource.ts';

/** What an agent says it can do, in OpenStack's own words: `bridge_mappings`, `tunnel_types`, `device_mappings`, ... */
export const Configurations = z.record(z.string().max(255), z.json());

// What can happen to an agent. These names are the storage format. Heartbeats are not events; their absence is.
export const agentEvents = defineEvents('agent', {
  AgentRegistered: z.object({ configurations: Configurations }),
  AgentConfigurationChanged: z.object({ configurations: Configurations }),
  AgentAdminStateChanged: z.object({ adminStateUp: z.boolean(), reason: z.string().max(1000).optional() }),
  /** Nothing was heard of it for the agent down time. */
  AgentLost: z.object({ silentSince: Timestamp }),
  /** It was lost, and was heard again. */
  AgentBack: z.object({ silentSince: Timestamp, gapMs: z.number().int().nonnegative() }),
  AgentDeleted: z.object({}),
});

export type AgentEvent = EventOf<typeof agentEvents>;
