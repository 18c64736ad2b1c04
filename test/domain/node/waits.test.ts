import { describe, expect, test } from 'vitest';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import { type Resource, story } from '../../support/story.ts';
import { available, lived, livedKnowing, manageable, minutes, pass, reports, verb, waiting } from './lives.ts';

const deadlines = (node: Resource<Node>, heardAt: string | null = null) =>
  nodeAggregate.deadlines!(node.state!, heardAt).map(({ name, at }) => ({ name, at }));

const plus = (time: string, milliseconds: number): string => new Date(Date.parse(time) + milliseconds).toISOString();

describe('a node that waits for its ramdisk', () => {
  test('is given half an hour, which stands in the event that began the wait', () => {
    const node = lived(...waiting);
    const { stateSince, attempts } = node.state!;
    expect(nodeAggregate.deadlines!(node.state!, null)).toEqual([
      {
        name: 'deploy call-back timeout',
        at: expect.any(String),
        command: { type: 'DeadlinePassed', data: { name: 'deploy call-back timeout', attempt: attempts } },
      },
    ]);
    const length = Date.parse(node.state!.callBack!.deadline) - Date.parse(stateSince);
    expect(Math.round(length / minutes)).toBe(30);
    expect(pass(node, 31 * minutes)).toEqual(['NodeProvisionStateChanged']);
    expect(node.view).toMatchObject({
      provisionState: 'deploy failed',
      targetProvisionState: 'active',
      lastError: expect.stringMatching(/^Timed out .*wait call-back/),
      operation: { outcome: 'failed' },
    });
  });

  test.each([
    ['what the site says', { settings: { deployCallBackTimeoutMs: 5 * minutes } }, {}, 5],
    ['what the worker says', { settings: { deployCallBackTimeoutMs: 5 * minutes } }, { timeoutMs: 9 * minutes }, 9],
  ])('is given %s', (_, facts, more, length) => {
    const node = livedKnowing(facts, ...available, verb('active'), reports('wait', more));
    expect(pass(node, (length - 1) * minutes)).toEqual([]);
    expect(pass(node, 2 * minutes)).toEqual(['NodeProvisionStateChanged']);
  });

  test('is waited for as long as it takes where the site says 0', () => {
    expect(deadlines(livedKnowing({ settings: { deployCallBackTimeoutMs: 0 } }, ...waiting))).toEqual([]);
  });

  test('has as much time again from each sign of life, without an event', () => {
    const node = lived(...waiting);
    node.now += 10 * minutes;
    expect(node.execute('Heartbeat')).toEqual([]);
    const heardAt = new Date(node.now).toISOString();
    expect(deadlines(node, heardAt)).toEqual([{ name: 'deploy call-back timeout', at: plus(heardAt, 30 * minutes) }]);

    node.now += 25 * minutes;
    node.facts = { related: { heardAt: () => heardAt } };
    const { command } = nodeAggregate.deadlines!(node.state!, null)[0]!;
    expect(node.execute(command.type, command.data)).toEqual([]);
    node.now += 6 * minutes;
    expect(node.execute(command.type, command.data)).toHaveLength(1);
  });

  test('does not lose all of that time when the ledger is started anew', () => {
    const node = lived(...waiting);
    const { deadline } = node.state!.callBack!;
    node.now += 20 * minutes;
    expect(node.execute('Heartbeat').map((event) => event.type)).toEqual(['NodeCallBackExtended']);
    expect(Date.parse(node.state!.callBack!.deadline) - Date.parse(deadline)).toBeGreaterThan(19 * minutes);
    expect(node.view.stateSince).not.toBe(node.view.lastHeardAt);
  });

  test('stands still in maintenance, and gets the time back afterwards', () => {
    const node = lived(...waiting);
    pass(node, 10 * minutes);
    node.execute('SetMaintenance', { reason: 'a look' });
    expect(deadlines(node)).toEqual([]);
    expect(node.execute('Heartbeat')).toEqual([]);
    pass(node, 120 * minutes);
    node.execute('ClearMaintenance');
    expect(node.view.provisionState).toBe('wait call-back');
    expect(pass(node, 15 * minutes)).toEqual([]);
    expect(pass(node, 10 * minutes)).toEqual(['NodeProvisionStateChanged']);
  });

  test('is given up when it calls back in maintenance, where the site wants it so', () => {
    const node = livedKnowing({ settings: { allowProvisioningInMaintenance: false } }, ...waiting);
    node.execute('SetMaintenance', {});
    node.execute('Heartbeat');
    expect(node.view).toMatchObject({
      provisionState: 'deploy failed',
      lastError: expect.stringContaining('maintenance'),
    });
  });

  story('does not wait for ever in a hold, for nobody waits for it', nodeAggregate, waiting, (it) =>
    it
      .when('ReportProvisionEvent', { event: 'hold' })
      .state({ provisionState: 'deploy hold', callBack: null })
      .when('SetProvisionState', { target: 'unhold' })
      .state({ provisionState: 'wait call-back', callBack: { timeoutMs: 30 * minutes } }),
  );

  test('an inspection is timed as a whole', () => {
    const node = lived(...manageable, verb('inspect'));
    const { startedAt } = node.state!.operation!;
    node.now += 20 * minutes;
    node.execute('ReportProvisionEvent', { event: 'wait', holder: 'c-1' });
    node.now += 5 * minutes;
    expect(node.execute('Heartbeat')).toEqual([]);
    const at = plus(startedAt, 30 * minutes);
    expect(deadlines(node, new Date(node.now).toISOString())).toEqual([{ name: 'inspection timeout', at }]);
  });
});

describe('a cleaning that fails within a step', () => {
  const cleaning = [...manageable, verb('provide')];
  const step = reports('step', { step: { interface: 'deploy', name: 'erase', priority: 10, abortable: false } });

  story('leaves the node in maintenance, for a person to look at', nodeAggregate, [...cleaning, step], (it) =>
    it
      .state({ step: { kind: 'clean', name: 'erase', priority: 10 } })
      .when('ReportProvisionEvent', { event: 'fail', holder: 'c-1', error: 'bad disk' })
      .events('NodeProvisionStateChanged', 'NodeMaintenanceSet', 'NodeReleased')
      .state({
        provisionState: 'clean failed',
        step: null,
        maintenance: { fault: 'clean failure', reason: 'bad disk' },
        operation: { outcome: 'failed', error: 'bad disk', failedStep: 'erase' },
      })
      .when('SetProvisionState', { target: 'manage' })
      .state({ provisionState: 'manageable', maintenance: { fault: 'clean failure' } }),
  );

  test('does so too when the step is not heard of any more', () => {
    const node = lived(...cleaning, step, reports('wait'));
    expect(pass(node, 31 * minutes)).toEqual(['NodeProvisionStateChanged', 'NodeMaintenanceSet']);
    expect(node.view.maintenance).toMatchObject({ fault: 'clean failure' });
  });

  story('does not before the first step', nodeAggregate, cleaning, (it) =>
    it
      .when('ReportProvisionEvent', { event: 'fail', holder: 'c-1', error: 'no ramdisk' })
      .state({ provisionState: 'clean failed', maintenance: null }),
  );

  story('tells how far a step is', nodeAggregate, [...cleaning, step], (it) =>
    it
      .when('ReportProvisionEvent', { event: 'step', holder: 'c-1', progress: 40 })
      .events('NodeStepReported')
      .state({ step: { name: 'erase', progress: 40 } })
      .when('ReportProvisionEvent', { event: 'step', holder: 'c-1', progress: 40 })
      .events()
      .when('ReportProvisionEvent', { event: 'step', holder: 'c-1', step: { kind: 'deploy', name: 'write' } })
      .refused('report-not-applicable')
      .when('ReportProvisionEvent', { event: 'resume', holder: 'c-1' })
      .events(),
  );
});

describe('aborting', () => {
  const inStep = (abortable: boolean) => [
    ...manageable,
    verb('provide'),
    reports('step', { step: { interface: 'deploy', name: 'erase', abortable } }),
    reports('wait'),
  ];

  story('waits for a step that cannot be interrupted', nodeAggregate, inStep(false), (it) =>
    it
      .when('SetProvisionState', { target: 'abort' })
      .leadsTo({ type: 'NodeAbortRequested', data: { attempt: 2, step: 'erase' } })
      .when('SetProvisionState', { target: 'abort' })
      .events()
      .state({ provisionState: 'clean wait', step: { abortAfter: true } })
      .when('ReportProvisionEvent', { event: 'resume' })
      .events('NodeReserved', 'NodeProvisionStateChanged')
      .state({
        provisionState: 'clean failed',
        targetProvisionState: 'available',
        lastError: expect.stringContaining('erase'),
        reservation: { purpose: 'clean-up after abort' },
        operation: { outcome: 'aborted' },
      })
      .when('ReportProvisionEvent', { event: 'done', holder: 'c-1' })
      .events('NodeReleased')
      .when('ReportProvisionEvent', { event: 'resume' })
      .events(),
  );

  story('interrupts one that can be', nodeAggregate, inStep(true), (it) =>
    it
      .when('SetProvisionState', { target: 'abort' })
      .events('NodeReserved', 'NodeProvisionStateChanged')
      .state({ provisionState: 'clean failed', maintenance: null }),
  );

  const serviced = [
    ...available,
    verb('active'),
    reports('done'),
    verb('service', { serviceSteps: [{ interface: 'bios', step: 'update' }] }),
    reports('wait'),
  ];
  story('ends a service where it began, in two steps of one append', nodeAggregate, serviced, (it) =>
    it
      .when('SetProvisionState', { target: 'abort' })
      .events('NodeReserved', 'NodeProvisionStateChanged', 'NodeProvisionStateChanged')
      .state({ provisionState: 'active', targetProvisionState: null, lastError: expect.stringContaining('Aborted') }),
  );

  const rescued = [
    ...available,
    verb('active'),
    reports('done'),
    verb('rescue', { rescuePassword: 'pw' }),
    reports('wait'),
    verb('abort'),
  ];
  story('of a rescue is no error, but its clean-up may fail', nodeAggregate, rescued, (it) =>
    it
      .state({ provisionState: 'rescue failed', lastError: null })
      .when('ReportProvisionEvent', { event: 'fail', holder: 'c-1', error: 'stuck in the ramdisk' })
      .state({
        provisionState: 'rescue failed',
        reservation: null,
        lastError: 'stuck in the ramdisk',
        maintenance: { fault: 'rescue abort failure' },
      })
      .when('ReportProvisionEvent', { event: 'fail', holder: 'c-1', error: 'stuck in the ramdisk' })
      .events(),
  );

  const held = [...available, verb('active'), reports('hold')];
  story('a held deployment leaves the instance alone', nodeAggregate, held, (it) =>
    it
      .when('UpdateNode', { instanceId: 'aaaaaaaa-0000-4000-8000-000000000001' })
      .refused('transition-under-way')
      .when('SetProvisionState', { target: 'abort' })
      .state({ provisionState: 'deploy failed', targetProvisionState: 'active' }),
  );

  story('a held deployment can be given back at once', nodeAggregate, held, (it) =>
    it
      .when('SetProvisionState', { target: 'deleted' })
      .events('NodeProvisionStateChanged', 'NodeReserved', 'NodeOperationStarted', 'NodeProvisionStateChanged')
      .state({ provisionState: 'deleting', targetProvisionState: 'available', operation: { verb: 'deleted' } }),
  );
});
