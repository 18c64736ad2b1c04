import type { Decide } from '../kernel/aggregate.ts';
import { isAlive } from '../kernel/aggregate.ts';
import type { PortCommands } from './commands.ts';
import type { PortChanges, PortEvent } from './events.ts';
import { afterLifting, blockOf, toStatus } from './provisioning.ts';
import { refuse } from './refusals.ts';
import type { Port } from './state.ts';

type Opening = 'CreatePort' | 'DeletePort';

export const open: Decide<Port | null, Pick<PortCommands, Opening>, PortEvent> = {
  CreatePort(port, { macAddress, ...given }, { resource }) {
    const attributes = { ...given, macAddress: macAddress ?? macAddressOf(resource.id) };
    if (!port || !isAlive(port)) return [{ type: 'PortCreated', data: attributes }];

    const differing = Object.keys(changesOf(port, attributes));
    if (differing.length === 0) return [];
    return refuse('port-exists', `The port ${port.id} exists and differs in ${differing.join(', ')}.`, { differing });
  },

  DeletePort(port, _data, { resource }) {
    if (!port) return refuse('port-not-found', `There is no port ${resource.id}.`);
    return isAlive(port) ? [{ type: 'PortDeleted', data: {} }] : [];
  },
};

export const decide: Decide<Port, Omit<PortCommands, Opening>, PortEvent> = {
  /** A port that was wired while it was administratively down becomes ACTIVE when it is set up. */
  UpdatePort(port, given) {
    const changes = changesOf(port, given);
    if (Object.keys(changes).length === 0) return [];

    const updated: PortEvent = { type: 'PortUpdated', data: { changes } };
    const ready = changes.adminStateUp && port.round.provisioned;
    return ready ? [updated, ...toStatus(port, 'ACTIVE', 'admin-state-up')] : [updated];
  },

  /** A port that is ACTIVE and must be wired anew is at work again: BUILD, so that it is never ACTIVE and blocked. */
  AddProvisioningComponent(port, { entity, host, reason }) {
    if (blockOf(port, entity)) return [];
    const added: PortEvent = {
      type: 'ProvisioningComponentAdded',
      data: { entity, ...(host !== undefined && { host }), reason },
    };
    return port.status === 'ACTIVE' ? [added, ...toStatus(port, 'BUILD', 'blocked-again')] : [added];
  },

  RemoveProvisioningComponent(port, { entity, reason }) {
    if (!blockOf(port, entity)) return [];
    const removed: PortEvent = { type: 'ProvisioningComponentRemoved', data: { entity, reason } };
    return [removed, ...afterLifting(port, entity, port.round.completed.at(-1))];
  },

  /** Reports come late, twice and early. One that can change nothing any more is no event. */
  ProvisioningComplete(port, { entity, host }) {
    const blocking = blockOf(port, entity) !== undefined;
    const reported = port.round.completed.some((completion) => completion.entity === entity);
    if (!blocking && (port.round.provisioned || reported)) return [];

    const completed: PortEvent = {
      type: 'ProvisioningComponentCompleted',
      data: { entity, ...(host !== undefined && { host }), early: !blocking },
    };
    return [completed, ...afterLifting(port, entity, { entity })];
  },

  SetPortStatus(port, { status, reason }) {
    if (status === 'ACTIVE' && port.blocks.length > 0) {
      const entities = port.blocks.map((block) => block.entity);
      refuse('port-blocked', `The port still waits for ${entities.join(', ')}.`, { blocks: port.blocks });
    }
    return toStatus(port, status, 'set', reason);
  },
};

/** The attributes whose value would change. */
function changesOf(port: Port, given: object): PortChanges {
  const current = port as unknown as Record<string, unknown>;
  const changed = Object.entries(given).filter(
    ([name, value]) => JSON.stringify(current[name]) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed);
}

/** Neutron's default prefix and the last six digits of the id. */
const macAddressOf = (portId: string): string => `fa:16:3e:${portId.slice(-6).match(/../g)!.join(':')}`;
