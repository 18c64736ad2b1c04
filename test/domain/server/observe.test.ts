import { describe, expect, test } from 'vitest';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import { isExpected } from '../../../src/domain/server/paths.ts';
import { story } from '../../support/story.ts';
import { anObservedServer, aRunningServer, aServer, readVectors } from './support.ts';

const nova = (state: object) => ({ source: 'nova', ...state });
const portId = '33333333-3333-4333-8333-333333333333';

describe('a server that an outside system has', () => {
  story('is taken into the ledger as it is seen', serverAggregate, [], (it) =>
    it
      .when('ObserveServer', nova({ vmState: 'paused', powerState: 3, host: 'host-1', name: 'db-1', ports: [portId] }))
      .events('ServerDiscovered')
      .state({
        status: 'PAUSED',
        powerState: 3,
        host: 'host-1',
        name: 'db-1',
        ports: [portId],
        launchedAt: expect.anything(),
      })
      .when('ObserveServer', nova({ vmState: 'paused', powerState: 3, host: 'host-1', name: 'db-1', ports: [portId] }))
      .events()
      .when('UnpauseServer')
      .state({ taskState: 'unpausing' }),
  );

  story('and is being built goes on by observation or by report', serverAggregate, [], (it) =>
    it
      .when('ObserveServer', nova({ vmState: 'building', taskState: 'scheduling' }))
      .events('ServerDiscovered', 'BuildStarted')
      .when('ObserveServer', nova({ vmState: 'building', taskState: 'spawning', host: 'host-1' }))
      .events('ServerObserved', 'ServerStateChanged', 'ServerMoved', 'BuildAttemptStarted')
      .state({ attempts: [{ number: 1, host: 'host-1', outcome: 'running' }] })
      .when('ReportBuildSuccess', { host: 'host-1' })
      .state({ status: 'ACTIVE' }),
  );

  test.each([
    ['building', 'spawning', 'BUILD'],
    ['pending', null, 'PENDING'],
    ['deleted', null, 'DELETED'],
  ])('%s/%s is complete', (vmState, taskState, status) => {
    const server = anObservedServer({ vmState, taskState, host: vmState === 'pending' ? null : 'host-1' });
    expect(server.view).toMatchObject({
      status,
      build: vmState === 'building' ? { round: 1, attempt: 1 } : null,
      pending: vmState === 'pending' ? { reason: 'observed', attempt: 1 } : null,
    });
    expect('deletedAt' in server.view).toBe(status === 'DELETED');
  });
});

describe('a known server that is seen in a state', () => {
  test('ends what was going on as the state says', () => {
    const stopped = aRunningServer();
    stopped.execute('StopServer');
    stopped.execute('ObserveServer', nova({ vmState: 'stopped', powerState: 4 }));
    expect(stopped.view).toMatchObject({ status: 'SHUTOFF', lastOperation: { result: 'succeeded' } });

    const failed = aRunningServer();
    failed.execute('StopServer');
    failed.execute('ObserveServer', nova({ vmState: 'error' }));
    expect(failed.view).toMatchObject({ status: 'ERROR', lastOperation: { result: 'failed', outcome: 'unknown' } });

    const other = aRunningServer();
    other.execute('StopServer');
    other.execute('ObserveServer', nova({ vmState: 'active', taskState: 'pausing' }));
    expect(other.view).toMatchObject({ operation: null, lastOperation: { result: 'superseded' } });

    const onItsWay = aRunningServer();
    onItsWay.execute('RebootServer');
    onItsWay.execute('ObserveServer', nova({ vmState: 'active', taskState: 'reboot_started' }));
    expect(onItsWay.view).toMatchObject({ status: 'REBOOT', operation: { action: 'SoftRebootServer' } });

    const built = aServer();
    built.execute('CreateServer');
    built.execute('ServerScheduled', { host: 'host-1' });
    built.execute('ObserveServer', nova({ vmState: 'active', powerState: 1 }));
    expect(built.view).toMatchObject({ status: 'ACTIVE', attempts: [{ outcome: 'succeeded' }] });
    expect(built.view).toHaveProperty('launchedAt');
  });

  test('is not built again by the news that it is being deleted elsewhere', () => {
    const server = aServer();
    server.execute('CreateServer');
    server.execute('ServerScheduled', { host: 'host-1' });
    server.execute('DeleteServer');
    server.execute('ObserveServer', nova({ vmState: 'building', taskState: 'deleting', host: 'host-2' }));
    expect(server.view).toMatchObject({
      host: 'host-2',
      build: { attempt: null },
      operation: { action: 'DeleteServer' },
    });
    server.execute('ReportActionSuccess', { action: 'DeleteServer' });
    expect(server.view).toMatchObject({ status: 'DELETED', attempts: [{ outcome: 'abandoned' }] });
  });

  story('is told of what it was not told: host, flavor, ports', serverAggregate, [{ type: 'CreateServer' }], (it) =>
    it
      .when('ObserveServer', nova({ vmState: 'active', host: 'host-2', flavorRef: 'large', ports: [portId] }))
      .state({ host: 'host-2', flavorRef: 'large', ports: [portId], observation: { unexpected: false } })
      .when('ObserveServer', nova({ vmState: 'active', ports: [] }))
      .state({ host: 'host-2', ports: [] }),
  );

  test('is flagged where no rule leads there', () => {
    const server = aRunningServer();
    const observe = (state: object) =>
      server.execute('ObserveServer', nova(state)).find(({ type }) => type === 'ServerObserved')?.data;
    expect(observe({ vmState: 'active', taskState: 'powering-off' })).toMatchObject({ unexpected: false });
    expect(observe({ vmState: 'stopped' })).toMatchObject({ unexpected: false });
    expect(observe({ vmState: 'paused' })).toMatchObject({ unexpected: true });
    expect(observe({ vmState: 'building', taskState: 'scheduling' })).toMatchObject({ unexpected: true });
  });

  test('stays deleted, and the news is kept', () => {
    const server = aRunningServer();
    server.execute('ObserveServer', nova({ vmState: 'deleted' }));
    expect(server.view).toMatchObject({ status: 'DELETED', host: 'host-1' });
    expect(server.execute('ObserveServer', nova({ vmState: 'active' }))).toMatchObject([
      { type: 'ServerObserved', data: { unexpected: true } },
    ]);
    expect(server.execute('ObserveServer', nova({ vmState: 'active' }))).toEqual([]);
    expect(server.execute('ObserveServer', nova({ vmState: 'deleted' }))).toEqual([]);
    expect(server.view.status).toBe('DELETED');
  });
});

describe('what the rules lead to', () => {
  interface Row {
    vm_state: string;
    task_state: string | null;
  }
  const files = ['transitions-observed.json', 'transitions-observed-softdelete.json'];
  const recorded = files.flatMap(
    (file) => readVectors<{ actions: { action: string; db_transitions: { from: Row; to: Row }[] }[] }>(file).actions,
  );
  const place = ({ vm_state, task_state }: Row) => ({ vmState: vm_state, taskState: task_state }) as never;

  test.each(recorded.map((action, index) => ({ ...action, title: `${index + 1}. ${action.action}` })))(
    'each step of $title, and all of it at once',
    ({ db_transitions }) => {
      for (const { from, to } of db_transitions) expect(isExpected(place(from), place(to))).toBe(true);
      const [first, last] = [db_transitions[0]?.from, db_transitions.at(-1)?.to];
      if (first && last) expect(isExpected(place(first), place(last))).toBe(true);
    },
  );

  test.each([
    ['stopped', null, 'paused', null],
    ['deleted', null, 'active', null],
    ['active', null, 'pending', null],
    ['pending', null, 'active', null],
    ['active', 'pausing', 'stopped', null],
    ['active', 'reboot_started', 'active', 'rebooting'],
    ['shelved', null, 'resized', null],
  ])('not from %s/%s to %s/%s', (fromVm, fromTask, toVm, toTask) => {
    expect(
      isExpected(place({ vm_state: fromVm, task_state: fromTask }), place({ vm_state: toVm, task_state: toTask })),
    ).toBe(false);
  });
});

describe('an observation of a server that comes late', () => {
  const at = (second: number): string => new Date(Date.UTC(2026, 4, 1, 12, 0, second)).toISOString();

  story('is recorded once and changes nothing', serverAggregate, [], (it) =>
    it
      .when('ObserveServer', nova({ vmState: 'building', taskState: 'spawning', observedAt: at(1) }))
      .when('ObserveServer', nova({ vmState: 'active', powerState: 1, observedAt: at(9) }))
      .when('ObserveServer', nova({ vmState: 'building', taskState: 'networking', observedAt: at(5) }))
      .events('ServerObserved')
      .state({ status: 'ACTIVE', observation: { observedAt: at(9) }, lateObservation: { observedAt: at(5) } })
      .when('ObserveServer', nova({ vmState: 'building', taskState: 'networking', observedAt: at(5) }))
      .events(),
  );

  story('is late for one that was discovered, too, and counts where it tells of the end', serverAggregate, [], (it) =>
    it
      .when('ObserveServer', nova({ vmState: 'active', observedAt: at(9) }))
      .when('ObserveServer', nova({ vmState: 'stopped', observedAt: at(5) }))
      .state({ status: 'ACTIVE' })
      .when('ObserveServer', nova({ vmState: 'deleted', observedAt: at(5) }))
      .state({ status: 'DELETED' }),
  );
});

describe('what is said of a server in words that the rules do not know', () => {
  story('is kept as it was said, and the server stays usable', serverAggregate, [], (it) =>
    it
      .when('ObserveServer', nova({ vmState: 'quarantined', taskState: 'examining', host: 'host-1' }))
      .state({ vmState: 'quarantined', taskState: 'examining', status: 'UNKNOWN', observation: { unexpected: true } })
      .when('StopServer')
      .refused('server-in-wrong-state')
      .when('ObserveServer', nova({ vmState: 'active', powerState: 1 }))
      .state({ status: 'ACTIVE', observation: { unexpected: true } })
      .when('StopServer')
      .state({ taskState: 'powering-off' }),
  );

  story('is not needed for a failure, which is kept once', serverAggregate, [], (it) =>
    it
      .when('ObserveServer', nova({ vmState: 'error' }))
      .when('ObserveServer', nova({ vmState: 'error', failure: { reason: 'NoValidHost', message: 'nowhere' } }))
      .events('ServerObserved')
      .state({ status: 'ERROR', fault: { kind: 'NoValidHost', message: 'nowhere' } })
      .when('ObserveServer', nova({ vmState: 'error', failure: { reason: 'NoValidHost', message: 'nowhere' } }))
      .events(),
  );
});
