import { agentRef, agentTypes } from '../agent/identity.ts';
import type { Agent } from '../agent/state.ts';
import { type Decide, isAlive } from '../kernel/aggregate.ts';
import { sameJson } from '../kernel/json.ts';
import type { NetworkCommands, NewSegment } from './commands.ts';
import type { NetworkEvent } from './events.ts';
import { refuse } from './refusals.ts';
import type { Network } from './state.ts';

type Opening = 'CreateNetwork' | 'DeleteNetwork';

export const open: Decide<Network | null, Pick<NetworkCommands, Opening>, NetworkEvent> = {
  CreateNetwork(network, { segments, ...attributes }, { resource }) {
    if (network && isAlive(network)) {
      const { name, projectId } = network;
      const same = sameJson({ name, projectId }, attributes) && segments.every((given) => knownSegment(network, given));
      return same ? [] : refuse('network-exists', `The network ${network.id} exists and differs from the one given.`);
    }
    return [
      { type: 'NetworkCreated', data: attributes },
      ...segments.map(
        (given, index): NetworkEvent => ({
          type: 'SegmentAdded',
          data: { ...given, id: given.id ?? nthPartOf(resource.id, index + 1) },
        }),
      ),
    ];
  },

  DeleteNetwork(network, _data, { resource }) {
    if (!network) return refuse('network-not-found', `There is no network ${resource.id}.`);
    return isAlive(network) ? [{ type: 'NetworkDeleted', data: {} }] : [];
  },
};

export const decide: Decide<Network, Omit<NetworkCommands, Opening>, NetworkEvent> = {
  UpdateNetwork(network, given) {
    const changes = differing(network, given);
    return changes ? [{ type: 'NetworkUpdated', data: { changes } }] : [];
  },

  AddSegment(network, given) {
    if (knownSegment(network, given)) return [];
    if (network.segments.some(({ id }) => id === given.id)) {
      refuse('segment-exists', `The segment ${given.id} exists and differs from the one given.`);
    }
    return [{ type: 'SegmentAdded', data: { ...given, id: given.id ?? nextPartOf(network) } }];
  },

  AddSubnet(network, given) {
    requireSegment(network, given.segmentId);
    const known = network.subnets.find(({ id, cidr }) => id === given.id || cidr === given.cidr);
    if (known) {
      if (sameJson(known, { id: known.id, ...given })) return [];
      refuse('subnet-exists', `The subnet ${known.id} (${known.cidr}) exists and differs from the one given.`);
    }
    return [{ type: 'SubnetAdded', data: { ...given, id: given.id ?? nextPartOf(network) } }];
  },

  UpdateSubnet(network, { id, ...given }) {
    const subnet = network.subnets.find((known) => known.id === id);
    if (!subnet) return refuse('subnet-not-found', `The network ${network.id} has no subnet ${id}.`);
    requireSegment(network, given.segmentId);
    const changes = differing(subnet, given);
    return changes ? [{ type: 'SubnetUpdated', data: { id, changes } }] : [];
  },

  /** A dead agent may be scheduled: it serves the network when it returns. */
  ScheduleDhcpAgent(network, { host }, { related }) {
    if (isScheduled(network, host)) return [];
    const agent = related?.stateOf(agentRef(host, agentTypes.dhcp)) as Agent | null;
    if (!isAlive(agent)) refuse('dhcp-agent-not-found', `No DHCP agent is registered on ${host}.`);
    return [{ type: 'DhcpAgentScheduled', data: { host } }];
  },

  UnscheduleDhcpAgent(network, { host, reason }) {
    return isScheduled(network, host) ? [{ type: 'DhcpAgentUnscheduled', data: { host, reason } }] : [];
  },
};

/** Of what is given, that which is not so already; null where all is. */
function differing<T extends object>(current: object, given: T): T | null {
  const changed = Object.entries(given).filter(([name, value]) => value !== current[name as keyof typeof current]);
  return changed.length > 0 ? (Object.fromEntries(changed) as T) : null;
}

const isScheduled = (network: Network, host: string): boolean =>
  network.dhcpAgents.some((agent) => agent.host === host);

/** A segment is known by its id, or where none is given by what it is. */
const knownSegment = (network: Network, given: NewSegment): boolean =>
  network.segments.some((segment) => sameJson(segment, { id: segment.id, ...given }));

function requireSegment(network: Network, segmentId: string | null | undefined): void {
  if (segmentId == null || network.segments.some(({ id }) => id === segmentId)) return;
  refuse('segment-not-found', `The network ${network.id} has no segment ${segmentId}.`);
}

/** Decisions may not draw random ids, so a part that comes without one gets the next id after the network's own. */
const nextPartOf = (network: Network): string =>
  nthPartOf(network.id, network.segments.length + network.subnets.length + 1);

function nthPartOf(networkId: string, n: number): string {
  const tail = (Number.parseInt(networkId.slice(24), 16) + n) % 2 ** 48;
  return networkId.slice(0, 24) + tail.toString(16).padStart(12, '0');
}
