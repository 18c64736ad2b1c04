import { describe, expect, test } from 'vitest';
import { agentRef } from '../../../src/domain/agent/identity.ts';
import type { JsonObject } from '../../../src/domain/kernel/json.ts';
import { driversOf } from '../../../src/domain/port/drivers/configured.ts';
import { type MechanismDriver, refused } from '../../../src/domain/port/drivers/mechanism-driver.ts';
import type { Binding } from '../../../src/domain/port/state.ts';
import { done } from '../../support/ledger.ts';
import { openUsualSite, ovsOn, serverPort } from './site.ts';

const named = (...names: string[]): readonly MechanismDriver[] => driversOf({ mechanismDrivers: names });

const nicSwitch = agentRef('host-a', 'NIC Switch agent');
const reasons = (binding: Binding) => binding.failure!.tried.map(({ driver, reason }) => `${driver}: ${reason}`);

describe('a port that no driver can bind', () => {
  test('says what each of them answered, and about which agents', async () => {
    const { tell, state, killAgent } = await openUsualSite();
    await killAgent(ovsOn('host-a'));
    expect(await tell('CreatePort', { ...serverPort, host: 'host-a' })).toEqual([
      'PortCreated',
      'BindingRequested',
      'ProvisioningComponentNotNeeded',
      'ProvisioningComponentAdded',
      'PortBindingFailed',
    ]);
    const { binding, status } = await state();
    expect(status).toBe('DOWN');
    expect(binding).toMatchObject({ host: 'host-a', vifType: 'binding_failed', driver: null, segments: [] });
    expect(reasons(binding)).toEqual([
      'openvswitch: the Open vSwitch agent on host-a is dead: silent since 2026-01-01T00:00:00.000Z',
      'sriovnicswitch: it does not attach normal',
      'macvtap: no Macvtap agent is registered on host-a',
      'linuxbridge: no Linux bridge agent is registered on host-a',
      'unmanaged: it binds ports of networks without segments only',
    ]);
    expect(binding.failure!.agents).toEqual([
      {
        type: 'Open vSwitch agent',
        alive: false,
        adminStateUp: true,
        silentSince: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  test('names the mapping that is missing, and the ones there are', async () => {
    const { tell, state, execute } = await openUsualSite({ drivers: named('openvswitch') });
    await execute('agent', ovsOn('host-a').id, 'Heartbeat', {
      configurations: { bridge_mappings: { physnet2: 'br-2', physnet3: 'br-3' } },
    });
    await tell('CreatePort', { ...serverPort, host: 'host-a' });
    expect(reasons((await state()).binding)).toEqual([
      'openvswitch: physnet1 is not in bridge_mappings (physnet2, physnet3)',
    ]);
  });

  test('is told once: a further attempt that finds the same is no event', async () => {
    const { tell, state, clock } = await openUsualSite({ hosts: [] });
    await tell('CreatePort', { ...serverPort, host: 'host-a' });
    const { since } = (await state()).binding.failure!;
    await clock.advance(60_000);
    expect(await tell('BindPort', { host: 'host-a' })).toEqual([]);
    expect(await tell('UpdatePort', { name: 'eth0' })).toEqual(['PortUpdated']);
    expect((await state()).binding.failure!.since).toBe(since);
  });

  test('is bound by whatever is changed next, once somebody can', async () => {
    const { tell, registerAgent, state } = await openUsualSite({ hosts: [], drivers: named('openvswitch') });
    await tell('CreatePort', { ...serverPort, host: 'host-a' });
    await registerAgent(ovsOn('host-a'), { bridge_mappings: { physnet1: 'br-1' } });
    expect(await tell('UpdatePort', { name: 'eth0' })).toContain('PortBound');
    expect((await state()).binding).toMatchObject({ vifType: 'ovs', driver: 'openvswitch', failure: null });
  });
});

describe('Open vSwitch', () => {
  const withConfiguration = async (configurations: JsonObject, port: object = {}) => {
    const { tell, state, registerAgent } = await openUsualSite({ hosts: [], drivers: named('openvswitch') });
    await registerAgent(ovsOn('host-a'), { bridge_mappings: { physnet1: 'br-1' }, ...configurations });
    await tell('CreatePort', { ...serverPort, host: 'host-a', ...port });
    return (await state()).binding;
  };

  test('is where the guest listens on the vhost-user socket, or connects to it', async () => {
    const dpdk = (interfaceType: string) => ({
      datapath_type: 'netdev',
      ovs_capabilities: { iface_types: [interfaceType] },
      vhostuser_socket_dir: '/run/vhu',
    });
    expect(await withConfiguration(dpdk('dpdkvhostuserclient'))).toMatchObject({
      vifType: 'vhostuser',
      vifDetails: { vhostuser_mode: 'server', vhostuser_socket: '/run/vhu/vhu00000000-00' },
    });
    expect((await withConfiguration(dpdk('dpdkvhostuser'))).vifDetails).toMatchObject({ vhostuser_mode: 'client' });
    expect((await withConfiguration(dpdk('other'))).vifType).toBe('ovs');
  });

  test('takes smart network cards and switchdev ports where the agent and the profile say so', async () => {
    const smart = { vnicType: 'smart-nic' };
    expect((await withConfiguration({ baremetal_smartnic: true }, smart)).vifType).toBe('ovs');
    expect((await withConfiguration({}, smart)).vifType).toBe('binding_failed');
    const direct = { vnicType: 'direct', profile: { capabilities: ['switchdev'] } };
    expect((await withConfiguration({}, direct)).vifType).toBe('ovs');
    expect((await withConfiguration({}, { vnicType: 'direct' })).vifType).toBe('binding_failed');
  });

  test('takes an agent at its word, whatever it says', async () => {
    const odd = { bridge_mappings: 'none', tunnel_types: { vxlan: true }, ovs_capabilities: [1] };
    expect((await withConfiguration(odd)).vifType).toBe('binding_failed');
  });
});

describe('SR-IOV', () => {
  test('answers itself for a whole network card, which brings its own address', async () => {
    const { tell, state } = await openUsualSite({ hosts: [], drivers: named('sriovnicswitch') });
    const profile = { device_mac_address: 'aa:bb:cc:dd:ee:01' };
    await tell('CreatePort', { ...serverPort, host: 'host-a', vnicType: 'direct-physical', profile });
    expect(await state()).toMatchObject({
      status: 'ACTIVE',
      macAddress: 'aa:bb:cc:dd:ee:01',
      blocks: [],
      binding: { vifType: 'hostdev_physical', vifDetails: { vlan: '10' }, device: 'up' },
    });
  });

  test('binds a whole card without a profile as well, and lets it wait for DHCP', async () => {
    const site = await openUsualSite({ hosts: [], dhcp: true, drivers: named('sriovnicswitch') });
    await site.registerAgent(nicSwitch, { device_mappings: { physnet1: ['ens1'] } });
    await site.tell('CreatePort', { ...serverPort, host: 'host-a', vnicType: 'direct-physical' });
    expect(await site.state()).toMatchObject({ status: 'DOWN', blocks: [{ entity: 'DHCP' }] });
    await site.tell('ReportDhcpReady');
    expect(await site.state()).toMatchObject({ status: 'ACTIVE', blocks: [] });
  });
});

describe('OVN', () => {
  test('binds on any host, and reports for it', async () => {
    const { tell, state } = await openUsualSite({ hosts: [], drivers: named('ovn') });
    await tell('CreatePort', { ...serverPort, host: 'anywhere' });
    expect(await state()).toMatchObject({
      status: 'DOWN',
      binding: { driver: 'ovn', vifType: 'ovs' },
      blocks: [{ entity: 'L2', host: 'anywhere', reason: 'bound to anywhere' }],
    });
    await tell('ReportDeviceUp', { host: 'anywhere' });
    expect((await state()).status).toBe('ACTIVE');
  });
});

describe('a network of several segments', () => {
  const segment = (n: number) => `dddddddd-0000-4000-8000-00000000000${n}`;

  test('that is routed offers a port those of its own subnets only', async () => {
    const site = await openUsualSite({ drivers: named('openvswitch') });
    const routed = 'eeeeeeee-0000-4000-8000-000000000001';
    const subnet = 'eeeeeeee-0000-4000-8000-000000000002';
    const network = (type: string, data: object) => site.execute('network', routed, type, data);
    await network('CreateNetwork', {
      segments: [
        { id: segment(1), networkType: 'vlan', physicalNetwork: 'physnet1', segmentationId: 1 },
        { id: segment(2), networkType: 'vxlan', segmentationId: 2 },
      ],
    });
    await network('AddSubnet', { id: subnet, cidr: '10.2.0.0/24', segmentId: segment(2) });
    const fixedIps = [{ subnetId: subnet, ipAddress: '10.2.0.5' }];
    await site.tell('CreatePort', { ...serverPort, networkId: routed, fixedIps, host: 'host-a' });
    expect((await site.state()).binding.segments).toEqual([
      {
        level: 0,
        driver: 'openvswitch',
        id: segment(2),
        networkType: 'vxlan',
        physicalNetwork: null,
        segmentationId: 2,
        dynamic: false,
      },
    ]);
  });
});

test('a driver that does not exist is named, with those that do', () => {
  expect(() => named('openvswich')).toThrow(
    'no mechanism driver openvswich; there are openvswitch, sriovnicswitch, macvtap, linuxbridge, ovn, unmanaged',
  );
});

describe('a driver of one’s own', () => {
  const leaf = { id: 'dddddddd-0000-4000-8000-00000000000a', networkType: 'vlan', physicalNetwork: 'rack-7' };
  const topOfRack: MechanismDriver = {
    name: 'top-of-rack',
    vnicTypes: ['baremetal'],
    connectivity: 'l2',
    agentType: 'Rack agent',
    reporter: 'agent',
    bind({ segments: [segment], agent }) {
      if (!agent?.alive) return refused('no-agent', 'nobody is in the rack');
      if (segment?.physicalNetwork !== 'physnet1') return refused('no-segment', 'it ends here');
      return { verdict: 'continue', segment, next: [{ ...leaf, segmentationId: 77, dynamic: true }] };
    },
  };
  const lastMile: MechanismDriver = {
    ...topOfRack,
    name: 'last-mile',
    agentType: null,
    reporter: 'nobody',
    bind: ({ segments: [segment] }) =>
      segment?.physicalNetwork === 'rack-7'
        ? { verdict: 'bound', segment, vifType: 'other', vifDetails: {} }
        : refused('not-mine', 'not in my rack'),
  };

  test('carries the port to where the next one takes it, and is asked with its own agent', async () => {
    const site = await openUsualSite({ hosts: [], drivers: [topOfRack, lastMile] });
    const port = { ...serverPort, vnicType: 'baremetal', host: 'rack-7-u12' };
    await site.tell('CreatePort', port);
    expect((await site.state()).binding.vifType).toBe('binding_failed');

    await site.registerAgent(agentRef('rack-7-u12', 'Rack agent'));
    const outcome = done(await site.port((await site.state()).id, 'BindPort', { host: 'rack-7-u12' }));
    const bound = outcome.events.find(({ type }) => type === 'PortBound')!;
    expect(bound.data).toMatchObject({
      driver: 'last-mile',
      segments: [
        { level: 0, driver: 'top-of-rack', networkType: 'vlan', physicalNetwork: 'physnet1' },
        { level: 1, driver: 'last-mile', physicalNetwork: 'rack-7', segmentationId: 77, dynamic: true },
      ],
      tried: [
        { driver: 'top-of-rack', level: 0, outcome: 'continued' },
        { driver: 'top-of-rack', level: 1, outcome: 'no-segment', reason: 'it ends here' },
        { driver: 'last-mile', level: 1, outcome: 'bound' },
      ],
    });
    expect(outcome.state).toMatchObject({ blocks: [{ entity: 'L2', host: 'rack-7-u12' }] });
  });
});
