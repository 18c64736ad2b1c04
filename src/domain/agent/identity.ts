import { z } from 'zod';
import type { ResourceRef } from '../kernel/resource.ts';

/** The types by which agents introduce themselves. Any other is an agent as well, of which nothing here knows more. */
export const agentTypes = {
  openVswitch: 'Open vSwitch agent',
  linuxBridge: 'Linux bridge agent',
  sriov: 'NIC Switch agent',
  macvtap: 'Macvtap agent',
  dhcp: 'DHCP agent',
  conductor: 'Ironic conductor',
} as const;

/** `<host>:<type>`. A host may contain colons, a type does not. */
export const AgentId = z
  .string()
  .max(511)
  .regex(/^.+:[^:]+$/, 'must be <host>:<type>, such as compute-1:Open vSwitch agent');

export const agentRef = (host: string, type: string): ResourceRef => ({ kind: 'agent', id: `${host}:${type}` });

export function partsOf(agentId: string): { host: string; type: string } {
  const colon = agentId.lastIndexOf(':');
  return { host: agentId.slice(0, colon), type: agentId.slice(colon + 1) };
}
