import type { Begin, Evolve } from '../kernel/aggregate.ts';
import type { NetworkEvent } from './events.ts';
import type { Network } from './state.ts';

export const begin: Begin<Network, NetworkEvent, 'NetworkCreated'> = {
  NetworkCreated({ name, projectId }, { id }) {
    return { id, name, projectId, segments: [], subnets: [], dhcpAgents: [] };
  },
};

export const evolve: Evolve<Network, NetworkEvent, 'NetworkCreated'> = {
  NetworkUpdated(network, { changes }) {
    Object.assign(network, changes);
  },

  SegmentAdded(network, segment) {
    network.segments.push({ ...segment });
  },

  /** A copy: what the subnet becomes must not change what was recorded of its beginning. */
  SubnetAdded(network, subnet) {
    network.subnets.push({ ...subnet });
  },

  SubnetUpdated(network, { id, changes }) {
    const subnet = network.subnets.find((known) => known.id === id);
    if (subnet) Object.assign(subnet, changes);
  },

  DhcpAgentScheduled(network, { host }, { time }) {
    network.dhcpAgents.push({ host, since: time });
  },

  DhcpAgentUnscheduled(network, { host }) {
    network.dhcpAgents = network.dhcpAgents.filter((agent) => agent.host !== host);
  },

  NetworkDeleted(network, _data, { time }) {
    network.deletedAt = time;
    network.dhcpAgents = [];
  },
};
