import { describe, expect, test } from 'vitest';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import { story } from '../../support/story.ts';
import { anObservedServer, aRunningServer, aServer } from './support.ts';

const running = [
  { type: 'CreateServer', data: { name: 'web-1', flavorRef: 'small' } },
  { type: 'ServerScheduled', data: { host: 'host-1' } },
  { type: 'ReportBuildSuccess' },
];
const asked = (type: string, data: object = {}) => ({ type, data });
const succeeded = (action: string, more: object = {}) => asked('ReportActionSuccess', { action, ...more });

describe('an action on a server', () => {
  story('is accepted, taken up and done, each with who and when', serverAggregate, running, (it) =>
    it
      .when('StopServer')
      .leadsTo(
        {
          type: 'ServerActionStarted',
          data: {
            action: 'StopServer',
            arguments: {},
            before: { vmState: 'active', taskState: null, powerState: 1, host: 'host-1' },
            endsIn: 'stopped',
          },
        },
        {
          type: 'ServerStateChanged',
          data: {
            from: { vmState: 'active', taskState: null, powerState: 1 },
            to: { vmState: 'active', taskState: 'powering-off', powerState: 1 },
            cause: 'StopServer',
            action: 'StopServer',
          },
        },
      )
      .state({ status: 'ACTIVE', operation: { action: 'StopServer', worker: null, step: null } })
      .when('ReportActionProgress', { action: 'StopServer', worker: 'compute@host-1' })
      .events('ServerActionProgressed')
      .state({ operation: { worker: 'compute@host-1', step: 'powering-off' } })
      .when('ReportActionProgress', { action: 'StopServer', worker: 'compute@host-1' })
      .events()
      .when('ReportActionSuccess', { action: 'StopServer' })
      .events('ServerStateChanged', 'ServerActionEnded')
      .state({ status: 'SHUTOFF', powerState: 4, operation: null, lastOperation: { result: 'succeeded' } })
      .when('ReportActionSuccess', { action: 'StopServer' })
      .events(),
  );

  story('that is asked for again while it is done is accepted already', serverAggregate, running, (it) =>
    it
      .when('RebuildServer', { imageRef: 'cirros' })
      .events('ServerUpdated', 'ServerActionStarted', 'ServerStateChanged')
      .state({ imageRef: 'cirros' })
      .when('RebuildServer', { imageRef: 'cirros' })
      .events()
      .when('RebuildServer', { imageRef: 'debian' })
      .refused('server-busy'),
  );

  story(
    'passes through its own steps only, and never back',
    serverAggregate,
    [...running, asked('RebootServer')],
    (it) =>
      it
        .when('ReportActionProgress', { action: 'SoftRebootServer', taskState: 'reboot_started' })
        .state({ status: 'REBOOT', taskState: 'reboot_started' })
        .when('ReportActionProgress', { action: 'SoftRebootServer', taskState: 'reboot_pending' })
        .events()
        .when('ReportActionProgress', { action: 'SoftRebootServer', taskState: 'rescuing' })
        .refused('step-not-in-action')
        .when('ReportActionProgress', { action: 'SoftRebootServer', taskState: null })
        .refused('step-not-in-action'),
  );

  story('is not ended by a report about another', serverAggregate, [...running, asked('StopServer')], (it) =>
    it
      .when('ReportActionSuccess', { action: 'PauseServer' })
      .refused('action-not-running')
      .when('ReportActionSuccess', { action: 'StopServer', operationId: '11111111-1111-4111-8111-111111111111' })
      .events()
      .when('ReportActionSuccess', { action: 'StopServer', host: 'host-9' })
      .events()
      .state({ taskState: 'powering-off' }),
  );

  story(
    'may be forced upon a server that hangs in another',
    serverAggregate,
    [...running, asked('PauseServer')],
    (it) =>
      it
        .when('RebootServer', { type: 'HARD' })
        .events('ServerActionEnded', 'ServerActionStarted', 'ServerStateChanged')
        .state({
          taskState: 'rebooting_hard',
          operation: { action: 'HardRebootServer' },
          lastOperation: { action: 'PauseServer', result: 'superseded', reason: 'HardRebootServer' },
        })
        .when('ReportActionSuccess', { action: 'PauseServer' })
        .events()
        .when('ReportActionSuccess', { action: 'HardRebootServer' })
        .state({ status: 'ACTIVE' }),
  );

  story('of a stopped server that is rebuilt ends stopped, and is ACTIVE in between', serverAggregate, running, (it) =>
    it
      .when('StopServer')
      .when('ReportActionSuccess', { action: 'StopServer' })
      .when('RebuildServer')
      .state({ status: 'REBUILD', operation: { endsIn: 'stopped' } })
      .when('ReportActionProgress', { action: 'RebuildServer', taskState: null })
      .state({ status: 'ACTIVE', taskState: null, powerState: 1 })
      .when('PauseServer')
      .refused('server-busy')
      .when('ReportActionProgress', { action: 'RebuildServer', taskState: 'powering-off' })
      .when('ReportActionSuccess', { action: 'RebuildServer' })
      .state({ status: 'SHUTOFF', powerState: 4 }),
  );

  story('by which a server is resized ends on the new flavor and host', serverAggregate, running, (it) =>
    it
      .when('ResizeServer', { flavorRef: 'large' })
      .when('ReportActionProgress', { action: 'ResizeServer', taskState: 'resize_migrated', host: 'host-2' })
      .state({ host: 'host-2', flavorRef: 'small' })
      .when('ReportActionSuccess', { action: 'ResizeServer' })
      .state({ status: 'VERIFY_RESIZE', flavorRef: 'large', resizedFrom: { host: 'host-1', flavorRef: 'small' } })
      .when('RevertResize')
      .when('ReportActionSuccess', { action: 'RevertResize', host: 'host-1' })
      .state({ status: 'ACTIVE', host: 'host-1', flavorRef: 'small', resizedFrom: null }),
  );

  test('by which a stopped server is resized leaves it stopped, confirmed or reverted', () => {
    for (const [action, status] of [
      ['ConfirmResize', 'SHUTOFF'],
      ['RevertResize', 'SHUTOFF'],
    ] as const) {
      const server = aRunningServer();
      server.execute('StopServer');
      server.execute('ReportActionSuccess', { action: 'StopServer' });
      server.execute('ResizeServer', { flavorRef: 'large' });
      server.execute('ReportActionSuccess', { action: 'ResizeServer', host: 'host-2' });
      server.execute(action);
      server.execute('ReportActionSuccess', { action });
      expect(server.view.status).toBe(status);
    }
  });

  test('by which a server is shelved may leave it on its host, to be offloaded later', () => {
    const server = aRunningServer();
    server.execute('ShelveServer');
    server.execute('ReportActionSuccess', { action: 'ShelveServer' });
    expect(server.view).toMatchObject({ status: 'SHELVED', host: 'host-1', powerState: 4 });
    server.execute('ShelveOffloadServer');
    expect(server.view).toMatchObject({ taskState: 'shelving_offloading' });
    server.execute('ReportActionSuccess', { action: 'ShelveOffloadServer' });
    expect(server.view).toMatchObject({ status: 'SHELVED_OFFLOADED', host: null });
    server.execute('UnshelveServer');
    server.execute('ReportActionFailure', { action: 'UnshelveServer', reason: 'NoValidHost' });
    expect(server.view).toMatchObject({ status: 'SHELVED_OFFLOADED', host: null, fault: null });
  });

  test('shows what the hypervisor says, where the worker passes it on', () => {
    const server = aRunningServer();
    server.execute('RescueServer');
    server.execute('ReportActionSuccess', { action: 'RescueServer', powerState: 4 });
    expect(server.view).toMatchObject({ status: 'RESCUE', powerState: 4 });
  });
});

describe('C030: an action that fails', () => {
  test('before it touched the guest leaves a stopped server stopped', () => {
    const server = aRunningServer();
    server.execute('StopServer');
    server.execute('ReportActionSuccess', { action: 'StopServer' });
    server.execute('ResizeServer', { flavorRef: 'small-disk' });
    server.execute('ReportActionProgress', { action: 'ResizeServer', taskState: 'resize_migrating' });
    server.execute('ReportActionFailure', {
      action: 'ResizeServer',
      reason: 'InstanceFaultRollback',
      message: 'cannot shrink disk',
      outcome: 'as-before',
    });
    expect(server.view).toMatchObject({
      status: 'SHUTOFF',
      taskState: null,
      fault: null,
      faults: [{ message: 'cannot shrink disk' }],
      lastOperation: {
        action: 'ResizeServer',
        result: 'failed',
        outcome: 'as-before',
        reason: 'InstanceFaultRollback',
      },
    });
  });

  test('in its checks leaves a running server ACTIVE, where it was', () => {
    const server = aRunningServer();
    server.execute('LiveMigrateServer', { host: 'host-2' });
    server.execute('ReportActionProgress', { action: 'LiveMigrateServer', host: 'host-2' });
    server.execute('ReportActionFailure', { action: 'LiveMigrateServer', reason: 'MigrationPreCheckError' });
    expect(server.view).toMatchObject({
      status: 'ACTIVE',
      host: 'host-1',
      lastOperation: { result: 'failed', reason: 'MigrationPreCheckError' },
    });
  });

  test('after the guest moved makes it ERROR: nobody knows what is where', () => {
    const server = aRunningServer();
    server.execute('LiveMigrateServer', { host: 'host-2' });
    const failure = { action: 'LiveMigrateServer', reason: 'MigrationError', outcome: 'unknown' };
    const events = server.execute('ReportActionFailure', failure);
    expect(events).toMatchObject([
      {
        type: 'ServerStateChanged',
        data: { to: { vmState: 'error' }, reason: 'MigrationError', fault: { code: 500 } },
      },
      { type: 'ServerActionEnded', data: { result: 'failed', outcome: 'unknown' } },
    ]);
    expect(server.view).toMatchObject({ status: 'ERROR', fault: { kind: 'MigrationError' } });
    expect(server.state!.faults).toHaveLength(1);
    expect(server.execute('ReportActionFailure', failure)).toEqual([]);
  });

  test('and does not say how, is judged by how far it got', () => {
    const early = aRunningServer();
    early.execute('RebuildServer');
    early.execute('ReportActionFailure', { action: 'RebuildServer', reason: 'ImageNotFound' });
    expect(early.view.status).toBe('ACTIVE');

    const late = aRunningServer();
    late.execute('RebuildServer');
    late.execute('ReportActionProgress', { action: 'RebuildServer', taskState: 'rebuild_spawning' });
    late.execute('ReportActionFailure', { action: 'RebuildServer', reason: 'LibvirtError' });
    expect(late.view.status).toBe('ERROR');
  });
});

describe('C028: a host that comes back after its servers were evacuated', () => {
  const evacuating = () => {
    const server = aRunningServer();
    server.execute('EvacuateServer');
    return server;
  };

  test('is told of those that are gone, those that are not, and those of which nobody knows', () => {
    const undecided = evacuating();
    expect(undecided.view.evacuations).toMatchObject([{ from: 'host-1', to: null, verdict: 'undecided' }]);

    const failed = evacuating();
    failed.execute('ReportActionFailure', { action: 'EvacuateServer', reason: 'NoValidHost' });
    expect(failed.view).toMatchObject({ status: 'ACTIVE', host: 'host-1', evacuations: [{ verdict: 'failed' }] });

    const gone = evacuating();
    gone.execute('ReportActionSuccess', { action: 'EvacuateServer', host: 'host-2' });
    expect(gone.view).toMatchObject({
      status: 'ACTIVE',
      host: 'host-2',
      evacuations: [{ from: 'host-1', to: 'host-2', verdict: 'evacuated' }],
    });

    const lost = evacuating();
    lost.execute('ResetServerState', { state: 'active' });
    expect(lost.view.evacuations).toMatchObject([{ verdict: 'undecided' }]);
  });

  test('is told of the latest evacuation, not of one before', () => {
    const server = evacuating();
    server.execute('ReportActionSuccess', { action: 'EvacuateServer', host: 'host-2' });
    server.execute('LiveMigrateServer', { host: 'host-1' });
    server.execute('ReportActionSuccess', { action: 'LiveMigrateServer', host: 'host-1' });
    server.execute('EvacuateServer');
    expect(server.view.evacuations).toMatchObject([{ from: 'host-1', verdict: 'undecided' }]);
  });
});

describe('C045: a deletion that nobody finishes', () => {
  const deleting = [...running, asked('DeleteServer')];

  story('tells what was taken up from what was not', serverAggregate, deleting, (it) =>
    it
      .state({ status: 'ACTIVE', taskState: 'deleting', operation: { worker: null, step: null } })
      .when('ReportActionProgress', { action: 'DeleteServer', taskState: 'deleting', worker: 'w-1' })
      .state({ operation: { action: 'DeleteServer', worker: 'w-1', step: 'deleting' } }),
  );

  story('is accepted once, and may be forced with a record of it', serverAggregate, deleting, (it) =>
    it
      .when('DeleteServer')
      .events()
      .when('ForceDeleteServer')
      .events('ServerActionEnded', 'ServerActionStarted')
      .when('ForceDeleteServer')
      .events()
      .when('DeleteServer')
      .events()
      .when('ReportActionSuccess', { action: 'ForceDeleteServer' })
      .events('ServerStateChanged', 'ServerActionEnded', 'ServerDeleted')
      .state({ status: 'DELETED', deletedAt: '2026-01-01T00:00:16.000Z' }),
  );

  test('is accepted in the midst of everything', () => {
    for (const [command, data] of [
      ['StopServer'],
      ['RebuildServer'],
      ['ShelveServer'],
      ['ResizeServer', { flavorRef: 'large' }],
      ['LiveMigrateServer'],
    ] as const) {
      const server = aRunningServer();
      server.execute(command, data ?? {});
      server.execute('ForceDeleteServer');
      expect(server.view).toMatchObject({
        taskState: 'deleting',
        lastOperation: { action: command, result: 'superseded' },
      });
    }
  });

  test('that fails leaves a server that can be deleted again', () => {
    const server = aRunningServer();
    server.execute('DeleteServer');
    server.execute('ReportActionFailure', { action: 'DeleteServer', reason: 'LibvirtError' });
    expect(server.view).toMatchObject({ status: 'ERROR', taskState: null });
    server.execute('DeleteServer');
    expect(server.execute('ReportActionSuccess', succeeded('DeleteServer').data).at(-1)).toMatchObject({
      type: 'ServerDeleted',
      data: { host: 'host-1' },
    });
  });

  test('needs no report where no host has anything of the server', () => {
    const offloaded = anObservedServer({ vmState: 'shelved_offloaded' });
    offloaded.execute('DeleteServer');
    expect(offloaded.view.status).toBe('DELETED');

    const failed = aServer();
    failed.execute('CreateServer');
    failed.execute('ReportBuildFailure', { reason: 'NoValidHost' });
    expect(failed.refusalOf('SoftDeleteServer')).toBe('server-not-launched');
    failed.execute('ForceDeleteServer');
    expect(failed.view.status).toBe('DELETED');
  });

  test('may be taken back while it is soft', () => {
    const server = aRunningServer();
    server.execute('SoftDeleteServer');
    expect(server.decide('SoftDeleteServer')).toEqual([]);
    server.execute('ReportActionSuccess', { action: 'SoftDeleteServer' });
    expect(server.view.status).toBe('SOFT_DELETED');
    server.execute('RestoreServer');
    server.execute('ReportActionSuccess', { action: 'RestoreServer' });
    expect(server.view).toMatchObject({ status: 'ACTIVE', powerState: 1 });
  });
});
