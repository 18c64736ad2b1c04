import { describe, expect, test } from 'vitest';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import { story } from '../../support/story.ts';
import { RecordedServer } from './lives.ts';
import { anObservedServer, aRunningServer, aServer } from './support.ts';

const running = [
  { type: 'CreateServer' },
  { type: 'ServerScheduled', data: { host: 'host-1' } },
  { type: 'ReportBuildSuccess' },
];
const portId = '33333333-3333-4333-8333-333333333333';

describe('C010: a state that somebody orders', () => {
  story('says that nobody looked, until a worker has its say', serverAggregate, [{ type: 'CreateServer' }], (it) =>
    it
      .when('ReportBuildFailure', { reason: 'NoValidHost' })
      .when('ResetServerState', { state: 'active' })
      .leadsTo({
        type: 'ServerStateChanged',
        data: {
          from: { vmState: 'error', taskState: null, powerState: 0 },
          to: { vmState: 'active', taskState: null, powerState: 0 },
          cause: 'ResetServerState',
          forced: 'real state not verified',
        },
      })
      .state({ status: 'ACTIVE', fault: null, forced: { cause: 'ResetServerState', note: 'real state not verified' } })
      .when('ResetServerState', { state: 'active' })
      .events()
      .when('ResetServerState', { state: 'error' })
      .state({ status: 'ERROR', fault: { kind: 'NoValidHost' } }),
  );

  story('cuts short whatever runs', serverAggregate, [...running, { type: 'StopServer' }], (it) =>
    it
      .when('ResetServerState', { state: 'error' })
      .events('ServerActionEnded', 'ServerStateChanged')
      .state({ status: 'ERROR', operation: null, lastOperation: { result: 'superseded', reason: 'ResetServerState' } })
      .when('ReportActionSuccess', { action: 'StopServer' })
      .events()
      .when('StopServer')
      .state({ forced: { cause: 'ResetServerState' } })
      .when('ReportActionSuccess', { action: 'StopServer' })
      .state({ status: 'SHUTOFF', forced: null }),
  );

  story('ends a build that hangs', serverAggregate, running.slice(0, 2), (it) =>
    it
      .when('ResetServerState', { state: 'error' })
      .events('BuildAttemptEnded', 'ServerStateChanged')
      .state({ status: 'ERROR', build: null, attempts: [{ outcome: 'abandoned' }] }),
  );
});

describe('C010: what is done to a server that is on no host any more', () => {
  test('leaves its traces, and they stay', () => {
    const server = new RecordedServer(serverAggregate);
    for (const { type, data } of [
      ...running,
      { type: 'ShelveServer', data: {} },
      { type: 'ReportActionProgress', data: { action: 'ShelveServer', taskState: 'shelving_offloading' } },
      { type: 'ReportActionSuccess', data: { action: 'ShelveServer' } },
      { type: 'DeleteServer', data: {} },
    ]) {
      server.execute(type, data);
    }
    expect(server.view).toMatchObject({ status: 'DELETED', lastOperation: { action: 'DeleteServer' } });
    const told = server.events.filter(({ type }) => type === 'ServerStateChanged').map(({ data }) => data.to);
    expect(told).toMatchObject([
      { vmState: 'building', taskState: null },
      { vmState: 'building', taskState: 'spawning' },
      { vmState: 'active', taskState: null },
      { vmState: 'active', taskState: 'shelving' },
      { vmState: 'shelved', taskState: 'shelving_offloading' },
      { vmState: 'shelved_offloaded', taskState: null },
      { vmState: 'shelved_offloaded', taskState: 'deleting' },
      { vmState: 'deleted', taskState: null },
    ]);
  });
});

describe('C050: what a hypervisor says about a guest', () => {
  test('stops a server that is off, and shows every power state as it is', () => {
    const server = aRunningServer();
    expect(server.execute('ReportPowerState', { powerState: 1 })).toEqual([]);
    server.execute('ReportPowerState', { powerState: 4 });
    expect(server.view).toMatchObject({
      powerState: 4,
      taskState: 'powering-off',
      operation: { action: 'StopServer' },
    });
    expect(server.execute('ReportPowerState', { powerState: 4 })).toEqual([]);
    server.execute('ReportActionSuccess', { action: 'StopServer' });
    expect(server.view.status).toBe('SHUTOFF');
  });

  test('is refused where the server has changed since it was compared', () => {
    const server = aRunningServer();
    const { revision } = server.state!;
    server.execute('PauseServer');
    expect(server.refusalOf('ReportPowerState', { powerState: 4, revision })).toBe('server-changed-since');
    expect(server.execute('ReportPowerState', { powerState: 4, revision: server.state!.revision })).toEqual([]);
  });

  test.each([
    ['active', 6, 'StopServer'],
    ['active', 7, 'StopServer'],
    ['active', 3, null],
    ['stopped', 1, 'StopServer'],
    ['stopped', 4, null],
    ['paused', 4, 'StopServer'],
    ['paused', 1, null],
    ['suspended', 1, null],
    ['rescued', 4, null],
    ['resized', 4, null],
    ['error', 4, null],
  ] as const)('%s and %i: %s', (vmState, powerState, action) => {
    const server = anObservedServer({ vmState, host: 'host-1' });
    server.execute('ReportPowerState', { powerState });
    expect(server.view).toMatchObject({ powerState, operation: action && { action } });
  });

  test('is about no server that is nowhere', () => {
    const server = aServer();
    server.execute('CreateServer');
    expect(server.refusalOf('ReportPowerState', { powerState: 4 })).toBe('server-without-host');
  });
});

describe('a compute that is started again', () => {
  test.each([
    ['active', 'rebuild_spawning', 'ERROR', null],
    ['stopped', 'rebuilding', 'ERROR', null],
    ['active', 'image_snapshot', 'ACTIVE', null],
    ['active', 'resize_prep', 'ACTIVE', null],
    ['active', 'resize_migrating', 'ACTIVE', null],
    ['active', 'migrating', 'ACTIVE', null],
    ['active', 'reboot_started', 'ACTIVE', null],
    ['active', 'reboot_pending', 'REBOOT', 'reboot_pending'],
    ['active', 'powering-off', 'ACTIVE', 'powering-off'],
    ['stopped', 'powering-on', 'SHUTOFF', 'powering-on'],
    ['active', 'deleting', 'ACTIVE', 'deleting'],
    ['error', 'rebuilding', 'REBUILD', 'rebuilding'],
    ['active', null, 'ACTIVE', null],
  ] as const)('%s/%s becomes %s/%s', (vmState, taskState, status, left) => {
    const server = anObservedServer({ vmState, taskState, host: 'host-1' });
    server.execute('ReportComputeRestart', { host: 'host-1' });
    expect(server.view).toMatchObject({ status, taskState: left });
    expect(server.execute('ReportComputeRestart', { host: 'host-1' })).toEqual([]);
  });

  test('ends the action it was at, or leaves it to be done again', () => {
    const server = aRunningServer();
    server.execute('LiveMigrateServer', { host: 'host-2' });
    server.execute('ReportComputeRestart', { host: 'host-1' });
    expect(server.view).toMatchObject({ status: 'ACTIVE', lastOperation: { result: 'failed', outcome: 'as-before' } });
    server.execute('StopServer');
    expect(server.execute('ReportComputeRestart', { host: 'host-1' })).toEqual([]);
    expect(server.view).toMatchObject({ operation: { action: 'StopServer' } });
  });
});

describe('the attributes of a server', () => {
  story('change at any time, but for those that only a server at rest may change', serverAggregate, running, (it) =>
    it
      .when('UpdateServer', { name: 'web-2', description: null })
      .leadsTo({ type: 'ServerUpdated', data: { changes: { name: 'web-2' } } })
      .when('UpdateServer', { metadata: { role: 'web', tier: 'front' }, tags: ['blue'] })
      .state({ metadata: { role: 'web', tier: 'front' }, tags: ['blue'] })
      .when('UpdateServer', { metadata: { tier: 'front', role: 'web' } })
      .events(),
  );

  story('include its ports', serverAggregate, running, (it) =>
    it
      .when('AttachInterface', { portId })
      .state({ ports: [portId] })
      .when('AttachInterface', { portId })
      .events()
      .when('DetachInterface', { portId })
      .state({ ports: [] })
      .when('DetachInterface', { portId })
      .events(),
  );

  story('are kept from change by a lock, as is what the server does', serverAggregate, running, (it) =>
    it
      .when('LockServer', { reason: 'under audit' })
      .when('LockServer', { reason: 'under audit' })
      .events()
      .state({ lock: { by: 'someone', reason: 'under audit' } })
      .when('DeleteServer')
      .refused('server-locked')
      .when('AttachInterface', { portId })
      .refused('server-locked')
      .when('UnlockServer')
      .when('UnlockServer')
      .events()
      .when('AttachInterface', { portId })
      .events('PortAttached'),
  );
});

describe('C046: how long a server is in its state', () => {
  test('is counted from the beginning of the present stay, each return anew', () => {
    const server = aRunningServer();
    const since = () => server.view.conditionSince as string;
    const first = since();
    server.execute('UpdateServer', { name: 'renamed' });
    server.execute('LockServer');
    server.execute('UnlockServer');
    expect(since()).toBe(first);

    server.now += 3_600_000;
    server.execute('PauseServer');
    server.execute('ReportActionSuccess', { action: 'PauseServer' });
    server.execute('UnpauseServer');
    server.execute('ReportActionSuccess', { action: 'UnpauseServer' });
    expect(server.view.status).toBe('ACTIVE');
    expect(Date.parse(since()) - Date.parse(first)).toBeGreaterThan(3_600_000);
  });
});
