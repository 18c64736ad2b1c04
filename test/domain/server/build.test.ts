import { describe, expect, test } from 'vitest';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import { type Resource, story } from '../../support/story.ts';
import { aServer } from './support.ts';

const id = '11111111-1111-1111-1111-111111111111';
const created = { type: 'CreateServer', data: { name: 'web-1' } };
const on = (host: string, more: object = {}) => ({ type: 'ServerScheduled', data: { host, ...more } });
const failed = (reason: string, more: object = {}) => ({ type: 'ReportBuildFailure', data: { reason, ...more } });

describe('a server that is asked for', () => {
  story('is sought a host for, and is told by what it was given', serverAggregate, [], (it) =>
    it
      .when('CreateServer', { name: 'web-1', flavorRef: 'small', reservationId: 'r-1', projectId: 'demo' })
      .events('ServerCreated', 'BuildStarted')
      .state({
        name: 'web-1',
        status: 'BUILD',
        vmState: 'building',
        taskState: 'scheduling',
        powerState: 0,
        host: null,
        fault: null,
        pending: null,
        attempts: [],
        reservationId: 'r-1',
      })
      .when('CreateServer', { name: 'web-1', flavorRef: 'small', reservationId: 'r-1', projectId: 'demo' })
      .events()
      .when('CreateServer', { name: 'web-2' })
      .refused('server-exists'),
  );

  story('runs once its builder says so', serverAggregate, [created, on('host-1')], (it) =>
    it
      .state({ host: 'host-1', taskState: null, attempts: [{ number: 1, host: 'host-1', outcome: 'running' }] })
      .when('ServerScheduled', { host: 'host-1' })
      .events()
      .when('ReportBuildProgress', { taskState: 'spawning' })
      .events('ServerStateChanged')
      .when('ReportBuildProgress', { taskState: 'networking' }) // overtaken on its way
      .events()
      .when('ReportBuildSuccess')
      .leadsTo(
        { type: 'BuildAttemptEnded', data: { number: 1, host: 'host-1', outcome: 'succeeded' } },
        {
          type: 'ServerStateChanged',
          data: {
            from: { vmState: 'building', taskState: 'spawning', powerState: 0 },
            to: { vmState: 'active', taskState: null, powerState: 1 },
            cause: 'ReportBuildSuccess',
          },
        },
        { type: 'ServerLaunched', data: { host: 'host-1' } },
      )
      .state({ status: 'ACTIVE', launchedAt: '2026-01-01T00:00:09.000Z', build: null })
      .when('ReportBuildSuccess')
      .events(),
  );

  story('on bare metal is told with its node', serverAggregate, [created], (it) =>
    it
      .when('ServerScheduled', { host: 'ironic-1', nodeId: id })
      .state({ host: 'ironic-1', nodeId: id })
      .when('ReportBuildFailure', { reason: 'InstanceDeployFailure' })
      .state({ host: null, taskState: 'scheduling' }),
  );
});

/** Every way in which a build was seen to fail, and what became of it. */
const failures: readonly {
  title: string;
  settings?: object;
  given: { type: string; data: object }[];
  failure: { type: string; data: object };
  expected: object;
}[] = [
  {
    title: 'no host has room',
    given: [],
    failure: failed('NoValidHost'),
    expected: {
      status: 'ERROR',
      host: null,
      fault: { message: 'No valid host was found. There are not enough hosts available.' },
    },
  },
  {
    title: 'no host has room, and such servers wait',
    settings: { usePendingState: true },
    given: [],
    failure: failed('NoValidHost'),
    expected: { status: 'PENDING', host: null, fault: null, pending: { reason: 'NoValidHost', attempt: 1 } },
  },
  {
    title: 'no host has room, told over a message bus',
    settings: { usePendingState: true },
    given: [],
    failure: failed('NoValidHost_Remote'),
    expected: { status: 'PENDING', pending: { reason: 'NoValidHost' } },
  },
  {
    title: 'a request filter finds no host',
    settings: { usePendingState: true },
    given: [],
    failure: failed('RequestFilterFailed'),
    expected: { status: 'PENDING' },
  },
  {
    title: 'the scheduler itself says that retries are used up',
    settings: { usePendingState: true },
    given: [],
    failure: failed('MaxRetriesExceeded_Remote'),
    expected: { status: 'ERROR' },
  },
  ...['NovaException', 'MessagingTimeout', 'HostMappingNotFound', 'TooManyInstances', 'ComputeHostNotFound'].map(
    (reason) => ({
      title: `the search for a host fails otherwise: ${reason}`,
      settings: { usePendingState: true },
      given: [],
      failure: failed(reason, { message: 'scheduler exploded' }),
      expected: { status: 'ERROR', host: null, fault: { code: 500, kind: reason, message: 'scheduler exploded' } },
    }),
  ),
  ...['NovaException', 'ComputeResourcesUnavailable', 'RescheduledException', 'LibvirtError'].map((reason) => ({
    title: `a host fails for reasons of its own: ${reason}`,
    given: [on('host-1')],
    failure: failed(reason),
    expected: {
      status: 'BUILD',
      taskState: 'scheduling',
      host: null,
      fault: null,
      faults: [{ kind: reason }],
      attempts: [{ number: 1, host: 'host-1', outcome: 'failed', reason }],
    },
  })),
  ...['BuildAbortException', 'NoMoreNetworks', 'VirtualInterfaceCreateException', 'ImageUnacceptable'].map(
    (reason) => ({
      title: `the failure would be the same everywhere: ${reason}`,
      given: [on('host-1', { alternates: ['host-2'] })],
      failure: failed(reason),
      expected: { status: 'ERROR', taskState: null, host: null, fault: { kind: reason } },
    }),
  ),
  {
    title: 'a host finds no room after it was chosen',
    settings: { usePendingState: true },
    given: [on('host-1')],
    failure: failed('NoValidHost'),
    expected: { status: 'ERROR' },
  },
  {
    title: 'no other host is left when one has failed',
    settings: { usePendingState: true },
    given: [on('host-1'), failed('LibvirtError')],
    failure: failed('NoValidHost'),
    expected: { status: 'ERROR' },
  },
  {
    title: 'all alternates were tried',
    given: [on('host-1', { alternates: ['host-2'] }), failed('LibvirtError', { host: 'host-1' }), on('host-2')],
    failure: failed('LibvirtError', { host: 'host-2' }),
    expected: {
      status: 'ERROR',
      host: null,
      fault: {
        kind: 'MaxRetriesExceeded',
        message: `Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance ${id}.`,
      },
    },
  },
  {
    title: 'the last permitted attempt fails',
    settings: { usePendingState: true },
    given: [
      on('host-1'),
      failed('NovaException', { message: 'boom', host: 'host-1' }),
      on('host-3'),
      failed('NovaException', { message: 'boom', host: 'host-3' }),
      on('host-2'),
    ],
    failure: failed('NovaException', { message: 'boom', host: 'host-2' }),
    expected: {
      status: 'ERROR',
      host: null,
      fault: {
        code: 500,
        message: `Exceeded maximum number of retries. Exceeded max scheduling attempts 3 for instance ${id}. Last exception: boom`,
      },
      attempts: [{ host: 'host-1' }, { host: 'host-3' }, { host: 'host-2' }],
    },
  },
  {
    title: 'the one permitted attempt fails: its own reason is told',
    settings: { maxAttempts: 1 },
    given: [on('host-1')],
    failure: failed('NovaException', { message: 'boom' }),
    expected: { status: 'ERROR', fault: { kind: 'NovaException', message: 'boom' } },
  },
];

describe('a build that fails', () => {
  test.each(failures)('$title', ({ settings, given, failure, expected }) => {
    const server = aServer(settings);
    for (const { type, data } of [created, ...given]) server.execute(type, data);
    server.execute(failure.type, failure.data);
    expect(server.view).toMatchObject(expected);
    expect(server.execute(failure.type, failure.data)).toEqual([]);
  });

  test('by a restart of its compute says so, although Nova writes no fault', () => {
    const server = aServer();
    for (const { type, data } of [created, on('host-1')]) server.execute(type, data);
    expect(server.execute('ReportComputeRestart', { host: 'host-2' })).toEqual([]);
    server.execute('ReportComputeRestart', { host: 'host-1' });
    expect(server.view).toMatchObject({ status: 'ERROR', host: 'host-1', fault: { kind: 'ComputeRestarted' } });
    expect(server.execute('ReportComputeRestart', { host: 'host-1' })).toEqual([]);
  });

  test('by taking too long, where a build may not take for ever', () => {
    const server = aServer({ buildTimeoutMs: 60_000 });
    server.execute('CreateServer');
    const [deadline] = serverAggregate.deadlines!(server.state!, null);
    expect(deadline).toMatchObject({ name: 'build timeout', at: '2026-01-01T00:01:00.000Z' });
    server.now = Date.parse(deadline!.at);
    server.execute('DeadlinePassed', deadline!.command.data);
    expect(server.view).toMatchObject({ status: 'ERROR', taskState: null, fault: { kind: 'BuildTimeout' } });
    expect(server.execute('DeadlinePassed', deadline!.command.data)).toEqual([]);
  });

  test('is told in at most 255 characters', () => {
    const server = aServer();
    server.execute('CreateServer');
    server.execute('ReportBuildFailure', { reason: 'NovaException', message: 'x'.repeat(1000), code: 403 });
    expect(server.view.fault).toMatchObject({ code: 403, message: 'x'.repeat(255) });
  });
});

describe('C073: deletion is only ever an explicit event', () => {
  test('a second attempt runs although the first one failed, and nothing but a deletion ends it', () => {
    const server = aServer();
    for (const { type, data } of [created, on('host-1'), failed('LibvirtError'), on('host-2')])
      server.execute(type, data);
    expect(server.view).toMatchObject({
      status: 'BUILD',
      host: 'host-2',
      attempts: [
        { number: 1, host: 'host-1', outcome: 'failed' },
        { number: 2, host: 'host-2', outcome: 'running' },
      ],
    });
    server.execute('ReportBuildSuccess', { attempt: 2 });
    expect(server.view).toMatchObject({ status: 'ACTIVE', faults: [{ kind: 'LibvirtError' }], fault: null });
  });

  test('shows in a later error what is wrong then, and not what another host has made good', () => {
    const server = aServer();
    for (const { type, data } of [created, on('host-1'), failed('LibvirtError'), on('host-2')])
      server.execute(type, data);
    server.execute('ReportBuildSuccess', { attempt: 2 });
    server.execute('ResetServerState', { state: 'error' });
    expect(server.view).toMatchObject({ status: 'ERROR', fault: null, faults: [{ kind: 'LibvirtError' }] });

    server.execute('ResetServerState', { state: 'active' });
    server.execute('RebuildServer');
    server.execute('ReportActionFailure', { action: 'RebuildServer', reason: 'ImageNotFound', outcome: 'unknown' });
    expect(server.view).toMatchObject({ status: 'ERROR', fault: { kind: 'ImageNotFound' } });
    server.execute('ResetServerState', { state: 'active' });
    server.execute('ResetServerState', { state: 'error' });
    expect(server.view).toMatchObject({ status: 'ERROR', fault: { kind: 'ImageNotFound' } });
  });

  test('of several servers asked for at once, the deletion of one is nothing to the others', () => {
    const servers = [1, 2, 3, 4].map(() => aServer());
    for (const server of servers) server.execute('CreateServer', { reservationId: 'r-1' });
    servers[1]!.execute('DeleteServer');
    for (const server of servers.filter((_, index) => index !== 1)) {
      server.execute('ServerScheduled', { host: 'host-1' });
      server.execute('ReportBuildSuccess');
    }
    expect(servers.map(({ view }) => view.status)).toEqual(['ACTIVE', 'DELETED', 'ACTIVE', 'ACTIVE']);
  });
});

describe('reports that come late, twice, or from elsewhere', () => {
  const exhausted = [
    created,
    ...['host-1', 'host-2', 'host-3'].flatMap((host) => [on(host), failed('Boom', { host })]),
  ];

  story('say again that no attempt is left, as a conductor does', serverAggregate, exhausted, (it) =>
    it
      .state({ status: 'ERROR', fault: { kind: 'MaxRetriesExceeded' } })
      .when('ReportBuildFailure', { reason: 'MaxRetriesExceeded' })
      .events()
      .when('ReportBuildFailure', { reason: 'Boom', host: 'host-3' })
      .events()
      .when('ReportBuildFailure', { reason: 'QuotaError' })
      .refused('server-in-wrong-state'),
  );

  const second = [created, on('host-1'), failed('LibvirtError'), on('host-2')];

  story('do not disturb the attempt that runs', serverAggregate, second, (it) =>
    it
      .when('ReportBuildFailure', { reason: 'LibvirtError', host: 'host-1' })
      .events()
      .when('ReportBuildSuccess', { attempt: 1 })
      .events()
      .when('ReportBuildProgress', { taskState: 'spawning', host: 'host-1' })
      .events()
      .state({ host: 'host-2', taskState: null })
      .when('ServerScheduled', { host: 'host-3' })
      .refused('server-scheduled')
      .when('ReportBuildProgress', { taskState: 'networking', host: 'host-2', attempt: 2 })
      .events('ServerStateChanged'),
  );

  story('are refused before a host is chosen', serverAggregate, [created], (it) =>
    it
      .when('ReportBuildProgress', { taskState: 'networking' })
      .refused('server-not-scheduled')
      .when('ReportBuildSuccess')
      .refused('server-not-scheduled'),
  );

  story('never wake a server that was deleted while a host was sought', serverAggregate, [created], (it) =>
    it
      .when('DeleteServer')
      .state({ status: 'DELETED' })
      .when('ServerScheduled', { host: 'host-1' })
      .refused('server-deleted')
      .when('ReportBuildFailure', { reason: 'NoValidHost' })
      .refused('server-deleted')
      .when('CreateServer', created.data)
      .refused('server-deleted')
      .when('DeleteServer')
      .events()
      .state({ status: 'DELETED' }),
  );

  story('never revive a build whose deletion has begun', serverAggregate, [created, on('host-1')], (it) =>
    it
      .when('DeleteServer')
      .state({ vmState: 'building', taskState: 'deleting', attempts: [{ outcome: 'abandoned' }] })
      .when('ReportBuildSuccess', { host: 'host-1' })
      .events()
      .when('ReportBuildSuccess')
      .refused('server-busy')
      .when('ServerScheduled', { host: 'host-2' })
      .refused('server-busy')
      .when('ReportActionFailure', { action: 'DeleteServer', reason: 'LibvirtError' })
      .state({ status: 'ERROR', build: null, operation: null }),
  );

  story(
    'are refused when the build is over',
    serverAggregate,
    [created, on('host-1'), { type: 'ReportBuildSuccess' }],
    (it) =>
      it
        .when('ServerScheduled', { host: 'host-2' })
        .refused('server-in-wrong-state')
        .when('ReportBuildFailure', { reason: 'LibvirtError' })
        .refused('server-in-wrong-state')
        .when('ReportBuildFailure', { reason: 'LibvirtError', attempt: 1 })
        .events(),
  );
});

describe('C048: what a failed build leaves behind', () => {
  test('is named when the server is deleted: the ports that were its own, and those that were lent to it', () => {
    const [lent, own] = ['11111111-0000-4000-8000-000000000000', '22222222-0000-4000-8000-000000000000'];
    const server: Resource<Server> = aServer({ maxAttempts: 2 });
    server.execute('CreateServer', { ports: [lent] });
    server.execute('ServerScheduled', { host: 'host-1' });
    server.execute('ReportBuildProgress', { taskState: 'networking', ports: [own] });
    expect(server.execute('ReportBuildFailure', { reason: 'LibvirtError' })).toContainEqual({
      type: 'ServerMoved',
      data: { from: 'host-1', to: null, nodeId: null },
    });
    server.execute('ServerScheduled', { host: 'host-2' });
    server.execute('ReportBuildFailure', { reason: 'LibvirtError', host: 'host-2' });
    expect(server.view).toMatchObject({ status: 'ERROR', host: null, ports: [lent, own], ownPorts: [own] });
    expect(server.execute('DeleteServer').at(-1)).toEqual({
      type: 'ServerDeleted',
      data: { host: null, nodeId: null, ports: [lent, own], ownPorts: [own] },
    });
  });
});
