import { agentTypes } from '../../agent/identity.ts';
import type { Json } from '../../kernel/json.ts';
import { agentDriver, objectOf, stringsOf, tunnelTypesOf } from './agent-driver.ts';
import type { AgentOnHost, BindRequest } from './mechanism-driver.ts';

const defaultSocketDirectory = '/var/run/openvswitch';

/** Open vSwitch with its agent. Also binds hardware offload (`direct` with the `switchdev` capability). */
export const openvswitch = agentDriver({
  name: 'openvswitch',
  agentType: agentTypes.openVswitch,
  vnicTypes: ['normal', 'direct', 'smart-nic', 'vdpa'],
  networkTypes: (agent) => [...tunnelTypesOf(agent), 'local', 'flat', 'vlan'],
  mappings: ['bridge_mappings'],

  declines({ vnicType, profile }, { configurations }) {
    if (vnicType === 'direct' && !stringsOf(profile.capabilities).includes('switchdev')) {
      return 'direct needs the switchdev capability in the profile';
    }
    if (vnicType === 'smart-nic' && configurations.baremetal_smartnic !== true) {
      return 'smart-nic needs an agent configured with baremetal_smartnic';
    }
    return null;
  },

  attach(request, _segment, agent) {
    const mode = request.vnicType === 'direct' ? null : vhostUserModeOf(agent);
    return mode ? vhostUser(request, agent, mode) : ovs(agent);
  },
});

const ovs = (agent: AgentOnHost) => ({
  vifType: 'ovs',
  vifDetails: {
    connectivity: 'l2',
    port_filter: true,
    ovs_hybrid_plug: agent.configurations.ovs_hybrid_plug ?? null,
    ...bridgeOf(agent),
  },
});

const vhostUser = ({ portId }: BindRequest, agent: AgentOnHost, mode: string) => {
  const directory = agent.configurations.vhostuser_socket_dir ?? defaultSocketDirectory;
  return {
    vifType: 'vhostuser',
    vifDetails: {
      port_filter: false,
      ovs_hybrid_plug: false,
      vhostuser_mode: mode,
      vhostuser_ovs_plug: true,
      vhostuser_socket: `${directory}/vhu${portId.slice(0, 11)}`,
      ...bridgeOf(agent),
    },
  };
};

const bridgeOf = ({ configurations }: AgentOnHost): { datapath_type: Json; bridge_name: Json } => ({
  datapath_type: configurations.datapath_type ?? 'system',
  bridge_name: configurations.integration_bridge ?? 'br-int',
});

/** Which side of the vhost-user socket the guest is, where the datapath is DPDK's; the agent's interface types say. */
function vhostUserModeOf({ configurations }: AgentOnHost): 'server' | 'client' | null {
  if (configurations.datapath_type !== 'netdev') return null;
  const interfaceTypes = stringsOf(objectOf(configurations.ovs_capabilities).iface_types);
  if (interfaceTypes.includes('dpdkvhostuserclient')) return 'server';
  return interfaceTypes.includes('dpdkvhostuser') ? 'client' : null;
}
