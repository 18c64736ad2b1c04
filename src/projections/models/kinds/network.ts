import { agentRef, agentTypes } from '../../../domain/agent/identity.ts';
import type { Network } from '../../../domain/network/state.ts';
import type { KindTable } from '../kind-table.ts';

export const networkTable: KindTable<Network> = {
  columns: ({ name, projectId }) => ({ name, project: projectId, network: null, device: null }),
  subState: () => null,
  host: () => null,
  waits: () => [],
  links: ({ dhcpAgents }) =>
    dhcpAgents.map(({ host }) => ({ relation: 'dhcp-agent', to: agentRef(host, agentTypes.dhcp) })),
};
