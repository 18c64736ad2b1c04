import { agentTypes } from '../../agent/identity.ts';
import { agentDriver } from './agent-driver.ts';
import { type MechanismDriver, type OfferedSegment, refused } from './mechanism-driver.ts';

const networkTypes = ['flat', 'vlan'];

const detailsOf = ({ segmentationId }: OfferedSegment) => ({
  port_filter: false,
  connectivity: 'l2',
  vlan: String(segmentationId ?? 0),
});

const virtualFunctions = agentDriver({
  name: 'sriovnicswitch',
  agentType: agentTypes.sriov,
  vnicTypes: ['direct', 'macvtap', 'direct-physical', 'accelerator-direct'],
  networkTypes: () => networkTypes,
  mappings: ['device_mappings'],
  declines: ({ vnicType, profile }) =>
    vnicType === 'direct' && Array.isArray(profile.capabilities) && profile.capabilities.includes('switchdev')
      ? 'direct with the switchdev capability is for Open vSwitch'
      : null,
  attach: (_request, segment) => ({ vifType: 'hw_veb', vifDetails: detailsOf(segment), status: 'DOWN' }),
});

/**
 * Virtual functions of a network card, with their agent; and whole cards (`direct-physical`), which no agent watches, so
 * that the driver itself answers for them.
 */
export const sriov: MechanismDriver = {
  ...virtualFunctions,

  bind(request) {
    if (request.vnicType !== 'direct-physical') return virtualFunctions.bind(request);
    const segment = request.segments.find(({ networkType }) => networkTypes.includes(networkType));
    if (!segment) return refused('no-segment', `no segment is among ${networkTypes.join(', ')}`);
    return { verdict: 'bound', segment, vifType: 'hostdev_physical', vifDetails: detailsOf(segment), status: 'ACTIVE' };
  },
};
