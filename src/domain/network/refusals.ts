import { lifetimeRefusals } from '../kernel/aggregate.ts';
import { type RefusalCatalogue, refuser } from '../kernel/refusal.ts';

export const networkRefusals = {
  ...lifetimeRefusals('network'),
  'network-exists': {
    category: 'conflict',
    title: 'The network exists with other attributes',
    explanation:
      'CreateNetwork named an id that is taken by a living network which differs from the one given. The same CreateNetwork again is answered as done. Add segments with AddSegment, or take another id.',
  },
  'segment-exists': {
    category: 'conflict',
    title: 'The segment exists and is another one',
    explanation:
      'A segment with this id is part of the network and differs from the one given. Segments do not change: take another id.',
  },
  'subnet-exists': {
    category: 'conflict',
    title: 'The subnet exists and differs',
    explanation:
      'The network has a subnet with this id or this CIDR that differs from the one given. Change it with UpdateSubnet, or take another id and CIDR.',
  },
  'subnet-not-found': {
    category: 'not-found',
    title: 'No such subnet',
    explanation: 'The network has no subnet with this id. `subnets` in the network lists those it has.',
  },
  'segment-not-found': {
    category: 'not-found',
    title: 'No such segment',
    explanation: 'The network has no segment with this id. `segments` in the network lists those it has.',
  },
  'dhcp-agent-not-found': {
    category: 'not-found',
    title: 'The host has no DHCP agent',
    explanation:
      'A network can only be served by a DHCP agent that is registered. Register it as `<host>:DHCP agent`, or name another host.',
  },
} as const satisfies RefusalCatalogue;

export const refuse = refuser(networkRefusals);
