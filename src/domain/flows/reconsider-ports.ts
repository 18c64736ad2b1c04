import { agentRef, agentTypes, partsOf } from '../agent/identity.ts';
import type { Agent } from '../agent/state.ts';
import { isAlive, type Related } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { Network } from '../network/state.ts';
import { type BindingCause, type DataOf, dhcp, l2 } from '../port/events.ts';
import type { Port } from '../port/state.ts';
import type { FlowCommand, FlowEvent } from './flow.ts';
import type { Search, SearchingFlow } from './searching-flow.ts';

/** What a kind of event asks of ports. */
interface Concern {
  readonly cause: BindingCause;
  /** The ports that are to look again; without it, the port whose event it is. */
  readonly search?: (event: FlowEvent) => Search;
  readonly needs?: (event: FlowEvent, known: Related) => readonly ResourceRef[];
  /** Whether there is anything to look at, where that can be told. */
  readonly matters?: (event: FlowEvent, related: Related) => boolean;
}

const agentComes = (cause: BindingCause): Concern => ({
  cause,
  search: (event) => ({ kind: 'port', host: hostOf(event), vifType: 'binding_failed' }),
  needs: ({ resource }) => [resource],
  matters: servesPorts,
});

const networkChanges: Concern = {
  cause: 'network-changed',
  search: ({ resource }) => ({ kind: 'port', networkId: resource.id, blockedBy: dhcp }),
};

/**
 * Ports depend on agents and networks, and these change. A dead agent that returns gets its failed ports bound; a block
 * that nobody can lift any more is lifted. Each port decides for itself: it is only told to look again.
 *
 * A port may also be decided on an agent or network that changes at the same moment, and be found by no search. So the
 * port's own events are looked at as well, against what is known by then.
 */
const concerns: Readonly<Record<string, Concern>> = {
  AgentBack: agentComes('agent-back'),
  AgentRegistered: agentComes('agent-registered'),
  AgentDeleted: {
    cause: 'agent-gone',
    search: (event) => ({ kind: 'port', host: hostOf(event), blockedBy: l2 }),
  },
  DhcpAgentUnscheduled: networkChanges,
  SubnetUpdated: networkChanges,
  NetworkDeleted: networkChanges,

  /** It failed for want of an agent that is alive by now. */
  PortBindingFailed: {
    cause: 'agent-back',
    needs: (event) => agentsOn((event.data as DataOf<'PortBindingFailed'>).host),
    matters: hasAgentByNow,
  },
  /** It waits for somebody who is gone by now. */
  ProvisioningComponentAdded: {
    cause: 'agent-gone',
    needs(event, known) {
      const { entity, host } = event.data as DataOf<'ProvisioningComponentAdded'>;
      if (entity === l2 && host !== undefined) return agentsOn(host);
      return entity === dhcp ? [event.resource, ...networkOf(event, known)] : [];
    },
    matters: (event, related) => !canAnswer(event, related),
  },
};

export const reconsiderPorts: SearchingFlow = {
  name: 'reconsider-ports',
  types: Object.keys(concerns),
  search: (event) => [concerns[event.type]!.search?.(event) ?? []].flat(),
  needs: (event, known) => concerns[event.type]!.needs?.(event, known) ?? [],

  react(event, related, found) {
    const { cause, search, matters } = concerns[event.type]!;
    if (matters && !matters(event, related)) return [];
    return (search ? found : [event.resource]).map((resource): FlowCommand => {
      return { resource, type: 'ReconsiderPort', data: { cause } };
    });
  },
};

const hostOf = ({ resource }: FlowEvent): string => partsOf(resource.id).host;

/** Whether ports may be given to the agent: it is up, as far as its administrator is concerned, and binds ports at all. */
function servesPorts({ resource }: FlowEvent, related: Related): boolean {
  const agent = related.stateOf(resource) as Agent | null;
  return agent?.adminStateUp === true && !bindNoPorts.includes(agent.type);
}

const bindNoPorts: readonly string[] = [agentTypes.dhcp, agentTypes.conductor];
const bindingTypes = Object.values(agentTypes).filter((type) => !bindNoPorts.includes(type));
const agentsOn = (host: string): ResourceRef[] => bindingTypes.map((type) => agentRef(host, type));

const networkOf = ({ resource }: FlowEvent, known: Related): ResourceRef[] => {
  const id = (known.stateOf(resource) as Port | null)?.networkId;
  return id ? [{ kind: 'network', id }] : [];
};

function hasAgentByNow({ data }: FlowEvent, related: Related): boolean {
  const { host, agents } = data as DataOf<'PortBindingFailed'>;
  return agentsOn(host).some((ref) => {
    const agent = related.stateOf(ref) as Agent | null;
    const wasAlive = agents.some((seen) => seen.alive && agentRef(host, seen.type).id === ref.id);
    return agent !== null && isAlive(agent) && agent.alive && agent.adminStateUp && !wasAlive;
  });
}

function canAnswer(event: FlowEvent, related: Related): boolean {
  const { entity, host } = event.data as DataOf<'ProvisioningComponentAdded'>;
  if (entity === l2 && host !== undefined) {
    return agentsOn(host).some((ref) => isAlive(related.stateOf(ref) as Agent | null));
  }
  if (entity !== dhcp) return true;
  const [ref] = networkOf(event, related);
  const network = ref ? (related.stateOf(ref) as Network | null) : null;
  return !network || (isAlive(network) && network.dhcpAgents.length > 0 && network.subnets.some((s) => s.enableDhcp));
}
