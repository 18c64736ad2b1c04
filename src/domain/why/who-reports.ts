import { agentRef, agentTypes } from '../agent/identity.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import { driversOf, type PortSettings } from '../port/drivers/configured.ts';
import type { Port } from '../port/state.ts';
import type { Owner } from './explanation.ts';
import { agentOwner, living, ref, type World } from './world.ts';

/** Those who could report a part of a port: registered agents, dead or alive, and back ends that are always there. */
export interface Reporters {
  readonly agents: readonly {
    readonly ref: ResourceRef;
    readonly owner: Owner & { alive: boolean };
    readonly since: string;
  }[];
  readonly backEnd: string | null;
}

export const l2AgentsOn = (host: string, settings: PortSettings): ResourceRef[] =>
  driversOf(settings).flatMap(({ agentType }) => (agentType === null ? [] : [agentRef(host, agentType)]));

/** Who can say that the port is wired on the host: by the driver it is bound with, or by any that takes such ports. */
export function l2Reporters({ binding }: Port, host: string, world: World): Reporters {
  const able = driversOf(world.settings).filter((driver) =>
    binding.driver === null ? driver.vnicTypes.includes(binding.vnicType) : driver.name === binding.driver,
  );
  const refs = able.flatMap(({ agentType }) => (agentType === null ? [] : [agentRef(host, agentType)]));
  return {
    agents: registered(refs, world),
    backEnd: able.find(({ reporter }) => reporter === 'back-end')?.name ?? null,
  };
}

/** The DHCP agents that serve the port's network. */
export function dhcpReporters({ networkId }: Port, world: World): Reporters {
  const network = networkId === null ? null : living(world, ref('network', networkId));
  const refs = network?.dhcpAgents.map(({ host }) => agentRef(host, agentTypes.dhcp)) ?? [];
  return { agents: registered(refs, world), backEnd: null };
}

/** An integrator's entity may be an agent of that name on the host; the ledger knows it only if it registers. */
export function otherReporters(entity: string, host: string | undefined, world: World): Reporters {
  const refs = host === undefined || entity.includes(':') || entity === '' ? [] : [agentRef(host, entity)];
  return { agents: registered(refs, world), backEnd: null };
}

/** Those who are alive first. */
function registered(refs: readonly ResourceRef[], world: World): Reporters['agents'] {
  const agents = refs.flatMap((agent) => {
    const owner = agentOwner(world, agent);
    const state = living(world, ref('agent', agent.id));
    return owner && state ? [{ ref: agent, owner, since: state.since }] : [];
  });
  return agents.toSorted((a, b) => Number(b.owner.alive) - Number(a.owner.alive));
}
