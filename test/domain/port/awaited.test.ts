import { describe, expect, test } from 'vitest';
import { agentRef } from '../../../src/domain/agent/identity.ts';
import { openUsualSite, ovsOn, serverPort } from './site.ts';
import { dhcpHost, networkId, subnetId } from './surroundings.ts';

const onHostA = { ...serverPort, host: 'host-a' };
const entities = (port: { blocks: { entity: string }[] }) => port.blocks.map(({ entity }) => entity).sort();
const moved = { fixedIps: [{ subnetId, ipAddress: '10.0.0.77' }] };

describe('a new port waits', () => {
  test('for the agent that is registered on its host, dead or alive', async () => {
    const { tell, state, killAgent } = await openUsualSite();
    await killAgent(ovsOn('host-a'));
    await tell('CreatePort', onHostA);
    expect(entities(await state())).toEqual(['L2']);
  });

  test('for no agent on a host without one, or of another kind than it needs', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', { ...serverPort, host: 'host-z' });
    expect(entities(await state())).toEqual([]);
    await tell('CreatePort', { ...onHostA, vnicType: 'baremetal' }, '00000000-0000-4000-8000-000000000002');
    expect(entities(await state('00000000-0000-4000-8000-000000000002'))).toEqual([]);
  });

  test.each(['network:router_interface', 'network:dhcp', ''])(
    'for nobody if its owner is "%s"',
    async (deviceOwner) => {
      const { tell, state, history } = await openUsualSite({ dhcp: true });
      await tell('CreatePort', { ...onHostA, deviceOwner });
      expect(entities(await state())).toEqual([]);
      expect((await history()).map(({ type }) => type)).toEqual(['PortCreated', 'BindingRequested', 'PortBound']);
    },
  );

  test('for DHCP where an agent serves the network and the subnet wants it', async () => {
    const { tell, state } = await openUsualSite({ dhcp: true });
    await tell('CreatePort', onHostA);
    expect((await state()).blocks).toMatchObject([
      { entity: 'DHCP', reason: 'port created' },
      { entity: 'L2', host: 'host-a', reason: 'bound to host-a' },
    ]);
  });

  test.each([
    ['no agent serves the network', {}, `no DHCP agent serves the network ${networkId}`],
    ['it has no address', { fixedIps: [] }, 'it has no address'],
  ])('not for DHCP where %s, and says so', async (_title, change, reason) => {
    const { tell, history } = await openUsualSite();
    await tell('CreatePort', { ...serverPort, ...change });
    expect((await history())[1]).toMatchObject({
      type: 'ProvisioningComponentNotNeeded',
      data: { entity: 'DHCP', reason },
    });
  });
});

describe('a port waits for DHCP again', () => {
  test('when its address changes, and only then; it is BUILD meanwhile', async () => {
    const { tell, state } = await openUsualSite({ dhcp: true });
    await tell('CreatePort', onHostA);
    await tell('ReportDhcpReady');
    await tell('ReportDeviceUp', { host: 'host-a' });
    await tell('UpdatePort', { name: 'renamed' });
    expect((await state()).status).toBe('ACTIVE');

    await tell('UpdatePort', moved);
    expect(await state()).toMatchObject({ status: 'BUILD', blocks: [{ entity: 'DHCP', reason: 'address changed' }] });
    await tell('ReportDhcpReady', { host: dhcpHost });
    expect((await state()).status).toBe('ACTIVE');
  });
});

describe('a port waits no longer', () => {
  const waiting = async () => {
    const site = await openUsualSite({ dhcp: true });
    await site.tell('CreatePort', onHostA);
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    expect(await site.state()).toMatchObject({ status: 'DOWN', blocks: [{ entity: 'DHCP' }] });
    return site;
  };

  test('for a DHCP agent that is unscheduled', async () => {
    const site = await waiting();
    await site.execute('network', networkId, 'UnscheduleDhcpAgent', { host: dhcpHost });
    await site.settle();
    expect(await site.state()).toMatchObject({ status: 'ACTIVE', blocks: [] });
    expect((await site.history()).find(({ type }) => type === 'ProvisioningComponentRemoved')!.data).toEqual({
      entity: 'DHCP',
      reason: `no DHCP agent serves the network ${networkId}`,
    });
  });

  test('for a DHCP agent that is unscheduled after the port has lost its owner', async () => {
    const site = await waiting();
    await site.tell('UpdatePort', { deviceId: '', deviceOwner: '' });
    await site.execute('network', networkId, 'UnscheduleDhcpAgent', { host: dhcpHost });
    await site.settle();
    expect((await site.state()).blocks).toEqual([]);
  });

  test('for a DHCP agent that is deleted', async () => {
    const site = await waiting();
    await site.deleteAgent(agentRef(dhcpHost, 'DHCP agent'));
    await site.settle();
    expect((await site.state()).status).toBe('ACTIVE');
  });

  test('for DHCP on a subnet where it was switched off, or a network that is gone', async () => {
    const site = await waiting();
    await site.execute('network', networkId, 'UpdateSubnet', { id: subnetId, enableDhcp: false });
    await site.settle();
    expect((await site.state()).status).toBe('ACTIVE');

    const other = await waiting();
    await other.execute('network', networkId, 'DeleteNetwork');
    await other.settle();
    expect((await other.state()).status).toBe('ACTIVE');
  });

  test('for DHCP when the address that needed it is gone, whatever nobody told it before', async () => {
    const site = await waiting();
    await site.tell('UpdatePort', { fixedIps: [] });
    expect((await site.state()).status).toBe('ACTIVE');
  });

  test('for the agent of a host it has left', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', onHostA);
    await tell('BindPort', { host: 'host-b' });
    expect((await state()).blocks).toMatchObject([{ entity: 'L2', host: 'host-b' }]);
    await tell('UnbindPort');
    expect((await state()).blocks).toEqual([]);
  });

  test('for an agent that was deleted: its binding has failed, until one is there again', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', onHostA);
    await site.tell('RequestDeviceDetails', { host: 'host-a' });
    await site.deleteAgent(ovsOn('host-a'));
    await site.settle();
    expect(await site.state()).toMatchObject({ status: 'DOWN', blocks: [], binding: { vifType: 'binding_failed' } });

    await site.registerAgent(ovsOn('host-a'), { bridge_mappings: { physnet1: 'br-physnet1' } });
    await site.settle();
    expect(await site.state()).toMatchObject({
      binding: { vifType: 'ovs' },
      blocks: [{ entity: 'L2', host: 'host-a' }],
    });
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    expect((await site.state()).status).toBe('ACTIVE');
  });

  test('but still for whatever somebody else asked it to wait for', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', onHostA);
    await tell('AddProvisioningComponent', { entity: 'DHCP', reason: 'my own server' });
    await tell('UpdatePort', { name: 'x' });
    expect(entities(await state())).toEqual(['DHCP', 'L2']);
  });
});

describe('an agent that returns', () => {
  test('gets the ports bound that failed while it was dead', async () => {
    const { tell, state, killAgent, registerAgent, settle } = await openUsualSite();
    await killAgent(ovsOn('host-a'));
    await tell('CreatePort', onHostA);
    await registerAgent(ovsOn('host-a'), { bridge_mappings: { physnet1: 'br-physnet1' } });
    await settle();
    expect(await state()).toMatchObject({ status: 'DOWN', binding: { vifType: 'ovs' }, blocks: [{ entity: 'L2' }] });
  });

  test('gets none while it is administratively down', async () => {
    const { tell, state, killAgent, registerAgent, settle, execute } = await openUsualSite();
    await killAgent(ovsOn('host-a'));
    await execute('agent', ovsOn('host-a').id, 'SetAgentAdminState', { adminStateUp: false });
    await tell('CreatePort', onHostA);
    await registerAgent(ovsOn('host-a'), { bridge_mappings: { physnet1: 'br-physnet1' } });
    await settle();
    expect((await state()).binding.vifType).toBe('binding_failed');
  });
});
