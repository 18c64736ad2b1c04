import { beforeAll, expect, test } from 'vitest';
import { sharedLedger } from '../api/support.ts';
import { describeWith, openstackClient } from '../support/external.ts';
import { byEndpoint, byPassword, openstack } from './clients.ts';
import { deployer, olga, siteFlags, workerToken } from './site.ts';

/** Each call of the command is a Python that starts. */
const patience = { timeout: 240_000 };

describeWith(openstackClient, "somebody works with Debian's openstack command", () => {
  const shared = sharedLedger(siteFlags);
  let cli: ReturnType<typeof openstack>;
  beforeAll(() => {
    cli = openstack(olga(shared().url));
  });

  const tell = async (kind: string, id: string, type: string, data: object = {}): Promise<void> => {
    const path = `/v1/${kind}s/${encodeURIComponent(id)}/commands`;
    const { status, text } = await shared().post(path, { type, data }, { authorization: `Bearer ${workerToken}` });
    if (status !== 200) throw new Error(`${type} was answered ${status}: ${text}`);
  };

  test('logging in with a password, with an application credential, and with a wrong password', patience, async () => {
    const [token, catalog, refused] = await Promise.all([
      cli.read('token', 'issue'),
      openstack(deployer(shared().url)).read('catalog', 'list'),
      openstack(byPassword(shared().url, 'olga', 'wrong')).ended('token', 'issue'),
    ]);
    expect(token).toMatchObject({ project_id: 'default', user_id: 'olga' });
    const types = catalog.map((service: { Type: string }) => service.Type);
    expect(types.sort()).toEqual(['baremetal', 'compute', 'identity', 'image', 'network']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('HTTP 401');
  });

  test('a network, a subnet, a port on a host, and a server on the port', patience, async () => {
    await tell('agent', 'compute-1:Open vSwitch agent', 'RegisterAgent');
    const provider = ['--provider-network-type', 'vlan', '--provider-physical-network', 'physnet1'];
    const net = await cli.read('network', 'create', 'net', ...provider, '--provider-segment', '7');
    expect(net).toMatchObject({ name: 'net', status: 'ACTIVE', 'provider:segmentation_id': 7 });
    await cli.do('subnet', 'create', 'sub', '--network', 'net', '--subnet-range', '10.0.0.0/24');
    const address = ['--fixed-ip', 'subnet=sub,ip-address=10.0.0.5'];
    const port = await cli.read('port', 'create', 'eth0', '--network', 'net', ...address, '--host', 'compute-1');
    expect(port).toMatchObject({ binding_host_id: 'compute-1', status: 'DOWN' });

    const [networks, subnets, ports, agents] = await Promise.all([
      cli.read('network', 'list'),
      cli.read('subnet', 'list'),
      cli.read('port', 'list', '--network', 'net'),
      cli.read('network', 'agent', 'list'),
    ]);
    expect(networks).toMatchObject([{ Name: 'net', Subnets: [subnets[0].ID] }]);
    expect(subnets).toMatchObject([{ Name: 'sub', Subnet: '10.0.0.0/24' }]);
    expect(ports).toMatchObject([{ Name: 'eth0', Status: 'DOWN' }]);
    expect(agents).toMatchObject([{ 'Agent Type': 'Open vSwitch agent', Host: 'compute-1', Alive: true }]);

    const created = await cli.read('server', 'create', 'web', '--image', 'cirros', '--flavor', '1', '--port', 'eth0');
    expect(created).toMatchObject({ name: 'web', status: 'BUILD', 'OS-EXT-STS:task_state': 'scheduling' });
  });

  test('a server is rebuilt, and reset to an error', patience, async () => {
    const { ID: id } = (await cli.read('server', 'list', '--name', 'web'))[0];
    await tell('server', id, 'ServerScheduled', { host: 'compute-1' });
    await tell('server', id, 'ReportBuildSuccess', { host: 'compute-1' });
    const { ports } = (await shared().get(`/v1/servers/${id}`, { authorization: `Bearer ${workerToken}` })).body;
    await tell('server', id, 'ReceiveExternalEvent', { name: 'network-vif-plugged', tag: ports[0] });
    await cli.do('server', 'rebuild', 'web', '--image', 'debian');
    expect(await cli.read('server', 'list')).toMatchObject([{ Name: 'web', Status: 'REBUILD', Image: 'debian' }]);
    await tell('server', id, 'ReportActionSuccess', { action: 'RebuildServer' });
    await cli.do('server', 'set', '--state', 'error', 'web');
    expect(await cli.read('server', 'show', 'web')).toMatchObject({ status: 'ERROR', 'OS-EXT-STS:vm_state': 'error' });
    const stopped = await cli.ended('server', 'start', 'web');
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain(`Cannot 'start' instance ${id} while it is in vm_state error (HTTP 409)`);
  });

  test('a server that waits for capacity is in ERROR to this command, which knows no PENDING', patience, async () => {
    const body = { server: { name: 'waits', flavorRef: '1', networks: 'none' } };
    const headers = { 'x-auth-token': workerToken, 'openstack-api-version': 'compute 2.94' };
    const { id } = (await shared().post('/compute/v2.1/servers', body, headers)).body.server;
    await tell('server', id, 'ReportBuildFailure', { reason: 'NoValidHost' });
    const [listed, now] = await Promise.all([
      cli.read('--os-compute-api-version', '2.92', 'server', 'list', '--status', 'ERROR', '--name', 'waits'),
      shared().ask(`/compute/v2.1/servers/${id}`, { headers }),
    ]);
    expect(listed).toMatchObject([{ ID: id, Name: 'waits', Status: 'ERROR' }]);
    expect(now.body.server.status).toBe('PENDING');
  });

  test('a node is enrolled, deployed and undeployed', patience, async () => {
    const { uuid } = await cli.read('baremetal', 'node', 'create', '--driver', 'ipmi', '--name', 'rack-1-07');
    const done = async (event = 'done'): Promise<void> => {
      const headers = { authorization: `Bearer ${workerToken}` };
      const { reservation } = (await shared().get(`/v1/nodes/${uuid}`, headers)).body;
      await tell('node', uuid, 'ReportProvisionEvent', { event, token: reservation.token });
    };
    await cli.do('baremetal', 'node', 'manage', 'rack-1-07');
    const verifying = await cli.read('baremetal', 'node', 'show', 'rack-1-07');
    expect(verifying).toMatchObject({ provision_state: 'verifying', target_provision_state: 'manageable' });
    await done();
    await cli.do('baremetal', 'node', 'provide', 'rack-1-07');
    await done();
    await cli.do('baremetal', 'node', 'deploy', 'rack-1-07');
    await done();
    const active = await cli.read('baremetal', 'node', 'list', '--provision-state', 'active');
    expect(active).toMatchObject([{ UUID: uuid, Name: 'rack-1-07', 'Provisioning State': 'active' }]);
    const refused = await cli.ended('baremetal', 'node', 'provide', 'rack-1-07');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('HTTP 400')]);
    await cli.do('baremetal', 'node', 'undeploy', 'rack-1-07');
    await done('clean');
    await done();
    const after = await cli.read('baremetal', 'node', 'show', 'rack-1-07');
    expect(after).toMatchObject({ provision_state: 'available', maintenance: false });
  });
});

describeWith(openstackClient, 'the openstack command on a ledger that asks nobody for a name', () => {
  const shared = sharedLedger(siteFlags.slice(-2));

  test('goes straight to a service', patience, async () => {
    await shared().post('/baremetal/v1/nodes', { driver: 'ipmi' });
    const cli = openstack(byEndpoint(`${shared().url}/baremetal`));
    expect(await cli.read('baremetal', 'node', 'list')).toMatchObject([{ 'Provisioning State': 'available' }]);
  });
});
