import type { clientOf } from '../support.ts';
import { bearer } from './people.ts';

type Client = Pick<ReturnType<typeof clientOf>, 'post'>;

/** What the project blue, the site itself and nobody else has. Every name says so, so that one that leaks is found. */
export const ids = {
  network: 'b1000000-0000-4000-8000-000000000001',
  subnet: 'b1000000-0000-4000-8000-000000000005',
  port: 'b1000000-0000-4000-8000-000000000002',
  server: 'b1000000-0000-4000-8000-000000000003',
  node: 'b1000000-0000-4000-8000-000000000004',
  agent: 'blue-host:DHCP agent',
  siteNetwork: 'a1000000-0000-4000-8000-000000000001',
} as const;

/** Sets the site up, as its administrator. */
export async function furnish({ post }: Client): Promise<void> {
  const give = async (kind: string, id: string, type: string, data: object) => {
    const path = `/v1/${kind}s/${encodeURIComponent(id)}/commands`;
    const answer = await post(path, { type, data }, { ...bearer('ada'), 'x-correlation-id': 'blue-undertaking' });
    if (answer.status !== 200) throw new Error(`${type}: ${answer.text}`);
  };
  await give('agent', ids.agent, 'RegisterAgent', {});
  await give('network', ids.siteNetwork, 'CreateNetwork', { name: 'site-wide' });
  await give('network', ids.network, 'CreateNetwork', { name: 'blue-network', projectId: 'blue' });
  await give('network', ids.network, 'AddSubnet', { id: ids.subnet, cidr: '10.11.12.0/24', name: 'blue-subnet' });
  await give('server', ids.server, 'CreateServer', {
    name: 'blue-server',
    projectId: 'blue',
    metadata: { 'blue-key': 'blue-value' },
    tags: ['blue-key'],
  });
  await give('port', ids.port, 'CreatePort', {
    name: 'blue-port',
    projectId: 'blue',
    networkId: ids.network,
    deviceId: ids.server,
    deviceOwner: 'compute:nova',
  });
  await give('port', ids.port, 'AddProvisioningComponent', { entity: 'blue-entity' });
  await give('node', ids.node, 'EnrollNode', { name: 'blue-node', driver: 'blue-driver', owner: 'blue' });
}
