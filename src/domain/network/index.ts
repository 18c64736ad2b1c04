import { agentRef, agentTypes } from '../agent/identity.ts';
import type { Aggregate } from '../kernel/aggregate.ts';
import { Uuid } from '../kernel/resource.ts';
import { networkCommands } from './commands.ts';
import { decide, open } from './decide.ts';
import { networkEvents } from './events.ts';
import { begin, evolve } from './evolve.ts';
import { networkRefusals } from './refusals.ts';
import type { Network } from './state.ts';

export const networkAggregate: Aggregate<Network> = {
  kind: 'network',
  id: Uuid,
  foldVersion: 2,
  events: networkEvents,
  commands: networkCommands,
  refusals: networkRefusals,
  begin,
  evolve,
  open,
  decide,
  status: (network) => (network.deletedAt === undefined ? 'ACTIVE' : 'DELETED'),
  needs: (_network, { type, data }) =>
    type === 'ScheduleDhcpAgent' ? [agentRef(data.host as string, agentTypes.dhcp)] : [],
};
