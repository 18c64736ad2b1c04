import { isAlive, type Lifetime } from '../kernel/aggregate.ts';
import { type ResourceRef, Uuid } from '../kernel/resource.ts';
import type { DataOf, PortStatus } from '../port/events.ts';
import type { Port } from '../port/state.ts';
import type { DataFor } from '../server/commands.ts';
import type { Flow, FlowEvent } from './flow.ts';

type ExternalEvent = DataFor<'ReceiveExternalEvent'>;
type Told = Pick<ExternalEvent, 'name' | 'status'>;
type ToldEvent = Pick<FlowEvent, 'type' | 'data' | 'resource'>;

/** Neutron's notifications to Nova. What is not in the table is not told. */
const statusTable: readonly { from: readonly PortStatus[]; to: PortStatus; tell: Told }[] = [
  { from: ['DOWN', 'BUILD'], to: 'ACTIVE', tell: { name: 'network-vif-plugged', status: 'completed' } },
  { from: ['DOWN', 'BUILD'], to: 'ERROR', tell: { name: 'network-vif-plugged', status: 'failed' } },
  { from: ['ACTIVE'], to: 'DOWN', tell: { name: 'network-vif-unplugged', status: 'completed' } },
];

type Spoken = 'PortStatusChanged' | 'DeviceUpReported' | 'PortDeleted';

/** What each event tells, without the port it is about; null for nothing. */
const tidings: { readonly [T in Spoken]: (data: DataOf<T>) => Omit<ExternalEvent, 'tag'> | null } = {
  PortStatusChanged({ from, to, retryable = false, host, generation }) {
    const row = statusTable.find((entry) => entry.to === to && entry.from.includes(from));
    return row ? { ...row.tell, retryable, ...scope(host, generation) } : null;
  },

  /** A migration waits for this: its destination has wired the port, which is still ACTIVE at its source. */
  DeviceUpReported({ host, generation }) {
    if (generation === undefined) return null;
    return { name: 'network-vif-plugged', status: 'completed', retryable: false, ...scope(host, generation) };
  },

  PortDeleted: () => ({ name: 'network-vif-deleted', status: 'completed', retryable: false }),
};

const scope = (host: string | undefined, generation: number | undefined) => ({
  ...(host !== undefined && { host }),
  ...(generation !== undefined && { generation }),
});

/** A port tells the server it belongs to when it is plugged, unplugged and deleted. */
export const portToServer: Flow = {
  name: 'port-to-server',
  types: Object.keys(tidings),

  needs(event, known) {
    const server = ownerOf(known.stateOf(event.resource) as Port | null);
    return server ? [event.resource, server] : [event.resource];
  },

  /** A server that is not in this ledger, or not any more, has nobody who would listen. */
  react(event, related) {
    const server = ownerOf(related.stateOf(event.resource) as Port | null);
    if (!server || !isAlive(related.stateOf(server) as Lifetime | null)) return [];
    const told = toldBy(event);
    return told ? [{ resource: server, type: 'ReceiveExternalEvent', data: told }] : [];
  },
};

/** What one of `types` tells the server the port belongs to, whoever that is; null for nothing. */
export function toldBy({ type, data, resource }: ToldEvent): (ExternalEvent & { tag: string }) | null {
  const tiding = tidings[type as Spoken](data as never);
  return tiding && { ...tiding, tag: resource.id };
}

/** The server that a port belongs to. Ports of other services have a device as well, which is no server. */
export function ownerOf(port: Port | null): ResourceRef | null {
  if (!port?.deviceOwner.startsWith('compute:') || !Uuid.safeParse(port.deviceId).success) return null;
  return { kind: 'server', id: port.deviceId };
}
