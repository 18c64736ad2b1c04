import type { Kind } from '../../../domain/kernel/resource.ts';
import type { Port } from '../../../domain/port/state.ts';
import type { KindTable, Link } from '../kind-table.ts';

export const portTable: KindTable<Port> = {
  columns: ({ name, projectId, networkId, deviceId }) => ({
    name,
    project: projectId,
    network: networkId,
    device: deviceId === '' ? null : deviceId,
  }),
  subState: () => null,
  host: ({ binding }) => binding.host,
  waits: (port) =>
    port.blocks.map(({ entity, host, since }) => ({
      what: entity,
      on: null,
      host: host ?? port.binding.host,
      holder: null,
      since,
      deadline: null,
    })),
  addresses: ({ macAddress, fixedIps }) => [
    ...(macAddress === '' ? [] : [macAddress]),
    ...fixedIps.map(({ ipAddress }) => ipAddress),
  ],
  links({ networkId, deviceId, deviceOwner, binding }) {
    const links: Link[] = [];
    if (networkId !== null) links.push({ relation: 'network', to: { kind: 'network', id: networkId } });
    const owner = owners.find(([prefix]) => deviceOwner.startsWith(prefix));
    if (owner && deviceId !== '') links.push({ relation: 'device', to: { kind: owner[1], id: deviceId } });
    if (binding.host !== null) links.push({ relation: 'host', to: { kind: 'host', id: binding.host } });
    return links;
  },
};

/** What a port's device is, by the owner that Nova and Ironic write into it. */
const owners: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['compute:', 'server'],
  ['baremetal:', 'node'],
];
