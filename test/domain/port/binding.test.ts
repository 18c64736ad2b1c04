import { describe, expect, test } from 'vitest';
import { agentAggregate } from '../../../src/domain/agent/index.ts';
import { portAggregate } from '../../../src/domain/port/index.ts';
import { story } from '../../support/story.ts';
import { openUsualSite, ovsOn, serverPort } from './site.ts';

const unbound = {
  host: null,
  vnicType: 'normal',
  profile: {},
  vifType: 'unbound',
  vifDetails: {},
  driver: null,
  segments: [],
};

describe('a port', () => {
  test('is nowhere until it is given a host, and then where that is', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', serverPort);
    expect(await state()).toMatchObject({ status: 'DOWN', binding: { ...unbound, generation: 0 }, otherBindings: [] });

    await tell('BindPort', { host: 'host-a' });
    expect((await state()).binding).toMatchObject({
      host: 'host-a',
      vnicType: 'normal',
      profile: {},
      vifType: 'ovs',
      vifDetails: { bridge_name: 'br-int', port_filter: true },
      driver: 'openvswitch',
      segments: [
        { level: 0, driver: 'openvswitch', networkType: 'vlan', physicalNetwork: 'physnet1', segmentationId: 10 },
      ],
      generation: 1,
    });

    await tell('UnbindPort');
    expect(await state()).toMatchObject({ status: 'DOWN', binding: { ...unbound, generation: 2 }, blocks: [] });
  });

  test('is bound anew when the host, the vnic type or the profile changes, and goes down for that', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', { ...serverPort, host: 'host-a' });
    await tell('ReportDeviceUp', { host: 'host-a' });
    expect((await state()).status).toBe('ACTIVE');

    expect(await tell('UpdatePort', { profile: { trusted: true } })).toEqual([
      'BindingRequested',
      'PortStatusChanged',
      'PortBound',
    ]);
    expect(await state()).toMatchObject({ status: 'DOWN', binding: { generation: 2, device: 'down' }, blocks: [] });

    await tell('ReportDeviceUp', { host: 'host-a' });
    expect((await state()).status).toBe('ACTIVE');
    await tell('BindPort', { host: 'host-b' });
    expect(await state()).toMatchObject({
      status: 'DOWN',
      binding: { host: 'host-b', generation: 3, profile: { trusted: true } },
      blocks: [{ entity: 'L2', host: 'host-b' }],
    });
  });

  test('compares profiles as JSON: the order of keys, null and nothing are no change', async () => {
    const { tell } = await openUsualSite();
    await tell('CreatePort', { ...serverPort, host: 'host-a', profile: { a: 1, b: { c: [1], d: null } } });
    expect(await tell('UpdatePort', { profile: { b: { d: null, c: [1] }, a: 1 } })).toEqual([]);
    expect(await tell('UpdatePort', { profile: null })).toContain('BindingRequested');
    expect(await tell('UpdatePort', { profile: {} })).toEqual([]);
  });

  test('keeps its address and its kind of interface while it is in use', async () => {
    const { tell, refusal } = await openUsualSite();
    await tell('CreatePort', { ...serverPort, host: 'host-a' });
    expect(await refusal('UpdatePort', { macAddress: 'fa:16:3e:00:00:99' })).toBe('port-bound');
    expect(await refusal('UpdatePort', { vnicType: 'direct' })).toBe('port-in-use');
    expect(await tell('UpdatePort', { macAddress: 'fa:16:3e:00:00:01', vnicType: 'normal' })).toEqual([]);
    await tell('UnbindPort');
    expect(await tell('UpdatePort', { macAddress: 'fa:16:3e:00:00:99', vnicType: 'direct' })).toContain('PortUpdated');
  });

  test('whose agent cannot serve it may still change its address, but not its kind of interface', async () => {
    const { tell, refusal } = await openUsualSite({ hosts: [] });
    await tell('CreatePort', { ...serverPort, host: 'host-a' });
    expect(await tell('UpdatePort', { macAddress: 'fa:16:3e:00:00:99' })).toEqual(['PortUpdated']);
    expect(await refusal('UpdatePort', { vnicType: 'direct' })).toBe('port-in-use');
  });

  test('of a network that has no segments waits for one, where no driver can do without', async () => {
    const site = await openUsualSite({ drivers: [] });
    expect(await site.tell('CreatePort', { host: 'host-a' })).toEqual(['PortCreated', 'BindingRequested']);
    expect((await site.state()).binding).toMatchObject({ host: 'host-a', vifType: 'unbound' });
  });

  story('of a network this ledger knows nothing about is where it is said to be', portAggregate, [], (it) =>
    it
      .when('CreatePort', { host: 'rack-1' })
      .events('PortCreated', 'BindingRequested', 'PortBound')
      .state({ status: 'DOWN', binding: { host: 'rack-1', driver: 'unmanaged', vifType: 'other' }, blocks: [] })
      .when('UpdatePort', { adminStateUp: false })
      .when('ProvisioningComplete', { entity: 'storage' })
      .state({ status: 'DOWN' })
      .when('UpdatePort', { adminStateUp: true })
      .events('PortUpdated', 'PortStatusChanged')
      .state({ status: 'ACTIVE' })
      .when('UpdatePort', { adminStateUp: false })
      .leadsTo(
        { type: 'PortUpdated', data: { changes: { adminStateUp: false } } },
        {
          type: 'PortStatusChanged',
          data: { from: 'ACTIVE', to: 'DOWN', cause: 'admin-state-down', host: 'rack-1', generation: 1 },
        },
      ),
  );
});

describe('a port that an agent serves', () => {
  test('stays ACTIVE when it is set down, until the agent has taken it down', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', { ...serverPort, host: 'host-a' });
    await tell('ReportDeviceUp', { host: 'host-a' });
    await tell('UpdatePort', { adminStateUp: false });
    expect((await state()).status).toBe('ACTIVE');
    await tell('RequestDeviceDetails', { host: 'host-a' });
    expect((await state()).status).toBe('DOWN');
    await tell('UpdatePort', { adminStateUp: true });
    expect((await state()).status).toBe('DOWN');
    await tell('ReportDeviceUp', { host: 'host-a' });
    expect((await state()).status).toBe('ACTIVE');
  });

  test('stays ACTIVE when the agent dies: what it wired still works', async () => {
    const { tell, state, killAgent } = await openUsualSite();
    await tell('CreatePort', { ...serverPort, host: 'host-a' });
    await tell('ReportDeviceUp', { host: 'host-a' });
    await killAgent(ovsOn('host-a'));
    expect(await state()).toMatchObject({ status: 'ACTIVE', binding: { vifType: 'ovs' } });
  });

  test('is bound on an agent that is administratively down, as long as it is alive', async () => {
    const { tell, state, execute } = await openUsualSite();
    await execute('agent', ovsOn('host-a').id, 'SetAgentAdminState', { adminStateUp: false });
    await tell('CreatePort', { ...serverPort, host: 'host-a' });
    expect((await state()).binding.vifType).toBe('ovs');
  });

  test('is not bound on one that has been silent too long, even before its loss is written down', async () => {
    const site = await openUsualSite({ hosts: [] });
    await site.execute('agent', ovsOn('host-a').id, 'RegisterAgent', {
      configurations: { bridge_mappings: { physnet1: 'br-1' } },
    });
    site.runtime.close(); // no alarm clock: nobody will write it down
    await site.clock.advance(75_000);
    const agent = (await site.runtime.current(ovsOn('host-a')))!.state;
    expect(agentAggregate.status(agent as never)).toBe('alive');
    await site.tell('CreatePort', { ...serverPort, host: 'host-a' });
    expect((await site.state()).binding.vifType).toBe('binding_failed');
  });
});
