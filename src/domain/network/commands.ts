import { z } from 'zod';
import { HostName, Uuid } from '../kernel/resource.ts';
import { NetworkChanges, Segment, Subnet, SubnetChanges } from './events.ts';

const Reason = z.string().min(1).max(1000);

/** A segment as a caller describes it. Without an id it gets one that follows from the network's. */
const NewSegment = z
  .strictObject({
    id: Uuid.optional(),
    networkType: Segment.shape.networkType,
    physicalNetwork: Segment.shape.physicalNetwork.default(null),
    segmentationId: Segment.shape.segmentationId.default(null),
  })
  .refine(({ networkType, physicalNetwork }) => physicalNetwork !== null || !['flat', 'vlan'].includes(networkType), {
    path: ['physicalNetwork'],
    message: 'a flat or vlan segment needs the physical network it runs on',
  });

const NewSubnet = z.strictObject({
  id: Uuid.optional(),
  name: Subnet.shape.name.default(''),
  cidr: Subnet.shape.cidr,
  enableDhcp: Subnet.shape.enableDhcp.default(true),
  segmentId: Subnet.shape.segmentId.default(null),
});

export const networkCommands = {
  /** Begins the network's life, with its segments where they are known. */
  CreateNetwork: z.strictObject({
    name: z.string().max(255).default(''),
    projectId: z.string().max(255).default(''),
    segments: z.array(NewSegment).max(64).default([]),
  }),

  /** Changes what is given and differs. */
  UpdateNetwork: z.strictObject(NetworkChanges.shape),

  AddSegment: NewSegment,

  AddSubnet: NewSubnet,

  /** Changes what is given. Ports that wait for DHCP on a subnet without it wait no longer. */
  UpdateSubnet: z.strictObject({ id: Uuid, ...SubnetChanges.shape }),

  /** The DHCP agent of `host` serves the network; ports that get an address from now on wait for its report. */
  ScheduleDhcpAgent: z.strictObject({ host: HostName }),

  UnscheduleDhcpAgent: z.strictObject({ host: HostName, reason: Reason.default('requested') }),

  DeleteNetwork: z.strictObject({}),
};

export type NetworkCommands = typeof networkCommands;
export type NewSegment = z.output<typeof NewSegment>;
