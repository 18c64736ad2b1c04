import { describe, expect, test } from 'vitest';
import { openUsualSite, ovsOn, serverPort } from './site.ts';

const onHostA = { ...serverPort, host: 'host-a' };

describe('the agent of the host a port is bound to', () => {
  test('asks how to wire it, wires it, takes it down and wires it again', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', onHostA);
    expect(await tell('RequestDeviceDetails', { host: 'host-a' })).toEqual([
      'DeviceDetailsRequested',
      'PortStatusChanged',
    ]);
    expect(await tell('RequestDeviceDetails', { host: 'host-a' })).toEqual([]);
    expect((await state()).status).toBe('BUILD');
    expect(await tell('ReportDeviceUp', { host: 'host-a' })).toEqual([
      'ProvisioningComponentCompleted',
      'PortProvisioned',
      'PortStatusChanged',
    ]);
    expect(await tell('ReportDeviceUp', { host: 'host-a' })).toEqual([]);
    expect(await tell('ReportDeviceDown', { host: 'host-a' })).toEqual(['DeviceDownReported', 'PortStatusChanged']);
    expect(await tell('ReportDeviceDown', { host: 'host-a' })).toEqual([]);
    expect((await state()).status).toBe('DOWN');
    expect(await tell('ReportDeviceUp', { host: 'host-a' })).toEqual([
      'ProvisioningComponentCompleted',
      'PortProvisioned',
      'PortStatusChanged',
    ]);
    expect(await state()).toMatchObject({ status: 'ACTIVE', round: { number: 2 } });
  });

  test('takes back what it has reported, while others are still awaited', async () => {
    const { tell, state } = await openUsualSite({ dhcp: true });
    await tell('CreatePort', onHostA);
    await tell('ReportDeviceUp', { host: 'host-a' });
    await tell('ReportDeviceDown', { host: 'host-a' });
    expect(await tell('RemoveProvisioningComponent', { entity: 'DHCP' })).toEqual(['ProvisioningComponentRemoved']);
    expect(await state()).toMatchObject({ status: 'DOWN', round: { completed: [], provisioned: null } });
    await tell('ReportDeviceUp', { host: 'host-a' });
    expect((await state()).status).toBe('ACTIVE');
  });

  test('need not ask before it reports, nor name its host', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', onHostA);
    await tell('ReportDeviceUp');
    expect((await state()).status).toBe('ACTIVE');
    await tell('ReportDeviceDown');
    expect((await state()).status).toBe('DOWN');
  });

  test('makes an ACTIVE port BUILD by asking again, and nobody but it makes that ACTIVE', async () => {
    const { tell, state } = await openUsualSite({ dhcp: true });
    await tell('CreatePort', onHostA);
    await tell('ReportDhcpReady');
    await tell('ReportDeviceUp', { host: 'host-a' });
    await tell('RequestDeviceDetails', { host: 'host-a' });
    expect(await state()).toMatchObject({ status: 'BUILD', blocks: [] });
    expect(await tell('ReportDhcpReady')).toEqual([]);
    await tell('UpdatePort', { fixedIps: [{ ...serverPort.fixedIps[0], ipAddress: '10.0.0.9' }] });
    await tell('ReportDhcpReady');
    expect(await state()).toMatchObject({ status: 'BUILD', blocks: [] });
    await tell('ReportDeviceUp', { host: 'host-a' });
    expect((await state()).status).toBe('ACTIVE');
  });

  test('that asks for a port which is not bound there yet gets it bound, if it can be', async () => {
    const { tell, state, registerAgent, killAgent } = await openUsualSite();
    await killAgent(ovsOn('host-a'));
    await tell('CreatePort', onHostA);
    expect(await tell('RequestDeviceDetails', { host: 'host-a' })).toEqual([]);
    expect(await state()).toMatchObject({ status: 'DOWN', binding: { vifType: 'binding_failed' } });
    await registerAgent(ovsOn('host-a'), { bridge_mappings: { physnet1: 'br-physnet1' } });
    expect(await tell('RequestDeviceDetails', { host: 'host-a' })).toContain('PortBound');
    expect((await state()).status).toBe('BUILD');
  });
});

describe('a report that is early', () => {
  test('is kept while the port is nowhere, and counts when it is bound to that host', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', serverPort);
    expect(await tell('ReportDeviceUp', { host: 'host-a' })).toEqual(['DeviceUpReported']);
    expect(await tell('ReportDeviceUp', { host: 'host-a' })).toEqual([]);
    expect(await tell('ReportDeviceUp', { host: 'host-b' })).toEqual(['DeviceUpReported']);
    expect(await state()).toMatchObject({ status: 'DOWN', earlyReports: [{ host: 'host-a' }, { host: 'host-b' }] });
    await tell('BindPort', { host: 'host-a' });
    expect(await state()).toMatchObject({ status: 'ACTIVE', blocks: [], earlyReports: [], binding: { device: 'up' } });
  });

  test('from another host than the one the port comes to never counts', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', serverPort);
    await tell('ReportDeviceUp', { host: 'host-b' });
    await tell('BindPort', { host: 'host-a' });
    expect(await state()).toMatchObject({
      status: 'DOWN',
      blocks: [{ entity: 'L2', host: 'host-a' }],
      earlyReports: [],
    });
  });

  test('is taken back by a report that the device is down', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', serverPort);
    await tell('ReportDeviceUp', { host: 'host-a' });
    expect(await tell('ReportDeviceDown', { host: 'host-a' })).toEqual(['DeviceDownReported']);
    await tell('BindPort', { host: 'host-a' });
    expect((await state()).status).toBe('DOWN');
  });

  test('for a binding that has failed is kept, and counts when it is bound after all', async () => {
    const { tell, state, registerAgent, killAgent } = await openUsualSite({ dhcp: true });
    await killAgent(ovsOn('host-a'));
    await tell('CreatePort', onHostA);
    await tell('ReportDhcpReady');
    await tell('ReportDeviceUp', { host: 'host-a' });
    expect(await state()).toMatchObject({ status: 'DOWN', blocks: [], binding: { vifType: 'binding_failed' } });
    await registerAgent(ovsOn('host-a'), { bridge_mappings: { physnet1: 'br-physnet1' } });
    await tell('UpdatePort', { name: 'x' });
    expect((await state()).status).toBe('ACTIVE');
  });

  test('while the port is administratively down is kept, and counts when it is set up', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', { ...onHostA, adminStateUp: false });
    await tell('ReportDeviceUp', { host: 'host-a' });
    expect(await state()).toMatchObject({ status: 'DOWN', blocks: [] });
    await tell('UpdatePort', { adminStateUp: true });
    expect((await state()).status).toBe('ACTIVE');
  });
});

describe('a report that is late, or from the wrong host', () => {
  test('from the host the port was unbound from is not mistaken for an early one', async () => {
    const { tell, state } = await openUsualSite();
    await tell('CreatePort', onHostA);
    await tell('UnbindPort');
    expect(await tell('ReportDeviceUp', { host: 'host-a' })).toEqual(['ReportIgnored']);
    await tell('BindPort', { host: 'host-a' });
    expect(await state()).toMatchObject({ status: 'DOWN', blocks: [{ entity: 'L2' }] });
  });

  test('is noted once for each binding, and changes nothing', async () => {
    const { tell, state, history } = await openUsualSite();
    await tell('CreatePort', onHostA);
    await tell('BindPort', { host: 'host-b' });
    for (const report of ['ReportDeviceUp', 'ReportDeviceDown', 'RequestDeviceDetails']) {
      expect(await tell(report, { host: 'host-a' })).toEqual(['ReportIgnored']);
      expect(await tell(report, { host: 'host-a' })).toEqual([]);
    }
    expect(await tell('ProvisioningComplete', { entity: 'L2', host: 'host-a' })).toEqual(['ReportIgnored']);
    expect((await history()).at(-1)!.data).toEqual({
      report: 'complete',
      entity: 'L2',
      host: 'host-a',
      reason: 'the port is bound to host-b, not to host-a',
    });
    expect(await state()).toMatchObject({ status: 'DOWN', blocks: [{ entity: 'L2', host: 'host-b' }] });
    await tell('BindPort', { host: 'host-a' });
    expect(await tell('ReportDeviceUp', { host: 'host-b' })).toEqual(['ReportIgnored']);
  });

  test('cannot fill the ledger, however many hosts are mistaken', async () => {
    const { tell, history } = await openUsualSite();
    await tell('CreatePort', onHostA);
    const before = (await history()).length;
    for (let n = 0; n < 100; n++) await tell('ReportDeviceUp', { host: `lost-${n}` });
    expect((await history()).length - before).toBe(16);
  });

  test('about a port that is gone, or never was, is refused', async () => {
    const { tell, refusal } = await openUsualSite();
    for (const report of ['ReportDeviceUp', 'ReportDeviceDown', 'RequestDeviceDetails', 'ReportDhcpReady']) {
      expect(await refusal(report, { host: 'host-a' })).toBe('port-not-found');
    }
    await tell('CreatePort', onHostA);
    await tell('DeletePort');
    for (const report of ['ReportDeviceUp', 'ReportDeviceDown', 'RequestDeviceDetails', 'ReportDhcpReady']) {
      expect(await refusal(report, { host: 'host-a' })).toBe('port-deleted');
    }
  });
});
