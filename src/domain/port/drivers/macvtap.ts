import { agentTypes } from '../../agent/identity.ts';
import { agentDriver, mappingsOf } from './agent-driver.ts';
import type { OfferedSegment } from './mechanism-driver.ts';
import { sha1 } from './sha1.ts';

const mappings = ['interface_mappings'];

/** Macvtap devices with their agent. */
export const macvtap = agentDriver({
  name: 'macvtap',
  agentType: agentTypes.macvtap,
  vnicTypes: ['normal'],
  networkTypes: () => ['flat', 'vlan'],
  mappings,

  attach(_request, segment, agent) {
    const device = String(mappingsOf(agent, mappings)[segment.physicalNetwork!]);
    return {
      vifType: 'macvtap',
      vifDetails: {
        connectivity: 'l2',
        port_filter: false,
        ...(segment.networkType === 'vlan' && { vlan: segment.segmentationId }),
        physical_interface: device,
        macvtap_source: sourceOf(device, segment),
        macvtap_mode: 'bridge',
      },
    };
  },
});

/** A device name has 15 characters, of which the VLAN needs 5. */
const longestParent = 10;
const hashLength = 6;

/** The device the macvtap agent makes for a VLAN. It shortens a long name in this same way. */
function sourceOf(device: string, { networkType, segmentationId }: OfferedSegment): string {
  if (networkType !== 'vlan') return device;
  const parent =
    device.length <= longestParent
      ? device
      : device.slice(0, longestParent - hashLength) + sha1(device).slice(0, hashLength);
  return `${parent}.${segmentationId}`;
}
