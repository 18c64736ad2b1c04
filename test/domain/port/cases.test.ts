import { describe, expect, test } from 'vitest';
import { agentRef } from '../../../src/domain/agent/identity.ts';
import { isLeftOver } from '../../../src/domain/port/migration.ts';
import type { Port } from '../../../src/domain/port/state.ts';
import { done, nthId, slugOf, typesOf } from '../../support/ledger.ts';
import { openUsualSite, ovsOn, serverPort } from './site.ts';
import { dhcpHost, networkId, subnetId } from './surroundings.ts';

const onHostA = { ...serverPort, host: 'host-a' };
const [p1, p2, p3] = [nthId(1), nthId(2), nthId(3)];
const ovsConfiguration = { bridge_mappings: { physnet1: 'br-physnet1' }, tunnel_types: ['vxlan'] };
const entities = ({ blocks }: Port) => blocks.map(({ entity }) => entity).sort();

type Site = Awaited<ReturnType<typeof openUsualSite>>;

/** The statuses a port went through. */
const statuses = async ({ history }: Site, id = p1): Promise<string[]> =>
  (await history(id)).flatMap(({ type, data }) => (type === 'PortStatusChanged' ? [`${data.from}->${data.to}`] : []));

describe('situations that were reported of real sites', () => {
  test('C001: a completion decided before a concurrent bind loses, and is decided again', async () => {
    const site = await openUsualSite({ dhcp: true });
    await site.tell('CreatePort', serverPort);
    const rival = await site.rival();
    site.interfering(p1, async () => {
      await rival('port', p1, 'BindPort', { host: 'host-a' });
      return false;
    });
    const slow = done(await site.port(p1, 'ReportDhcpReady'));
    expect(site.racesLost()).toBe(1);
    expect(slow.state).toMatchObject({ status: 'DOWN', blocks: [{ entity: 'L2', host: 'host-a' }] });
    expect(slow.state.round).toMatchObject({ completed: [{ entity: 'DHCP' }] });

    await site.tell('ReportDeviceUp', { host: 'host-a' });
    expect(await statuses(site)).toEqual(['DOWN->ACTIVE']);
  });

  test('C006: a binding that a dead migration left is told from one in use, and can be cleared', async () => {
    const site = await openUsualSite();
    for (const [id, migration] of [
      [p1, 'm-1'],
      [p2, 'm-2'],
    ] as const) {
      await site.tell('CreatePort', onHostA, id);
      await site.tell('ReportDeviceUp', { host: 'host-a' }, id);
      await site.tell('AddBinding', { host: 'host-b', migration }, id);
    }
    expect(slugOf(await site.port(p1, 'AddBinding', { host: 'host-b', migration: 'm-9' }))).toBe('binding-in-use');
    await site.tell('ReportMigrationEnded', { migration: 'm-1', outcome: 'failed', reason: 'rollback lost' }, p1);

    const report = async (id: string) =>
      (await site.state(id)).otherBindings.map((one) => [one.migration, isLeftOver(one)]);
    expect(await report(p1)).toMatchObject([[{ id: 'm-1', outcome: 'failed' }, true]]);
    expect(await report(p2)).toMatchObject([[{ id: 'm-2', outcome: null }, false]]);

    expect(await site.tell('RemoveBinding', { host: 'host-b', reason: 'clean-up' }, p1)).toEqual(['BindingRemoved']);
    const refused = await site.port(p2, 'RemoveBinding', { host: 'host-b', reason: 'clean-up' });
    expect(refused.outcome === 'refused' && refused.refusal).toMatchObject({
      slug: 'binding-in-use',
      help: { host: 'host-b', migration: 'm-2' },
    });
  });

  test('C013: every transition of a flapping port is kept, and a failure that may pass is not told as final', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', onHostA);
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    site.told.length = 0;
    const driver = { retryable: true, reason: 'felix is retrying' };
    await site.tell('SetPortStatus', { status: 'DOWN' });
    await site.tell('SetPortStatus', { status: 'ERROR', ...driver });
    await site.tell('SetPortStatus', { status: 'DOWN' });
    await site.tell('SetPortStatus', { status: 'ACTIVE' });
    await site.tell('SetPortStatus', { status: 'DOWN' });
    await site.tell('SetPortStatus', { status: 'ACTIVE' });
    expect((await statuses(site)).slice(1)).toEqual([
      'ACTIVE->DOWN',
      'DOWN->ERROR',
      'ERROR->DOWN',
      'DOWN->ACTIVE',
      'ACTIVE->DOWN',
      'DOWN->ACTIVE',
    ]);
    const failures = site.told.filter(({ data }) => 'status' in data && data.status === 'failed');
    expect(failures).toMatchObject([{ data: { retryable: true } }]);
    const error = (await site.history()).find(({ data }) => data.to === 'ERROR')!;
    expect(error.data).toMatchObject({ cause: 'set', reason: 'felix is retrying', host: 'host-a' });
    expect(error.metadata.actor).toEqual({ type: 'user', id: 'someone' });
  });

  test('C016: what failed because the agent was dead is bound when it returns; what failed otherwise says why', async () => {
    const site = await openUsualSite();
    const other = 'cccccccc-0000-4000-8000-000000000009';
    await site.execute('network', other, 'CreateNetwork', {
      segments: [{ networkType: 'vlan', physicalNetwork: 'physnet-x', segmentationId: 5 }],
    });
    await site.tell('CreatePort', { ...serverPort, networkId: other, fixedIps: [], host: 'host-a' }, p2);
    await site.killAgent(ovsOn('host-a'));
    await site.tell('CreatePort', onHostA, p1);
    const why = async (id: string) => (await site.state(id)).binding.failure?.tried[0]?.reason;
    expect(await why(p1)).toBe('the Open vSwitch agent on host-a is dead: silent since 2026-01-01T00:00:00.000Z');
    expect(await why(p2)).toBe('physnet-x is not in bridge_mappings (physnet1)');

    await site.registerAgent(ovsOn('host-a'), ovsConfiguration);
    await site.settle();
    expect((await site.state(p1)).binding).toMatchObject({ vifType: 'ovs', failure: null });
    expect(await why(p2)).toBe('physnet-x is not in bridge_mappings (physnet1)');
    const attempts = (await site.history(p1)).filter(({ type }) => /^PortB(ound|indingFailed)$/.test(type));
    expect(attempts.map(({ type, data }) => [type, data.cause])).toEqual([
      ['PortBindingFailed', 'requested'],
      ['PortBound', 'agent-back'],
    ]);
  });

  test('C023: no port waits for a DHCP agent that there is not', async () => {
    const bare = await openUsualSite();
    await bare.tell('CreatePort', onHostA, p1);
    await bare.tell('ReportDeviceUp', { host: 'host-a' }, p1);
    expect((await bare.state(p1)).status).toBe('ACTIVE');
    expect((await bare.history(p1)).map(({ type }) => type)).toContain('ProvisioningComponentNotNeeded');

    const site = await openUsualSite({ dhcp: true });
    await site.killAgent(agentRef(dhcpHost, 'DHCP agent'));
    await site.tell('CreatePort', onHostA, p3);
    await site.tell('ReportDeviceUp', { host: 'host-a' }, p3);
    expect(await site.state(p3)).toMatchObject({ status: 'DOWN', blocks: [{ entity: 'DHCP' }] });

    await site.execute('network', networkId, 'UnscheduleDhcpAgent', { host: dhcpHost });
    expect(await site.tell('UpdatePort', { name: 'p-4' }, p3)).toEqual([
      'PortUpdated',
      'ProvisioningComponentRemoved',
      'PortProvisioned',
      'PortStatusChanged',
    ]);
  });

  test('C033: reports of ports that nobody waits for append nothing', async () => {
    const site = await openUsualSite({ dhcp: true });
    await site.tell('CreatePort', onHostA);
    await site.tell('ReportDhcpReady');
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    const before = (await site.history()).length;
    for (let n = 0; n < 50; n++) {
      expect(await site.tell('ReportDhcpReady', { host: dhcpHost })).toEqual([]);
      expect(await site.tell('ReportDeviceUp', { host: 'host-a' })).toEqual([]);
    }
    expect(await site.history()).toHaveLength(before);
  });

  test('C035: the destination’s report is told for what it is, and the source’s flap is not taken for it', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', onHostA);
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    await site.tell('AddBinding', { host: 'host-b', migration: 'm-1' });
    site.told.length = 0;
    await site.tell('ReportDeviceDown', { host: 'host-a' });
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    expect(await site.tell('ReportDeviceUp', { host: 'host-b' })).toEqual(['DeviceUpReported']);
    expect(await site.tell('ReportDeviceUp', { host: 'host-b' })).toEqual([]);
    expect((await site.state()).status).toBe('ACTIVE');
    expect(site.told.map(({ data }) => data)).toMatchObject([
      { name: 'network-vif-unplugged', host: 'host-a' },
      { name: 'network-vif-plugged', host: 'host-a', generation: 1 },
      { name: 'network-vif-plugged', host: 'host-b', generation: 2 },
    ]);
  });

  test('C036: two workers bind or activate at once: one result is stored, and a deleted port stays deleted', async () => {
    const site = await openUsualSite();
    for (const id of [p1, p2, p3]) await site.tell('CreatePort', serverPort, id);
    const both = await Promise.all([
      site.port(p1, 'BindPort', { host: 'host-a' }),
      (await site.rival())('port', p1, 'BindPort', { host: 'host-a' }),
    ]);
    expect(both.map((outcome) => typesOf(outcome).includes('PortBound')).sort()).toEqual([false, true]);

    await site.tell('BindPort', { host: 'host-a' }, p2);
    await site.tell('AddBinding', { host: 'host-b' }, p2);
    const activations = await Promise.all([
      site.port(p2, 'ActivateBinding', { host: 'host-b' }),
      site.port(p2, 'ActivateBinding', { host: 'host-b' }),
    ]);
    expect(activations.flatMap(typesOf).filter((type) => type === 'BindingActivated')).toHaveLength(1);

    const [bound, deleted] = await Promise.all([
      site.port(p3, 'BindPort', { host: 'host-a' }),
      site.port(p3, 'DeletePort'),
    ]);
    expect([bound.outcome, deleted.outcome]).toEqual(['done', 'done']);
    expect(slugOf(await site.port(p3, 'BindPort', { host: 'host-b' }))).toBe('port-deleted');
  });

  test('C051: late news of a deleted port does not bring it back', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', onHostA);
    await site.tell('DeletePort');
    expect(await site.refusal('ReportDeviceUp', { host: 'host-a' })).toBe('port-deleted');
    expect(await site.refusal('UpdatePort', { name: 'snapshot' })).toBe('port-deleted');
    await site.tell('CreatePort', onHostA, p2);
    expect((await site.state(p2)).status).toBe('DOWN');
    expect(await site.tell('CreatePort', onHostA, p2)).toEqual([]);
    expect((await site.history(p1)).at(-1)!.type).toBe('PortDeleted');
  });

  test('C053: a host that does not own the port does not change its status, and its reports are seen', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', onHostA);
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    expect(await site.tell('RequestDeviceDetails', { host: 'host-b' })).toEqual(['ReportIgnored']);
    expect(await site.tell('ReportDeviceDown', { host: 'host-b' })).toEqual(['ReportIgnored']);
    expect((await site.state()).status).toBe('ACTIVE');
    const ignored = (await site.history()).filter(({ type }) => type === 'ReportIgnored');
    expect(ignored.map(({ data }) => data)).toEqual([
      { report: 'device-details', host: 'host-b', reason: 'the port is bound to host-a, not to host-b' },
      { report: 'device-down', host: 'host-b', reason: 'the port is bound to host-a, not to host-b' },
    ]);
    await site.tell('ReportDeviceDown', { host: 'host-a' });
    expect((await site.state()).status).toBe('DOWN');
  });

  test('C058: a completion by an entity that holds no block makes nothing ACTIVE', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', onHostA, p1);
    expect(await site.tell('ReportDhcpReady', {}, p1)).toEqual([]);
    expect(await site.state(p1)).toMatchObject({ status: 'DOWN', blocks: [{ entity: 'L2' }] });

    await site.tell('CreatePort', onHostA, p2);
    await site.tell('ReportDeviceUp', { host: 'host-a' }, p2);
    await site.tell('ReportDeviceDown', { host: 'host-a' }, p2);
    expect(await site.tell('ReportDhcpReady', {}, p2)).toEqual([]);
    expect(await site.state(p2)).toMatchObject({ status: 'DOWN', blocks: [] });
  });

  test('C068: every change of a port, its binding’s too, has a revision of its own', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', serverPort);
    const revisions = [(await site.state()).revision];
    for (const [type, data] of [
      ['BindPort', { host: 'host-a' }],
      ['UpdatePort', { profile: { a: 1 } }],
      ['AddBinding', { host: 'host-b' }],
      ['ActivateBinding', { host: 'host-b' }],
    ] as const) {
      await site.tell(type, data);
      revisions.push((await site.state()).revision);
    }
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    expect(revisions.at(-1)).toBe((await site.history()).length - 1);
  });

  test('C070: a rename waits for nobody; a new address waits for DHCP and says so', async () => {
    const site = await openUsualSite({ dhcp: true });
    await site.tell('CreatePort', onHostA);
    await site.tell('ReportDhcpReady');
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    expect(await site.tell('UpdatePort', { name: 'renamed' })).toEqual(['PortUpdated']);
    const fixedIps = [{ subnetId, ipAddress: '10.0.0.9' }];
    expect(await site.tell('UpdatePort', { fixedIps })).toEqual([
      'PortUpdated',
      'ProvisioningComponentAdded',
      'PortStatusChanged',
    ]);
    const [updated, added] = (await site.history()).slice(-3);
    expect(updated!.data).toEqual({ changes: { fixedIps } });
    expect(added!.data).toEqual({ entity: 'DHCP', reason: 'address changed' });
  });

  test('C071: ports of routers and DHCP servers are ACTIVE with the agent’s report; others need DHCP too', async () => {
    const site = await openUsualSite({ dhcp: true });
    await site.tell('CreatePort', { ...onHostA, deviceOwner: 'network:router_interface' }, p1);
    await site.tell('CreatePort', { ...onHostA, deviceOwner: 'network:dhcp' }, p2);
    await site.tell('CreatePort', onHostA, p3);
    expect(entities(await site.state(p3))).toEqual(['DHCP', 'L2']);
    for (const id of [p1, p2, p3]) await site.tell('ReportDeviceUp', { host: 'host-a' }, id);
    expect((await site.state(p1)).status).toBe('ACTIVE');
    expect((await site.state(p2)).status).toBe('ACTIVE');
    expect(await site.state(p3)).toMatchObject({ status: 'DOWN', blocks: [{ entity: 'DHCP' }] });
    for (const id of [p1, p2]) {
      expect((await site.history(id)).filter(({ data }) => data.entity === 'DHCP')).toEqual([]);
    }
  });
});
