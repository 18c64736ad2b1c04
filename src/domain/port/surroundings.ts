import { agentRef } from '../agent/identity.ts';
import { isAgentAlive, silentSince } from '../agent/liveness.ts';
import type { Agent } from '../agent/state.ts';
import { type Facts, isAlive } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { Network } from '../network/state.ts';
import { driversOf, type PortSettings } from './drivers/configured.ts';
import type { AgentOnHost, MechanismDriver } from './drivers/mechanism-driver.ts';
import type { Port } from './state.ts';

export interface PortFacts extends Facts {
  readonly settings?: PortSettings;
}

/** What a port is bound against, as it is at the moment of the decision. */
export interface Surroundings {
  readonly drivers: readonly MechanismDriver[];
  /** The port's network, if one of that id lives in this ledger. */
  readonly network: Network | null;
  agentOn(host: string, type: string): AgentOnHost | null;
}

export function surroundingsOf({ networkId }: Pick<Port, 'networkId'>, facts: PortFacts): Surroundings {
  const { related, settings = {}, time } = facts;
  const network = networkId === null ? null : ((related?.stateOf(networkRef(networkId)) ?? null) as Network | null);
  return {
    drivers: driversOf(settings),
    network: isAlive(network) ? network : null,

    agentOn(host, type) {
      const ref = agentRef(host, type);
      const agent = (related?.stateOf(ref) ?? null) as Agent | null;
      if (!agent || !isAlive(agent)) return null;
      const heardAt = related?.heardAt(ref) ?? null;
      return {
        type,
        alive: isAgentAlive(agent, heardAt, time),
        adminStateUp: agent.adminStateUp,
        silentSince: silentSince(agent, heardAt),
        configurations: agent.configurations,
      };
    },
  };
}

const networkRef = (id: string): ResourceRef => ({ kind: 'network', id });

type Command = { readonly type: string; readonly data: { host?: string | null; networkId?: string | null } };

/** Commands that decide on a binding, and the host they decide about. */
const hostOf: Readonly<Record<string, (port: Port | null, data: Command['data']) => string | null | undefined>> = {
  CreatePort: (_port, data) => data.host,
  UpdatePort: (port, data) => (data.host === undefined ? port?.binding.host : data.host),
  BindPort: (_port, data) => data.host,
  AddBinding: (_port, data) => data.host,
  ActivateBinding: (_port, data) => data.host,
  RequestDeviceDetails: (port) => port?.binding.host,
  ReconsiderPort: (port) => port?.binding.host,
};

/** The network and the host's agents: as many as there are kinds of agent, however many agents there are. */
export function needs(port: Port | null, { type, data }: Command, settings: PortSettings): ResourceRef[] {
  const whose = hostOf[type];
  if (!whose) return [];
  const host = whose(port, data);
  const networkId = type === 'CreatePort' ? data.networkId : port?.networkId;
  const network = networkId ? [networkRef(networkId)] : [];
  if (!host) return network;
  const agents = driversOf(settings).flatMap(({ agentType }) => (agentType ? agentRef(host, agentType) : []));
  return [...network, ...agents];
}
