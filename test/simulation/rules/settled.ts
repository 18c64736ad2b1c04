import { agentRef, agentTypes } from '../../../src/domain/agent/identity.ts';
import type { Agent } from '../../../src/domain/agent/state.ts';
import { aggregates } from '../../../src/domain/aggregates.ts';
import { isAlive, type Lifetime, viewOf } from '../../../src/domain/kernel/aggregate.ts';
import type { ResourceRef } from '../../../src/domain/kernel/resource.ts';
import type { Network } from '../../../src/domain/network/state.ts';
import { kindOf } from '../../../src/domain/node/provision-machine.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import type { Port } from '../../../src/domain/port/state.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import { explain } from '../../../src/domain/why/explain.ts';
import type { World as SeenWorld } from '../../../src/domain/why/world.ts';
import { spoiled } from '../actors/vandal.ts';
import { type Rule, Violation } from '../violation.ts';
import type { Witness } from '../witness.ts';

/** What must hold when nothing is on its way any more, every deadline has passed, and agents that run are heard. */
export function checkSettled(witness: Witness, isRunning: (agentId: string) => boolean, now: string): void {
  for (const agent of witness.living<Agent>('agent')) checkAgent(agent, isRunning(agent.id));
  checkDeadlines(witness, now);
  for (const port of witness.living<Port>('port')) checkPort(witness, port);
  for (const node of witness.living<Node>('node')) checkNode(witness, node);
  for (const server of witness.living<Server>('server')) if (server.id !== spoiled) checkServer(witness, server);
  checkWhy(witness, now);
}

function require(rule: Rule, holds: boolean, detail: string): void {
  if (!holds) throw new Violation(rule, `when all is settled, ${detail}`);
}

const agentOn = (witness: Witness, host: string, type: string): Agent | null =>
  witness.stateOf<Agent>('agent', agentRef(host, type).id);

/** Who beats is heard, and who is silent is lost. */
function checkAgent({ id, alive }: Agent, isRunning: boolean): void {
  require('agent', alive === isRunning, `the agent ${id} is ${isRunning ? '' : 'not '}running and alive is ${alive}`);
}

/** Nothing that the clock was to do is still to be done. Agents that run were heard a moment ago. */
function checkDeadlines(witness: Witness, now: string): void {
  for (const { resource, state } of witness.pasts()) {
    if (!state || !isAlive(state) || resource.id === spoiled) continue;
    const overdue = aggregates[resource.kind].deadlines?.(state, now).find(({ at }) => at < now);
    require('deadlines-met', !overdue, `${overdue?.name} of ${resource.kind} ${resource.id} was due at ${overdue?.at}`);
  }
}

/** It waits for nobody who cannot report. */
function checkPort(witness: Witness, { id, blocks, binding, networkId }: Port): void {
  for (const { entity, host } of blocks) {
    if (entity === 'L2') {
      require('port', host === binding.host, `the port ${id} waits for ${host} and is bound to ${binding.host}`);
      const agent = agentOn(witness, host!, agentTypes.openVswitch);
      require('port', agent !== null, `the port ${id} waits for ${host}, where no agent is`);
    }
    if (entity === 'DHCP') {
      const network = networkId === null ? null : witness.stateOf<Network>('network', networkId);
      const served = (network?.dhcpAgents.length ?? 0) > 0 && network!.subnets.some(({ enableDhcp }) => enableDhcp);
      require('port', served, `the port ${id} waits for DHCP, and nobody serves it`);
    }
  }
}

/** Its lock is held by somebody who may still act; its instance exists, and knows of it. */
function checkNode(
  witness: Witness,
  { id, reservation, instanceId, provisionState, callBack, maintenance }: Node,
): void {
  if (reservation && reservation.kind !== 'other') {
    const holder = agentOn(witness, reservation.holder, agentTypes.conductor);
    require('node', holder?.alive !== false, `the node ${id} is locked by ${reservation.holder}, which is lost`);
  }
  const isLeftAlone = kindOf(provisionState) === 'working' && reservation === null;
  require('node', !isLeftAlone, `the node ${id} is ${provisionState} and nobody works on it`);
  const isForgotten = kindOf(provisionState) === 'waiting' && callBack === null && maintenance === null;
  require('node', !isForgotten, `the node ${id} is ${provisionState} for ever`);
  if (instanceId === null) return;
  const server = witness.past(`server-${instanceId}`)?.state as Server | undefined;
  const isLeaving = ['deleting', 'error', 'clean wait', 'cleaning'].includes(provisionState);
  const isHeld = server !== undefined && isAlive(server) && server.nodeId === id;
  require('node', isHeld || isLeaving, `the node ${id} is ${provisionState} for ${instanceId}, which is not on it`);
}

/** Its node has it as its instance. A state that an administrator set by hand is taken as it was given. */
function checkServer(witness: Witness, { id, nodeId, vmState, operation, build, forced }: Server): void {
  if (!nodeId || vmState === 'error' || build || operation || forced) return;
  const instance = witness.stateOf<Node>('node', nodeId)?.instanceId;
  require('server', instance === id, `the server ${id} is ${vmState} on ${nodeId}, which has ${instance}`);
}

/** Whatever is not well says what it waits for, and who can act. */
function checkWhy(witness: Witness, time: string): void {
  const seen = {
    time,
    settings: {},
    stateOf: ({ kind, id }: ResourceRef) => {
      const state = witness.past(`${kind}-${id}`)?.state ?? null;
      return state && (viewOf(aggregates[kind], state) as Lifetime);
    },
    heardAt: () => null,
    happened: () => [],
    dependants: () => [],
    agentsOn: () => [],
  } as unknown as SeenWorld;
  for (const { resource, state } of witness.pasts()) {
    if (!state || !isAlive(state) || resource.id === spoiled) continue;
    const { verdict, status, conditions } = explain(resource, seen);
    const about = `the ${resource.kind} ${resource.id} is ${status}, and why`;
    require('reason-with-status', verdict !== 'unknown', `${about} knows nothing of it`);
    const isFine = verdict === 'fine' || conditions.some(({ met, clearable }) => !met && clearable !== null);
    require('reason-with-status', isFine, `${about} names nobody who can act`);
    if (resource.kind === 'server' && (state as Server).build !== null)
      require('server', verdict !== 'fine', `${about} finds it fine`);
  }
}
