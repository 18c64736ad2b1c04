import { agentRef, agentTypes, partsOf } from '../agent/identity.ts';
import type { Agent } from '../agent/state.ts';
import { isAlive, type Related } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { Network } from '../network/state.ts';
import type { BindingCause, DataOf } from '../port/events.ts';
import { dhcp, l2 } from '../port/provisioning.ts';
import type { Port } from '../port/state.ts';
import type { Flow, FlowCommand, FlowEvent } from './flow.ts';
import type { SiteIndex } from './site-index.ts';

/** What a kind of event asks of ports, and what it must see for that. */
interface Concern {
  readonly needs?: (event: FlowEvent, known: Related) => readonly ResourceRef[];
  readonly ports: (event: FlowEvent, related: Related, index: SiteIndex) => readonly string[];
  readonly cause: BindingCause;
}

/**
 * Ports depend on agents and networks, and these change. A dead agent that returns gets its failed ports bound; a block
 * that nobody can lift any more is lifted. Each port decides for itself: this flow only tells it to look again.
 *
 * A port may also be decided on an agent or network that changes at the same moment, and reach the index after the flow
 * has asked it. So the port's own events are looked at as well, against what is known by then.
 */
const concerns: Readonly<Record<string, Concern>> = {
  AgentBack: {
    needs: ({ resource }) => [resource],
    ports: (event, related, index) => (serves(event, related) ? index.portsFailedOn(hostOf(event)) : []),
    cause: 'agent-back',
  },
  AgentRegistered: {
    needs: ({ resource }) => [resource],
    ports: (event, related, index) => (serves(event, related) ? index.portsFailedOn(hostOf(event)) : []),
    cause: 'agent-registered',
  },
  AgentDeleted: {
    ports: (event, _related, index) => index.portsAwaitingL2On(hostOf(event)),
    cause: 'agent-gone',
  },
  DhcpAgentUnscheduled: networkChange(),
  SubnetUpdated: networkChange(),
  NetworkDeleted: networkChange(),

  /** It failed for want of an agent that is alive by now. */
  PortBindingFailed: {
    needs: (event) => agentsOn((event.data as DataOf<'PortBindingFailed'>).host),
    ports: (event, related) => (lacking(event, related) ? [event.resource.id] : []),
    cause: 'agent-back',
  },
  /** It waits for somebody who is gone by now. */
  ProvisioningComponentAdded: {
    needs(event, known) {
      const { entity, host } = event.data as DataOf<'ProvisioningComponentAdded'>;
      if (entity === l2 && host !== undefined) return agentsOn(host);
      return entity === dhcp ? [event.resource, ...networkOf(event, known)] : [];
    },
    ports: (event, related) => (isAnswered(event, related) ? [] : [event.resource.id]),
    cause: 'agent-gone',
  },
};

function networkChange(): Concern {
  return {
    ports: ({ resource }, _related, index) => index.portsAwaitingDhcpOf(resource.id),
    cause: 'network-changed',
  };
}

export const reconsiderPorts = (index: SiteIndex): Flow => ({
  name: 'reconsider-ports',
  types: Object.keys(concerns),
  needs: (event, known) => concerns[event.type]!.needs?.(event, known) ?? [],
  react(event, related) {
    const { ports, cause } = concerns[event.type]!;
    return ports(event, related, index).map((id): FlowCommand => {
      return { resource: { kind: 'port', id }, type: 'ReconsiderPort', data: { cause } };
    });
  },
});

const hostOf = ({ resource }: FlowEvent): string => partsOf(resource.id).host;

/** Whether ports may be given to the agent: it is up, as far as its administrator is concerned, and binds ports at all. */
function serves({ resource }: FlowEvent, related: Related): boolean {
  const agent = related.stateOf(resource) as Agent | null;
  return agent?.adminStateUp === true && agent.type !== agentTypes.dhcp;
}

const bindingTypes = Object.values(agentTypes).filter((type) => type !== agentTypes.dhcp);
const agentsOn = (host: string): ResourceRef[] => bindingTypes.map((type) => agentRef(host, type));

const networkOf = ({ resource }: FlowEvent, known: Related): ResourceRef[] => {
  const id = (known.stateOf(resource) as Port | null)?.networkId;
  return id ? [{ kind: 'network', id }] : [];
};

function lacking({ data }: FlowEvent, related: Related): boolean {
  const { host, agents } = data as DataOf<'PortBindingFailed'>;
  return agentsOn(host).some((ref) => {
    const agent = related.stateOf(ref) as Agent | null;
    const seenAlive = agents.some((seen) => seen.alive && agentRef(host, seen.type).id === ref.id);
    return isAlive(agent) && agent!.alive && agent!.adminStateUp && !seenAlive;
  });
}

function isAnswered(event: FlowEvent, related: Related): boolean {
  const { entity, host } = event.data as DataOf<'ProvisioningComponentAdded'>;
  if (entity === l2 && host !== undefined) return agentsOn(host).some((ref) => isAlive(related.stateOf(ref) as Agent));
  if (entity !== dhcp) return true;
  const [ref] = networkOf(event, related);
  const network = ref ? (related.stateOf(ref) as Network | null) : null;
  return !network || (isAlive(network) && network.dhcpAgents.length > 0 && network.subnets.some((s) => s.enableDhcp));
}
