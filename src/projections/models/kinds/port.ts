import type { Kind } from '../../../domain/kernel/resource.ts';
import type { Port } from '../../../domain/port/state.ts';
import type { KindTable, Link } from '../kind-table.ts';

/** Where the port is bound, once it is. */
const hostOf = (port: Port): string | null => (port as Port & Bound).binding?.host ?? null;
type Bound = { readonly binding?: { readonly host: string } | null };

export const portTable: KindTable<Port> = {
  columns: ({ name, projectId, networkId, deviceId }) => ({
    name,
    project: projectId,
    network: networkId,
    device: deviceId === '' ? null : deviceId,
  }),
  subState: () => null,
  host: hostOf,
  waits: (port) =>
    port.blocks.map(({ entity, host, since }) => ({
      what: entity,
      on: null,
      host: host ?? hostOf(port),
      holder: null,
      since,
      deadline: null,
    })),
  links(port) {
    const { networkId, deviceId, deviceOwner } = port;
    const links: Link[] = [];
    if (networkId !== null) links.push({ relation: 'network', to: { kind: 'network', id: networkId } });
    const owner = owners.find(([prefix]) => deviceOwner.startsWith(prefix));
    if (owner && deviceId !== '') links.push({ relation: 'device', to: { kind: owner[1], id: deviceId } });
    const host = hostOf(port);
    if (host !== null) links.push({ relation: 'host', to: { kind: 'host', id: host } });
    return links;
  },
};

/** What a port's device is, by the owner that Nova and Ironic write into it. */
const owners: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['compute:', 'server'],
  ['baremetal:', 'node'],
];
