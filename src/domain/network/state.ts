import type { Lifetime } from '../kernel/aggregate.ts';
import type { Segment, Subnet } from './events.ts';

export interface Network extends Lifetime {
  name: string;
  projectId: string;
  /** In the order in which a port is offered to them. */
  segments: Segment[];
  subnets: Subnet[];
  /** Which hosts' DHCP agents serve the network. */
  dhcpAgents: { host: string; since: string }[];
}
