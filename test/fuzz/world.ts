import type { Chance } from './chance.ts';
import { type WireRequest, wire } from './request.ts';
import type { Reply } from './sender.ts';

/** What is in the ledger before the first request: some of each kind, in several states. */
export async function furnish(chance: Chance, send: (request: WireRequest) => Promise<Reply>): Promise<void> {
  const command = async (kind: string, id: string, type: string, data: object = {}): Promise<void> => {
    const { status, body } = await send(wire('POST', `/v1/${kind}s/${id}/commands`, { type, data }));
    if (status !== 200) throw new Error(`${type} was answered ${status}: ${body}`);
  };
  const made = async (kind: string, type: string, data: object = {}): Promise<string> => {
    const id = chance.uuid();
    await command(kind, id, type, data);
    chance.remember(kind, id);
    return id;
  };

  for (const id of ['compute-1:Open vSwitch agent', 'compute-2:Open vSwitch agent', 'network-1:DHCP agent']) {
    await command('agent', encodeURIComponent(id), 'RegisterAgent');
    chance.remember('agent', id);
  }
  const agents = JSON.parse((await send(wire('GET', '/network/v2.0/agents'))).body) as { agents: { id: string }[] };
  for (const { id } of agents.agents) chance.remember('neutron-agent', id);

  const network = await made('network', 'CreateNetwork', { name: 'net' });
  const subnet = { subnet: { network_id: network, cidr: '10.0.0.0/24', ip_version: 4 } };
  const { status, body } = await send(wire('POST', '/network/v2.0/subnets', subnet));
  if (status !== 201) throw new Error(`a subnet was answered ${status}: ${body}`);
  chance.remember('subnet', (JSON.parse(body) as { subnet: { id: string } }).subnet.id);

  for (const host of ['compute-1', null]) {
    const port = await made('port', 'CreatePort', { name: 'eth0', networkId: network });
    if (host) await command('port', port, 'BindPort', { host });
  }
  for (const vmState of ['active', 'stopped', 'error', 'building', 'pending', 'resized', 'shelved']) {
    await made('server', 'ObserveServer', {
      source: 'nova',
      vmState,
      ...(vmState !== 'pending' && { host: 'compute-1' }),
    });
  }
  for (const provisionState of ['enroll', 'manageable', 'available', 'active', 'clean failed']) {
    await made('node', 'ObserveNode', { source: 'ironic', provisionState });
  }
}
