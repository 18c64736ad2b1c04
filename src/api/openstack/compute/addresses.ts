import type { Network } from '../../../domain/network/state.ts';
import type { Port } from '../../../domain/port/state.ts';
import type { Resources, State } from '../resources.ts';
import type { ServerState } from './server-state.ts';

/** By the name of the network. */
export type Addresses = Readonly<Record<string, readonly object[]>>;

/** The fixed addresses of a server's ports. */
export async function addressesOf(resources: Resources, { ports }: ServerState): Promise<Addresses> {
  const addresses: Record<string, object[]> = {};
  for (const id of ports) {
    const port = await resources.find<Port & State>({ kind: 'port', id });
    if (!port || port.fixedIps.length === 0) continue;
    const network =
      port.networkId === null ? null : await resources.find<Network & State>({ kind: 'network', id: port.networkId });
    const name = network?.name || (port.networkId ?? '');
    addresses[name] = [
      ...(addresses[name] ?? []),
      ...port.fixedIps.map(({ ipAddress }) => ({
        addr: ipAddress,
        version: ipAddress.includes(':') ? 6 : 4,
        'OS-EXT-IPS-MAC:mac_addr': port.macAddress,
        'OS-EXT-IPS:type': 'fixed',
      })),
    ];
  }
  return addresses;
}
