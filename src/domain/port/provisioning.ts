import { l2 } from './events.ts';
import type { Block, Port } from './state.ts';
import type { Unfolding } from './unfolding.ts';

/**
 * Provisioning blocks, after Neutron's `provisioning_blocks`: a set of entities that must report before the port is
 * ACTIVE. The rule is "no block is left and somebody who counts has completed in this round", never "I removed the last
 * one", so it does not matter who comes last, nor whether the last block was completed or lifted.
 */

export const blockOf = (port: Port, entity: string): Block | undefined =>
  port.blocks.find((block) => block.entity === entity);

/** A port that is ACTIVE and must be wired anew is at work again: BUILD, so that it is never ACTIVE and blocked. */
export function block(it: Unfolding, entity: string, reason: string, host?: string): void {
  if (blockOf(it.port, entity)) return;
  it.add({
    type: 'ProvisioningComponentAdded',
    data: { entity, ...(host !== undefined && { host }), reason },
  });
  if (it.port.status === 'ACTIVE') it.setStatus('BUILD', 'blocked-again');
}

/** The entity need not report after all. */
export function lift(it: Unfolding, entity: string, reason: string): void {
  if (!blockOf(it.port, entity)) return;
  it.add({ type: 'ProvisioningComponentRemoved', data: { entity, reason } });
  const last = it.port.round.completed.at(-1);
  if (last) provision(it, last.entity);
}

/**
 * Reports come late, twice and early. One that can change nothing is no event: nor is that of an entity that nobody waits
 * for while others are awaited, apart from the word of the host, which is needed whether or not there is a block that says so.
 */
export function complete(it: Unfolding, entity: string, host?: string): void {
  const { round, binding, blocks } = it.port;
  const blocking = blockOf(it.port, entity) !== undefined;
  const reported = round.completed.some((completion) => completion.entity === entity);
  const wires = entity === l2 && binding.host !== null && binding.device !== 'up';
  if (!blocking && !wires && (blocks.length > 0 || round.provisioned || reported)) return;

  it.add({
    type: 'ProvisioningComponentCompleted',
    data: { entity, ...(host !== undefined && { host }), early: !blocking },
  });
  provision(it, entity);
}

function provision(it: Unfolding, entity: string): void {
  const { blocks, round } = it.port;
  if (blocks.length === 0 && !round.provisioned) it.add({ type: 'PortProvisioned', data: { entity } });
  it.settle('provisioned');
}

/** Whether a report of `entity` from `host` counts: one that names no host is taken on trust. */
export function hasSay(port: Port, entity: string, host: string | undefined): boolean {
  const awaited = blockOf(port, entity)?.host ?? (entity === l2 ? port.binding.host : null);
  return host === undefined || awaited === null || host === awaited;
}
