import { agentRef, agentTypes, partsOf } from '../agent/identity.ts';
import type { Agent } from '../agent/state.ts';
import { isAlive } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { FlowCommand } from './flow.ts';
import type { SearchingFlow } from './searching-flow.ts';

/**
 * A DHCP agent that is deleted serves nobody: its networks are told, and through them the ports that wait for it. One that
 * is deleted while it is being scheduled is found by the network's own event.
 */
export const unscheduleDeletedDhcpAgents: SearchingFlow = {
  name: 'unschedule-deleted-dhcp-agents',
  types: ['AgentDeleted', 'DhcpAgentScheduled'],

  search(event) {
    if (event.type !== 'AgentDeleted') return [];
    const { host, type } = partsOf(event.resource.id);
    return type === agentTypes.dhcp ? [{ kind: 'network', dhcpHost: host }] : [];
  },

  needs: (event) => (event.type === 'DhcpAgentScheduled' ? [agentRef(String(event.data.host), agentTypes.dhcp)] : []),

  react(event, related, found) {
    if (event.type === 'AgentDeleted')
      return found.map((network) => unschedule(network, partsOf(event.resource.id).host));
    const host = String(event.data.host);
    const agent = related.stateOf(agentRef(host, agentTypes.dhcp)) as Agent | null;
    return isAlive(agent) ? [] : [unschedule(event.resource, host)];
  },
};

const unschedule = (network: ResourceRef, host: string): FlowCommand => ({
  resource: network,
  type: 'UnscheduleDhcpAgent',
  data: { host, reason: 'the agent was deleted' },
});
