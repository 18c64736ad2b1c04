import type { PortEvent, PortStatus } from './events.ts';
import type { Completion, Port } from './state.ts';

/**
 * Provisioning blocks, after Neutron's `provisioning_blocks`: a set of entities that must report before the port is
 * ACTIVE. The rule is "no block is left and somebody has completed in this round", never "I removed the last one", so
 * it does not matter who comes last, nor whether the last block was completed or lifted.
 */

export const blockOf = (port: Port, entity: string) => port.blocks.find((block) => block.entity === entity);

/** What follows when `lifted` no longer blocks the port, and `last` is the latest completion of the round, if any. */
export function afterLifting(port: Port, lifted: string, last: Pick<Completion, 'entity'> | undefined): PortEvent[] {
  const blocked = port.blocks.some((block) => block.entity !== lifted);
  if (blocked || !last) return [];
  const provisioned: PortEvent = { type: 'PortProvisioned', data: { entity: last.entity } };
  return port.adminStateUp ? [provisioned, ...toStatus(port, 'ACTIVE', 'provisioned')] : [provisioned];
}

/** The change to a status, or nothing where the port has it. */
export const toStatus = (
  { status: from }: Port,
  to: PortStatus,
  cause: Extract<PortEvent, { type: 'PortStatusChanged' }>['data']['cause'],
  reason?: string,
): PortEvent[] =>
  from === to
    ? []
    : [{ type: 'PortStatusChanged', data: { from, to, cause, ...(reason !== undefined && { reason }) } }];
