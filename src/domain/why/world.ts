import { isAgentAlive, silentSince } from '../agent/liveness.ts';
import type { Agent } from '../agent/state.ts';
import { isAlive } from '../kernel/aggregate.ts';
import type { Kind, ResourceRef } from '../kernel/resource.ts';
import type { Network } from '../network/state.ts';
import type { Node } from '../node/state.ts';
import type { PortSettings } from '../port/drivers/configured.ts';
import type { Port } from '../port/state.ts';
import type { ServerView } from '../server/view.ts';
import type { Owner } from './explanation.ts';

/** The states as people see them: what is folded, and the words for it. */
export interface Seen {
  port: Port;
  server: ServerView;
  node: Node & { allowed: string[]; warnings: { sign: string; detail: string }[] };
  agent: Agent;
  network: Network;
}

/** Everything an explanation may look at: some resources at one moment. */
export interface World {
  /** The moment, as the ledger's clock told it. */
  readonly time: string;
  readonly settings: PortSettings;
  /** Null where nothing was recorded by then, or where it was not looked for. */
  stateOf<K extends Kind>(ref: ResourceRef & { kind: K }): Seen[K] | null;
  /** The last sign of life, for the present; null for the past, of which only what was recorded is known. */
  heardAt(ref: ResourceRef): string | null;
  /** The newest events of the resource up to the moment, newest first. */
  happened(ref: ResourceRef): readonly Happening[];
  /** Resources whose own state names this one. */
  dependants(ref: ResourceRef): readonly ResourceRef[];
  /** Agents that are registered on the host, of types that no rule here knows of included. */
  agentsOn(host: string): readonly ResourceRef[];
}

export interface Happening {
  readonly type: string;
  readonly time: string;
  readonly revision: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly actor: { readonly type: string; readonly id: string } | null;
}

export const ref = <K extends Kind>(kind: K, id: string): ResourceRef & { kind: K } => ({ kind, id });

/** A resource that exists at the moment. */
export function living<K extends Kind>(world: World, of: ResourceRef & { kind: K }): Seen[K] | null {
  const state = world.stateOf(of);
  return isAlive(state) ? state : null;
}

/** An agent as the owner of a part; null where none is registered. */
export function agentOwner(world: World, agent: ResourceRef): (Owner & { alive: boolean }) | null {
  const state = living(world, ref('agent', agent.id));
  if (!state) return null;
  const heardAt = world.heardAt(agent);
  return {
    kind: 'agent',
    id: agent.id,
    host: state.host,
    alive: heardAt === null ? state.alive : isAgentAlive(state, heardAt, world.time),
    lastSeenAt: silentSince(state, heardAt),
  };
}

/** The latest event of one of these types, among the newest. */
export const latest = (
  world: World,
  of: ResourceRef,
  types: readonly string[],
  where: (data: Happening['data']) => boolean = () => true,
): Happening | undefined => world.happened(of).find((event) => types.includes(event.type) && where(event.data));
