import { describe, expect, test } from 'vitest';
import { portToServer } from '../../../src/domain/flows/port-to-server.ts';
import { portStatuses } from '../../../src/domain/port/events.ts';
import { nthId } from '../../support/ledger.ts';
import { openUsualSite, serverId, serverPort } from './site.ts';

const onHostA = { ...serverPort, host: 'host-a' };

const told = (port: object | null, data: object, type = 'PortStatusChanged', server: object | null = {}) =>
  portToServer.react(
    {
      id: 'e',
      resource: { kind: 'port', id: nthId(1) },
      revision: 1,
      type,
      time: '2026-01-01T00:00:00.000Z',
      data: data as never,
    },
    { stateOf: ({ kind }) => (kind === 'port' ? port : server), heardAt: () => null },
  );

describe('a change of a port’s status', () => {
  const expected: Record<string, object> = {
    'DOWN ACTIVE': { name: 'network-vif-plugged', status: 'completed' },
    'BUILD ACTIVE': { name: 'network-vif-plugged', status: 'completed' },
    'DOWN ERROR': { name: 'network-vif-plugged', status: 'failed' },
    'BUILD ERROR': { name: 'network-vif-plugged', status: 'failed' },
    'ACTIVE DOWN': { name: 'network-vif-unplugged', status: 'completed' },
  };
  const pairs = portStatuses.flatMap((from) => portStatuses.map((to) => ({ from, to })));

  test.each(pairs)('from $from to $to tells the server what Neutron tells Nova', ({ from, to }) => {
    const data = { from, to, cause: 'set', host: 'host-a', generation: 7 };
    const known = expected[`${from} ${to}`];
    const about = { tag: nthId(1), host: 'host-a', generation: 7, retryable: false };
    const command = {
      resource: { kind: 'server', id: serverId },
      type: 'ReceiveExternalEvent',
      data: { ...known, ...about },
    };
    expect(told(serverPort, data)).toEqual(known ? [command] : []);
  });

  test('to an ERROR that may pass says so, that nobody gives up for it', () => {
    const [command] = told(serverPort, { from: 'DOWN', to: 'ERROR', cause: 'set', retryable: true });
    expect(command!.data).toMatchObject({ name: 'network-vif-plugged', status: 'failed', retryable: true });
  });

  test('is told to a server of this ledger only', () => {
    const data = { from: 'DOWN', to: 'ACTIVE', cause: 'set' };
    expect(told({ ...serverPort, deviceOwner: 'network:dhcp' }, data)).toEqual([]);
    expect(told({ ...serverPort, deviceOwner: 'manila:share' }, data)).toEqual([]);
    expect(told({ ...serverPort, deviceId: 'dhcp-1' }, data)).toEqual([]);
    expect(told(serverPort, data, 'PortStatusChanged', null)).toEqual([]);
  });
});

describe('a server', () => {
  test('is told of its port as long as there is one, each time with the binding it is about', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', onHostA);
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    await site.tell('BindPort', { host: 'host-b' });
    await site.tell('ReportDeviceUp', { host: 'host-b' });
    await site.tell('UnbindPort');
    await site.tell('DeletePort');
    expect(site.told.map(({ resource, data }) => ({ server: resource.id, ...data }))).toMatchObject([
      { server: serverId, name: 'network-vif-plugged', host: 'host-a', generation: 1 },
      { name: 'network-vif-unplugged', host: 'host-a', generation: 1 },
      { name: 'network-vif-plugged', host: 'host-b', generation: 2 },
      { name: 'network-vif-unplugged', host: 'host-b', generation: 2 },
      { name: 'network-vif-deleted', tag: nthId(1) },
    ]);
  });

  test('is told that its port is plugged whoever was the last to report', async () => {
    const site = await openUsualSite({ dhcp: true });
    await site.tell('CreatePort', { ...onHostA, profile: { migrating_to: 'host-b' } });
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    await site.tell('ReportDhcpReady');
    expect(site.told.map(({ data }) => data)).toMatchObject([{ name: 'network-vif-plugged', status: 'completed' }]);
  });

  test('is not told of a port that a host has wired which it has nothing to do with', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', onHostA);
    await site.tell('ReportDeviceUp', { host: 'host-b' });
    await site.tell('UnbindPort');
    await site.tell('ReportDeviceUp', { host: 'host-b' });
    expect(site.told).toEqual([]);
  });
});
