import { describe, expect, test } from 'vitest';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import { type Resource, story } from '../../support/story.ts';
import { aRunningServer, aServer } from './support.ts';

const portId = (digit: number): string => `${digit}`.repeat(8).concat('-0000-4000-8000-000000000000');
const [p1, p2] = [portId(1), portId(2)];
const plugged = (tag: string, more: object = {}) => ({ name: 'network-vif-plugged', tag, ...more });
const wait = (tag: string, more: object = {}) => ({ event: 'network-vif-plugged', tag, ...more });

const created = { type: 'CreateServer', data: { name: 'web-1', ports: [p1, p2] } };
const scheduled = { type: 'ServerScheduled', data: { host: 'host-1' } };
const spawning = { type: 'ReportBuildProgress', data: { taskState: 'spawning' } };
const booting = [created, scheduled, spawning];

/** The ports as the ledger knows them when the boot looks. */
function withPorts(server: Resource<Server>, ports: Record<string, object>): void {
  server.facts = { related: { stateOf: ({ id }: { id: string }) => ports[id] ?? null, heardAt: () => null } };
}

describe('a boot that waits for its ports', () => {
  story('waits for each of them on its host, all until the same moment', serverAggregate, booting, (it) =>
    it.state({
      status: 'BUILD',
      taskState: 'spawning',
      waits: [
        { event: 'network-vif-plugged', tag: p1, host: 'host-1', deadline: '2026-01-01T00:05:05.000Z', fatal: true },
        { event: 'network-vif-plugged', tag: p2, host: 'host-1', deadline: '2026-01-01T00:05:05.000Z' },
      ],
    }),
  );

  story('is ACTIVE once the guest runs and all are plugged, whichever comes last', serverAggregate, booting, (it) =>
    it
      .when('ReceiveExternalEvent', plugged(p1))
      .events('ExternalEventReceived')
      .when('ReportBuildSuccess', { powerState: 1 })
      .events('GuestReady')
      .state({ status: 'BUILD', waits: [{ tag: p1, result: 'completed' }, { tag: p2 }] })
      .when('ReportBuildSuccess', { powerState: 1 })
      .events()
      .when('ReceiveExternalEvent', plugged(p2))
      .events('ExternalEventReceived', 'BuildAttemptEnded', 'ServerStateChanged', 'ServerLaunched')
      .state({ status: 'ACTIVE', powerState: 1, waits: [], guestReady: null }),
  );

  story('waits although the report of spawning was lost', serverAggregate, [created, scheduled], (it) =>
    it
      .when('ReportBuildSuccess')
      .events('ServerStateChanged', 'ExternalEventsAwaited', 'GuestReady')
      .state({ status: 'BUILD', taskState: 'spawning' }),
  );

  story('fails at once when plugging fails for good', serverAggregate, booting, (it) =>
    it
      .when('ReceiveExternalEvent', plugged(p1, { status: 'failed' }))
      .events('ExternalEventReceived', 'BuildAttemptEnded', 'ServerMoved', 'ServerStateChanged')
      .state({
        status: 'ERROR',
        host: null,
        taskState: null,
        fault: {
          code: 500,
          message:
            'Build of instance 11111111-1111-1111-1111-111111111111 aborted: Failed to allocate the network(s), not rescheduling.',
        },
        attempts: [{ number: 1, host: 'host-1', outcome: 'failed', reason: 'BuildAbortException' }],
      }),
  );

  test('takes ports that are wired on this host as plugged, and no others', () => {
    const server = aServer();
    server.execute(created.type, created.data);
    server.execute(scheduled.type, scheduled.data);
    withPorts(server, {
      [p1]: { status: 'ACTIVE', binding: { host: 'host-1' } },
      [p2]: { status: 'ACTIVE', binding: { host: 'host-0' } },
    });
    server.execute('ReportBuildSuccess');
    expect(server.view).toMatchObject({ status: 'BUILD', waits: [{ tag: p1, result: 'completed' }, { tag: p2 }] });
    expect((server.view.waits as object[])[1]).not.toHaveProperty('result');
  });

  test('does not wait for a port that nobody reports on, nor at all where the timeout is 0', () => {
    const server = aServer();
    server.execute(created.type, created.data);
    server.execute(scheduled.type, scheduled.data);
    withPorts(server, {
      [p1]: { status: 'DOWN', binding: { host: 'host-1', vnicType: 'remote-managed' } },
      [p2]: { status: 'ACTIVE' },
    });
    server.execute('ReportBuildSuccess');
    expect(server.view.status).toBe('ACTIVE');

    const hasty = aServer({ vifPluggingTimeoutMs: 0 });
    for (const { type, data } of booting) hasty.execute(type, data);
    expect(hasty.view.waits).toEqual([]);
  });

  test('keeps what it is told about ports made on the way', () => {
    const server = aServer();
    server.execute('CreateServer', { ports: [p1] });
    server.execute('ServerScheduled', { host: 'host-1' });
    const networking = { taskState: 'networking', ports: [p1, p2, p2] };
    expect(server.execute('ReportBuildProgress', networking).map(({ type }) => type)).toEqual([
      'PortAttached',
      'ServerStateChanged',
    ]);
    expect(server.execute('ReportBuildProgress', networking)).toEqual([]);
    expect(server.view).toMatchObject({ ports: [p1, p2], ownPorts: [p2] });
  });
});

describe('a boot whose ports are not plugged in time', () => {
  const deadline = { name: 'external event timeout', at: '2026-01-01T00:05:05.000Z' };

  test('ends in ERROR by the clock, once', () => {
    const server = aServer();
    for (const { type, data } of booting) server.execute(type, data);
    server.execute('ReceiveExternalEvent', plugged(p2));
    expect(serverAggregate.deadlines!(server.state!, null)).toEqual([
      { name: deadline.name, at: deadline.at, command: { type: 'DeadlinePassed', data: deadline } },
    ]);
    expect(server.execute('DeadlinePassed', deadline)).toEqual([]); // not yet

    server.now = Date.parse(deadline.at);
    const events = server.execute('DeadlinePassed', deadline);
    expect(events.filter(({ type }) => type === 'ServerStateChanged')).toHaveLength(1);
    expect(events[0]).toEqual({
      type: 'ExternalEventsTimedOut',
      data: { waits: [{ event: 'network-vif-plugged', tag: p1, host: 'host-1' }] },
    });
    expect(server.view).toMatchObject({ status: 'ERROR', host: null });
    expect(server.execute('DeadlinePassed', deadline)).toEqual([]);
    expect(serverAggregate.deadlines!(server.state!, null)).toEqual([]);
  });

  test('goes on without them where that is not fatal, and says which never came', () => {
    const server = aServer({ vifPluggingIsFatal: false });
    for (const { type, data } of booting) server.execute(type, data);
    server.execute('ReceiveExternalEvent', plugged(p2));
    server.now = Date.parse(deadline.at);
    server.execute('DeadlinePassed', deadline);
    expect(server.view).toMatchObject({ status: 'BUILD', waits: [{ result: 'timed-out' }, { result: 'completed' }] });
    expect(server.execute('ReceiveExternalEvent', plugged(p1))).toMatchObject([{ data: { verdict: 'late' } }]);
    server.execute('ReportBuildSuccess');
    expect(server.view.status).toBe('ACTIVE');
  });

  test('replays the same whatever the settings are by then', () => {
    const server = aServer({ vifPluggingTimeoutMs: 10_000 });
    for (const { type, data } of booting) server.execute(type, data);
    server.facts = { settings: { vifPluggingTimeoutMs: 0, vifPluggingIsFatal: false } };
    const [{ at, command } = { at: '', command: { type: '', data: {} } }] = serverAggregate.deadlines!(
      server.state!,
      null,
    );
    server.now = Date.parse(at);
    server.execute(command.type, command.data);
    expect(server.view.status).toBe('ERROR');
  });
});

describe('C005: a plug event that is quicker than the server that waits for it', () => {
  const reverting = () => {
    const server = aRunningServer();
    server.execute('ResizeServer', { flavorRef: 'large' });
    server.execute('ReportActionSuccess', { action: 'ResizeServer', host: 'host-2' });
    return server;
  };

  test('ends the wait at the moment it begins', () => {
    const server = reverting();
    server.execute('RevertResize');
    server.execute('ReceiveExternalEvent', plugged(p1));
    server.execute('ReportActionProgress', { action: 'RevertResize', waitFor: [wait(p1)] });
    expect(server.view.waits).toMatchObject([{ tag: p1, result: 'completed' }]);
    expect(serverAggregate.deadlines!(server.state!, null)).toEqual([]);
    server.execute('ReportActionSuccess', { action: 'RevertResize', host: 'host-1' });
    expect(server.view).toMatchObject({ status: 'ACTIVE', host: 'host-1' });
  });

  test('does not count where it came before the revert began', () => {
    const server = reverting();
    server.execute('ReceiveExternalEvent', plugged(p1));
    server.execute('RevertResize');
    server.execute('ReportActionProgress', { action: 'RevertResize', waitFor: [wait(p1)] });
    expect(server.view.waits).toEqual([expect.not.objectContaining({ result: expect.anything() })]);
  });

  test('does not count where it speaks of an earlier binding of the port', () => {
    const server = reverting();
    server.execute('RevertResize');
    server.execute('ReceiveExternalEvent', plugged(p1, { generation: 3 }));
    server.execute('ReportActionProgress', { action: 'RevertResize', waitFor: [wait(p1, { generation: 4 })] });
    expect(server.execute('ReceiveExternalEvent', plugged(p1, { generation: 2 }))).toMatchObject([
      { data: { verdict: 'other-binding' } },
    ]);
    expect(server.execute('ReceiveExternalEvent', plugged(p1, { generation: 4 }))).toMatchObject([
      { data: { verdict: 'satisfied' } },
    ]);
  });

  test('is taken back by an unplugging', () => {
    const server = reverting();
    server.execute('RevertResize');
    server.execute('ReceiveExternalEvent', plugged(p1));
    server.execute('ReceiveExternalEvent', { name: 'network-vif-unplugged', tag: p1 });
    server.execute('ReportActionProgress', { action: 'RevertResize', waitFor: [wait(p1)] });
    expect(server.view.waits).toEqual([expect.not.objectContaining({ result: expect.anything() })]);
  });

  test('of one attempt says nothing to the next, but where it names the next host', () => {
    const server = aServer();
    server.execute('CreateServer', { ports: [p1] });
    server.execute('ServerScheduled', { host: 'host-1' });
    server.execute('ReceiveExternalEvent', plugged(p1));
    server.execute('ReportBuildFailure', { reason: 'InstanceFault' });
    server.execute('ReceiveExternalEvent', plugged(p1)); // a straggler
    server.execute('ServerScheduled', { host: 'host-2' });
    server.execute('ReceiveExternalEvent', plugged(p1, { host: 'host-1' }));
    server.execute('ReportBuildProgress', { taskState: 'spawning' });
    expect(server.view.waits).toEqual([expect.not.objectContaining({ result: expect.anything() })]);
  });
});

describe('C013: a port that flaps while its server is rebuilt', () => {
  const rebuilding = () => {
    const server = aRunningServer();
    server.execute('RebuildServer', { imageRef: 'cirros' });
    server.execute('ReportActionProgress', {
      action: 'RebuildServer',
      taskState: 'rebuild_spawning',
      waitFor: [wait(p1)],
    });
    server.execute('ReportActionSuccess', { action: 'RebuildServer' });
    return server;
  };

  test('does not fail it by a failure that may pass', () => {
    const server = rebuilding();
    expect(server.execute('ReceiveExternalEvent', plugged(p1, { status: 'failed', retryable: true }))).toMatchObject([
      { type: 'ExternalEventReceived', data: { verdict: 'retryable' } },
    ]);
    expect(server.view).toMatchObject({ status: 'REBUILD', waits: [{ tag: p1 }] });
    server.execute('ReceiveExternalEvent', { name: 'network-vif-unplugged', tag: p1 });
    server.execute('ReceiveExternalEvent', plugged(p1));
    expect(server.view.status).toBe('ACTIVE');
    expect(server.execute('ReceiveExternalEvent', { name: 'network-vif-unplugged', tag: p1 })).toHaveLength(1);
    expect(server.execute('ReceiveExternalEvent', plugged(p1))).toHaveLength(1);
    expect(server.view.status).toBe('ACTIVE');
  });

  test('fails it by one that is final, and the event that did it is in the same append', () => {
    const server = rebuilding();
    const events = server.execute('ReceiveExternalEvent', plugged(p1, { status: 'failed' }));
    expect(events).toMatchObject([
      { type: 'ExternalEventReceived', data: { verdict: 'failed' } },
      {
        type: 'ServerStateChanged',
        data: { to: { vmState: 'error' }, fault: { kind: 'VirtualInterfaceCreateException' } },
      },
      { type: 'ServerActionEnded', data: { result: 'failed', outcome: 'unknown' } },
    ]);
  });
});

describe('a live migration that waits for the wiring of its destination', () => {
  test('is not deceived by the source', () => {
    const server = aRunningServer();
    server.execute('LiveMigrateServer', { host: 'host-2' });
    server.execute('ReportActionProgress', { action: 'LiveMigrateServer', waitFor: [wait(p1, { host: 'host-2' })] });
    const from = (host: string) => server.execute('ReceiveExternalEvent', plugged(p1, { host }));
    expect(from('host-1')).toMatchObject([{ data: { verdict: 'other-binding' } }]);
    expect(from('host-2')).toMatchObject([{ data: { verdict: 'satisfied' } }]);
    expect(from('host-2')).toEqual([]);
    server.execute('ReportActionSuccess', { action: 'LiveMigrateServer', host: 'host-2' });
    expect(server.view).toMatchObject({ status: 'ACTIVE', host: 'host-2', lastOperation: { result: 'succeeded' } });
  });
});

describe('C076: an event that cannot come', () => {
  test('is not waited for: the worker names those that can', () => {
    const server = aRunningServer();
    server.execute('RebootServer', { type: 'HARD' });
    server.execute('ReportActionProgress', { action: 'HardRebootServer', waitFor: [wait(p1)] });
    expect(server.view.waits).toMatchObject([{ tag: p1 }]);
  });

  test('is waived when that turns out, and the build goes on', () => {
    const server = aServer();
    for (const { type, data } of booting) server.execute(type, data);
    server.execute('ReceiveExternalEvent', plugged(p1));
    server.execute('ReportBuildSuccess');
    expect(server.execute('WaiveExternalEvents', { events: [wait(p2)] }).map(({ type }) => type)).toEqual([
      'ExternalEventsWaived',
      'BuildAttemptEnded',
      'ServerStateChanged',
      'ServerLaunched',
    ]);
    expect(server.execute('WaiveExternalEvents', { events: [wait(p2)] })).toEqual([]);
  });
});

describe('C075: an event that nobody can use', () => {
  const running = [{ type: 'CreateServer' }, scheduled, { type: 'ReportBuildSuccess' }];

  story('is recorded where nobody waits, and once', serverAggregate, running, (it) =>
    it
      .when('ReceiveExternalEvent', plugged(p1))
      .leadsTo({
        type: 'ExternalEventReceived',
        data: { name: 'network-vif-plugged', status: 'completed', tag: p1, verdict: 'kept' },
      })
      .when('ReceiveExternalEvent', plugged(p1))
      .events(),
  );

  story('is refused where the server is deleted, or is nowhere', serverAggregate, running, (it) =>
    it
      .when('DeleteServer')
      .when('ReportActionSuccess', { action: 'DeleteServer' })
      .when('ReceiveExternalEvent', plugged(p1))
      .refused('server-deleted'),
  );

  story('is refused while the server is on no host', serverAggregate, [{ type: 'CreateServer' }], (it) =>
    it
      .when('ReceiveExternalEvent', plugged(p1))
      .events('ExternalEventReceived') // a host is sought: it may be about the one that is found
      .when('ReportBuildFailure', { reason: 'NoValidHost' })
      .when('ReceiveExternalEvent', plugged(p2))
      .refused('server-without-host'),
  );

  test('is malformed without the tag that tells what it is about, or under a name Nova has not', () => {
    const server = aRunningServer();
    expect(() => server.decide('ReceiveExternalEvent', { name: 'volume-extended' })).toThrow(/is required/);
    expect(() => server.decide('ReceiveExternalEvent', { name: 'network-vif-polished' })).toThrow();
    expect(() => server.decide('ReceiveExternalEvent', plugged('x'.repeat(256)))).toThrow();
    expect(server.decide('ReceiveExternalEvent', { name: 'network-changed' })).toHaveLength(1);
  });
});

describe('an event that changes the server itself', () => {
  test('takes away a port that Neutron has deleted', () => {
    const server = aServer();
    server.execute('CreateServer', { ports: [p1, p2] });
    server.execute('ServerScheduled', { host: 'host-1' });
    server.execute('ReceiveExternalEvent', { name: 'network-vif-deleted', tag: p1 });
    expect(server.view.ports).toEqual([p2]);
    expect(server.execute('ReceiveExternalEvent', { name: 'network-vif-deleted', tag: p1 })).toEqual([]);
  });

  test('stops and starts a server whose machine was switched from outside, if it is idle', () => {
    const server = aRunningServer();
    const update = (tag: string) => server.execute('ReceiveExternalEvent', { name: 'power-update', tag });
    update('POWER_OFF');
    expect(server.view).toMatchObject({ taskState: 'powering-off', operation: { action: 'StopServer' } });
    expect(update('POWER_OFF')).toEqual([]);
    server.execute('ReportActionSuccess', { action: 'StopServer' });
    expect(server.view.status).toBe('SHUTOFF');

    update('POWER_ON');
    server.execute('ReportActionSuccess', { action: 'StartServer' });
    expect(server.view.status).toBe('ACTIVE');
    update('POWER_ON');
    expect(server.view).toMatchObject({ status: 'ACTIVE', taskState: null });
  });
});
