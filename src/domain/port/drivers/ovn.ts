import { type MechanismDriver, refused } from './mechanism-driver.ts';

const networkTypes = ['local', 'flat', 'vlan', 'vxlan', 'geneve'];

/**
 * OVN: no agent of Neutron's runs on the host. A central controller places the port and reports, for whichever host,
 * when it is up; so a port always waits for it.
 */
export const ovn: MechanismDriver = {
  name: 'ovn',
  agentType: null,
  reporter: 'back-end',
  connectivity: 'l2',
  vnicTypes: ['normal', 'direct', 'direct-physical', 'macvtap', 'vdpa', 'remote-managed', 'virtio-forwarder'],

  bind({ segments }) {
    const segment = segments.find(({ networkType }) => networkTypes.includes(networkType));
    if (!segment) return refused('no-segment', `no segment is among ${networkTypes.join(', ')}`);
    return { verdict: 'bound', segment, vifType: 'ovs', vifDetails: { connectivity: 'l2', port_filter: true } };
  },
};
