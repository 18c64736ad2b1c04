import { agentTypes } from '../../agent/identity.ts';
import { agentDriver, tunnelTypesOf } from './agent-driver.ts';

/** Linux bridges with their agent. Neutron dropped it in 2024; older sites run it. */
export const linuxBridge = agentDriver({
  name: 'linuxbridge',
  agentType: agentTypes.linuxBridge,
  vnicTypes: ['normal'],
  networkTypes: (agent) => [...tunnelTypesOf(agent), 'local', 'flat', 'vlan'],
  mappings: ['interface_mappings', 'bridge_mappings'],
  attach: () => ({ vifType: 'bridge', vifDetails: { connectivity: 'l2', port_filter: true } }),
});
