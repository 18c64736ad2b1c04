import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, sharedLedger } from '../support.ts';
import { patient } from './site.ts';

const shared = sharedLedger(patient);

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  shared().ask(`/network/v2.0/${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });

const newNetwork = async (network: object = { name: 'blue' }): Promise<string> =>
  (await call('POST', 'networks', { network })).body.network.id;

const newPort = async (port: object): Promise<string> => (await call('POST', 'ports', { port })).body.port.id;

const errorOf = ({ status, body }: Answer): string => `${status} ${body.NeutronError?.type}`;

beforeAll(async () => {
  for (const host of ['host1', 'host2']) {
    const register = { type: 'RegisterAgent', data: { configurations: { tunnel_types: ['vxlan'] } } };
    await shared().post(`/v1/agents/${host}:Open%20vSwitch%20agent/commands`, register);
  }
  await shared().post('/v1/agents/host1:DHCP%20agent/commands', { type: 'RegisterAgent', data: {} });
});

describe('a client of Neutron', () => {
  it('makes a network of one segment, and sees it so', async () => {
    const vxlan = { 'provider:network_type': 'vxlan', 'provider:segmentation_id': '100' };
    const made = await call('POST', 'networks', { network: { name: 'red', admin_state_up: true, ...vxlan } });
    expect(made.status).toBe(201);
    const { id } = made.body.network;
    expect((await call('GET', `networks/${id}`)).body.network).toMatchObject({
      name: 'red',
      status: 'ACTIVE',
      'provider:network_type': 'vxlan',
      'provider:physical_network': null,
      'provider:segmentation_id': 100,
      revision_number: 1,
    });
    const renamed = await call('PUT', `networks/${id}`, { network: { name: 'crimson' } });
    expect(renamed.body.network.name).toBe('crimson');
    expect((await call('DELETE', `networks/${id}`)).status).toBe(204);
    expect(errorOf(await call('GET', `networks/${id}`))).toBe('404 NetworkNotFound');
  });

  it('makes a network of several', async () => {
    const segments = [
      { 'provider:network_type': 'vxlan', 'provider:segmentation_id': 7 },
      { 'provider:network_type': 'local' },
    ];
    const { body } = await call('POST', 'networks', { network: { segments } });
    expect(body.network.segments).toHaveLength(2);
    expect(body.network).not.toHaveProperty('provider:network_type');
  });

  it('gives it subnets', async () => {
    const networkId = await newNetwork();
    const subnet = { network_id: networkId, cidr: '10.0.0.0/24', ip_version: 4, name: 's1', enable_dhcp: false };
    const made = await call('POST', 'subnets', { subnet });
    expect(made).toMatchObject({ status: 201, body: { subnet } });
    const { id } = made.body.subnet;
    expect((await call('GET', `networks/${networkId}`)).body.network.subnets).toEqual([id]);
    expect((await call('PUT', `subnets/${id}`, { subnet: { enable_dhcp: 'True' } })).body.subnet.enable_dhcp).toBe(
      true,
    );
    expect((await call('GET', `subnets?network_id=${networkId}&fields=cidr`)).body).toEqual({
      subnets: [{ cidr: '10.0.0.0/24' }],
    });
    expect(errorOf(await call('POST', 'subnets', { subnet: { ...subnet, ip_version: 6 } }))).toBe('400 HTTPBadRequest');
  });

  it('makes a port on a host and follows it to ACTIVE', async () => {
    const networkId = await newNetwork({ 'provider:network_type': 'vxlan', 'provider:segmentation_id': 1 });
    const made = await call('POST', 'ports', {
      port: { network_id: networkId, 'binding:host_id': 'host1', admin_state_up: 'true' },
    });
    expect(made.status).toBe(201);
    expect(made.body.port).toMatchObject({
      status: 'DOWN',
      'binding:host_id': 'host1',
      'binding:vif_type': 'ovs',
      'binding:vif_details': { port_filter: true },
      'binding:vnic_type': 'normal',
    });
    const { id } = made.body.port;
    await shared().post(`/v1/ports/${id}/commands`, { type: 'ReportDeviceUp', data: { host: 'host1' } });
    expect((await call('GET', `ports/${id}?fields=id&fields=status`)).body).toEqual({ port: { id, status: 'ACTIVE' } });

    const unbound = await call('PUT', `ports/${id}`, { port: { 'binding:host_id': '' } });
    expect(unbound.body.port).toMatchObject({ 'binding:host_id': '', 'binding:vif_type': 'unbound', status: 'DOWN' });
    expect((await call('DELETE', `ports/${id}`)).status).toBe(204);
    expect(errorOf(await call('DELETE', `ports/${id}`))).toBe('404 PortNotFound');
  });

  it('moves a port: binds it elsewhere, activates that, removes what is left', async () => {
    const networkId = await newNetwork({ 'provider:network_type': 'vxlan', 'provider:segmentation_id': 2 });
    const id = await newPort({ network_id: networkId, 'binding:host_id': 'host1', device_owner: 'compute:nova' });
    const bindings = `ports/${id}/bindings`;
    const added = await call('POST', bindings, { binding: { host: 'host2' } });
    expect(added).toMatchObject({
      status: 201,
      body: { binding: { host: 'host2', status: 'INACTIVE', vif_type: 'ovs' } },
    });
    expect(errorOf(await call('POST', bindings, { binding: { host: 'host2' } }))).toBe('409 PortBindingAlreadyExists');
    expect(errorOf(await call('POST', bindings, { binding: { host: 'nowhere' } }))).toBe('400 PortBindingError');
    expect(errorOf(await call('PUT', `${bindings}/host1/activate`))).toBe('409 PortBindingAlreadyActive');
    expect(errorOf(await call('PUT', `${bindings}/host3/activate`))).toBe('404 PortBindingNotFound');
    expect((await call('PUT', `${bindings}/host2/activate`)).body.binding).toMatchObject({ status: 'ACTIVE' });
    expect((await call('GET', `${bindings}?fields=host&fields=status`)).body.bindings).toEqual([
      { host: 'host2', status: 'ACTIVE' },
      { host: 'host1', status: 'INACTIVE' },
    ]);
    expect((await call('DELETE', `${bindings}/host1`)).status).toBe(204);
    expect(errorOf(await call('DELETE', `${bindings}/host2`))).toBe('409 PortBindingAlreadyActive');
  });

  it('puts a network under a DHCP agent, and takes it away again', async () => {
    const { agents } = (await call('GET', 'agents?agent_type=DHCP agent')).body;
    expect(agents).toMatchObject([{ host: 'host1', binary: 'neutron-dhcp-agent', alive: true, admin_state_up: true }]);
    const [{ id: agentId }] = agents;
    const networkId = await newNetwork();
    expect((await call('POST', `agents/${agentId}/dhcp-networks`, { network_id: networkId })).status).toBe(201);
    expect((await call('GET', `networks/${networkId}/dhcp-agents`)).body.agents).toMatchObject([{ id: agentId }]);
    expect((await call('GET', `agents/${agentId}/dhcp-networks`)).body.networks).toMatchObject([{ id: networkId }]);
    expect((await call('DELETE', `agents/${agentId}/dhcp-networks/${networkId}`)).status).toBe(204);
    const disabled = await call('PUT', `agents/${agentId}`, { agent: { admin_state_up: false } });
    expect(disabled.body.agent.admin_state_up).toBe(false);
  });
});

describe('lists of ports', () => {
  let networkId: string;
  let ids: string[];
  beforeAll(async () => {
    networkId = await newNetwork();
    const ports = ['c', 'a', 'b'].map((name) => ({ network_id: networkId, name, device_id: `vm-${name}` }));
    ids = (await call('POST', 'ports', { ports })).body.ports.map(({ id }: { id: string }) => id);
  });

  const names = async (query: string): Promise<string[]> =>
    (await call('GET', `ports?network_id=${networkId}&${query}`)).body.ports.map(({ name }: { name: string }) => name);

  it('are filtered, one value or several', async () => {
    expect(await names('name=a')).toEqual(['a']);
    expect(await names('name=a&name=b&sort_key=name')).toEqual(['a', 'b']);
    expect(await names('device_id=vm-c&admin_state_up=True')).toEqual(['c']);
    expect(await names('admin_state_up=False')).toEqual([]);
    expect(errorOf(await call('GET', 'ports?colour=blue'))).toBe('400 InvalidInput');
  });

  // All were made at one moment, so that their ids decide.
  it('are ordered and paged', async () => {
    expect(await names('sort_key=name&sort_dir=desc')).toEqual(['c', 'b', 'a']);
    const first = await call('GET', `ports?network_id=${networkId}&limit=2`);
    expect(first.body.ports).toHaveLength(2);
    const next = new URL(first.body.ports_links[0].href);
    const second = await shared().ask(next.pathname + next.search);
    expect(second.body.ports.map(({ id }: { id: string }) => id)).toEqual([[...ids].sort()[2]]);
    expect(second.body).not.toHaveProperty('ports_links');
  });
});

describe('what a client of Neutron gets wrong', () => {
  it.each([
    ['a port without a network', 'ports', { port: {} }, '400 HTTPBadRequest'],
    ['a port of a network that is not there', 'ports', { port: { network_id: 'x' } }, '404 NetworkNotFound'],
    ['a body without the member', 'ports', { name: 'x' }, '400 HTTPBadRequest'],
    ['an attribute nobody knows', 'networks', { network: { colour: 'red' } }, '400 HTTPBadRequest'],
    ['an attribute that is not kept here', 'networks', { network: { shared: true } }, '400 InvalidInput'],
    [
      'a segment without what carries it',
      'networks',
      { network: { 'provider:network_type': 'vlan' } },
      '400 InvalidInput',
    ],
    ['several ports, none', 'ports', { ports: [] }, '400 HTTPBadRequest'],
  ])('is told in its words: %s', async (_, path, body, expected) => {
    const before = await shared().store.head();
    expect(errorOf(await call('POST', path, body))).toBe(expected);
    expect(await shared().store.head()).toBe(before);
  });

  it('leaves nothing of several ports of which one is refused', async () => {
    const networkId = await newNetwork();
    const ports = [{ network_id: networkId }, { network_id: networkId, mac_address: 'no' }];
    expect(errorOf(await call('POST', 'ports', { ports }))).toBe('400 InvalidInput');
    expect((await call('GET', `ports?network_id=${networkId}`)).body.ports).toEqual([]);
  });
});
