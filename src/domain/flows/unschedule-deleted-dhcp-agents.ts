import { agentRef, agentTypes, partsOf } from '../agent/identity.ts';
import type { Agent } from '../agent/state.ts';
import { isAlive } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { Flow, FlowCommand } from './flow.ts';
import type { SiteIndex } from './site-index.ts';

/** A DHCP agent that is deleted serves nobody: its networks are told, and through them the ports that wait for it. */
export const unscheduleDeletedDhcpAgents = (index: SiteIndex): Flow => ({
  name: 'unschedule-deleted-dhcp-agents',
  types: ['AgentDeleted', 'DhcpAgentScheduled'],

  needs: (event) => (event.type === 'DhcpAgentScheduled' ? [agentRef(String(event.data.host), agentTypes.dhcp)] : []),

  react(event, related) {
    if (event.type === 'AgentDeleted') {
      const { host, type } = partsOf(event.resource.id);
      if (type !== agentTypes.dhcp) return [];
      return index.networksServedFrom(host).map((id) => unschedule({ kind: 'network', id }, host));
    }
    const host = String(event.data.host);
    const agent = related.stateOf(agentRef(host, agentTypes.dhcp)) as Agent | null;
    return isAlive(agent) ? [] : [unschedule(event.resource, host)];
  },
});

const unschedule = (resource: ResourceRef, host: string): FlowCommand => ({
  resource,
  type: 'UnscheduleDhcpAgent',
  data: { host, reason: 'the agent was deleted' },
});
