import { z } from 'zod';
import { defineEvents, type EventOf, revised } from '../kernel/events.ts';
import { HostName, Uuid } from '../kernel/resource.ts';

export const networkTypes = ['local', 'flat', 'vlan', 'vxlan', 'gre', 'geneve'] as const;
export const NetworkType = z.enum(networkTypes);

/** One way in which the network is carried. A port is bound to the first one that its host can serve. */
export const Segment = z.object({
  id: Uuid,
  networkType: NetworkType,
  physicalNetwork: z.string().min(1).max(64).nullable(),
  segmentationId: z.number().int().nonnegative().max(16_777_215).nullable(),
});

const Name = z.string().max(255);

export const Subnet = z.object({
  id: Uuid,
  name: Name,
  cidr: z.union([z.cidrv4(), z.cidrv6()]),
  enableDhcp: z.boolean(),
  /** The segment it belongs to, in a routed network. */
  segmentId: Uuid.nullable(),
});

export const SubnetChanges = Subnet.pick({ name: true, enableDhcp: true, segmentId: true }).partial();

export const NetworkChanges = z.object({ name: Name }).partial();

const Reason = z.string().min(1).max(1000);

// What can happen to a network. These names are the storage format.
export const networkEvents = defineEvents('network', {
  NetworkCreated: z.object({ name: Name, projectId: z.string().max(255) }),
  NetworkUpdated: z.object({ changes: NetworkChanges }),
  SegmentAdded: Segment,
  // Version 1 had no name.
  SubnetAdded: revised(Subnet, (subnet) => ({ ...subnet, name: '' })),
  SubnetUpdated: z.object({ id: Uuid, changes: SubnetChanges }),
  /** The DHCP agent of `host` serves the network from now on. */
  DhcpAgentScheduled: z.object({ host: HostName }),
  DhcpAgentUnscheduled: z.object({ host: HostName, reason: Reason }),
  NetworkDeleted: z.object({}),
});

export type NetworkEvent = EventOf<typeof networkEvents>;
export type Segment = z.infer<typeof Segment>;
export type Subnet = z.infer<typeof Subnet>;
