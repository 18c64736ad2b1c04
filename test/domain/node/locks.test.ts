import { describe, expect, test } from 'vitest';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import { nodeRefusals } from '../../../src/domain/node/refusals.ts';
import { Resource, story } from '../../support/story.ts';
import { active, available, command, enrolled, manageable, minutes, reports, verb, verifying } from './lives.ts';

describe('a lock', () => {
  story('is for one, and each has a number higher than the last', nodeAggregate, manageable, (it) =>
    it
      .when('ReserveNode', { holder: 'console-1', purpose: 'console' })
      .state({ reservation: { holder: 'console-1', purpose: 'console', token: 2 }, allowed: [] })
      .when('ReserveNode', { holder: 'console-1', purpose: 'console' })
      .events()
      .when('ReserveNode', { holder: 'console-2', purpose: 'console' })
      .refused('node-locked')
      .when('ReleaseNode', { holder: 'console-2' })
      .refused('reservation-not-held')
      .when('ReleaseNode', { token: 1 })
      .refused('reservation-not-held')
      .when('ReleaseNode', { token: 2 })
      .events('NodeReleased')
      .when('ReleaseNode', { token: 2 })
      .events()
      .when('ReserveNode', { purpose: 'console' })
      .state({ reservation: { holder: 'someone', token: 3 } }),
  );

  story('lets its holder through, who proves it with the number', nodeAggregate, manageable, (it) =>
    it
      .when('ReserveNode', { purpose: 'a change' })
      .when('UpdateNode', { name: 'b-1' })
      .refused('node-locked')
      .when('UpdateNode', { name: 'b-1', token: 2 })
      .events('NodeUpdated')
      .when('SetMaintenance', { reason: 'why', token: 2 })
      .events('NodeMaintenanceSet'),
  );

  test('that was only lent ends by itself, and what it was for with it', () => {
    const node = new Resource(nodeAggregate);
    for (const { type, data } of [enrolled, verb('manage', { leaseMs: minutes })]) node.execute(type, data);
    const [first] = nodeAggregate.deadlines!(node.state!, null);
    expect(first).toMatchObject({ name: 'reservation expiry', command: { data: { token: 1 } } });

    node.now += 50_000;
    node.execute('ReportProvisionEvent', { event: 'step', holder: 'c-1', step: { name: 'probe' }, leaseMs: minutes });
    node.now += 50_000;
    expect(node.execute(first!.command.type, first!.command.data)).toEqual([]);

    node.now += 50_000;
    const [renewed] = nodeAggregate.deadlines!(node.state!, null);
    const events = node.execute(renewed!.command.type, renewed!.command.data);
    expect(events.map((event) => event.type)).toEqual(['NodeReleased', 'NodeProvisionStateChanged']);
    expect(node.view).toMatchObject({ provisionState: 'enroll', lastError: expect.stringContaining('not renewed') });
  });

  story('of work that runs is not simply released', nodeAggregate, verifying, (it) =>
    it
      .when('ReleaseNode', { holder: 'c-1' })
      .refused('work-under-way')
      .when('BreakReservation', { reason: 'c-1 is on fire', token: 7 })
      .events()
      .when('BreakReservation', { reason: 'c-1 is on fire' })
      .leadsTo(
        {
          type: 'NodeReservationBroken',
          data: { holder: 'c-1', token: 1, purpose: 'manage (attempt 1)', reason: 'c-1 is on fire' },
        },
        {
          type: 'NodeProvisionStateChanged',
          data: {
            event: 'fail',
            from: 'verifying',
            to: 'enroll',
            targetBefore: 'manageable',
            targetAfter: null,
            cause: 'lock-broken',
            phase: 'error',
            attempt: 1,
            error: 'The lock of c-1 for manage (attempt 1) was broken: c-1 is on fire',
            settlesError: false,
          },
        },
      )
      .when('BreakReservation', { reason: 'c-1 is on fire' })
      .events(),
  );
});

describe('a worker', () => {
  story('that lost its lock cannot move the node, and learns that it must stop', nodeAggregate, verifying, (it) =>
    it
      .when('BreakReservation', { reason: 'too slow' })
      .when('SetProvisionState', { target: 'manage', holder: 'c-2' })
      .when('ReportProvisionEvent', { event: 'wait', token: 1 })
      .refused('stale-report')
      .when('ReportProvisionEvent', { event: 'step', attempt: 1, step: { name: 'probe' } })
      .refused('stale-report')
      .when('ReportProvisionEvent', { event: 'done', token: 1 })
      .events('NodeReportIgnored')
      .when('ReportProvisionEvent', { event: 'done', holder: 'c-1' })
      .refused('reservation-not-held')
      .state({ provisionState: 'verifying', reservation: { holder: 'c-2' }, ignored: { event: 'done', token: 1 } }),
  );

  story('cannot speak of attempts that never began', nodeAggregate, verifying, (it) =>
    it
      .when('ReportProvisionEvent', { event: 'done', attempt: 2 })
      .refused('unknown-attempt')
      .when('ReportProvisionEvent', { event: 'done', token: 9 })
      .refused('unknown-attempt')
      .when('Heartbeat', { attempt: 3 })
      .refused('unknown-attempt'),
  );

  story('is told what it could report instead', nodeAggregate, verifying, (it) =>
    it.when('ReportProvisionEvent', { event: 'hold', holder: 'c-1' }).refused('report-not-applicable'),
  );

  story('does not say clean and manage in the place of people', nodeAggregate, manageable, (it) =>
    it
      .when('ReportProvisionEvent', { event: 'clean' })
      .refused('report-not-applicable')
      .when('ReportProvisionEvent', { event: 'step', step: { name: 'probe' } })
      .refused('report-not-applicable'),
  );

  story('that comes too late after a success is recorded, and changes nothing', nodeAggregate, manageable, (it) =>
    it
      .when('ReportProvisionEvent', { event: 'fail', attempt: 1, error: 'oops' })
      .events('NodeReportIgnored')
      .when('ReportProvisionEvent', { event: 'done', attempt: 1 })
      .events()
      .state({ provisionState: 'manageable', lastError: null, ignored: { error: 'oops' } }),
  );

  test.each([
    [{ event: 'done', error: 'x' }, 'error'],
    [{ event: 'wait', step: { name: 'x' } }, 'step'],
    [{ event: 'fail', timeoutMs: 5 }, 'timeoutMs'],
    [{ event: 'done', leaseMs: 5 }, 'leaseMs'],
  ])('is told of a field that its report cannot carry: %j', (report, field) => {
    const { error } = nodeAggregate.commands.ReportProvisionEvent!.safeParse(report);
    expect(error?.issues).toMatchObject([{ path: [field] }]);
  });
});

describe('a power action', () => {
  story('runs under a lock, and says what was asked for', nodeAggregate, active, (it) =>
    it
      .when('SetPowerState', { target: 'rebooting' })
      .leadsTo(
        {
          type: 'NodeReserved',
          data: { holder: 'c-1', kind: 'power', purpose: 'rebooting', token: 4, expiresAt: null },
        },
        { type: 'NodePowerStateRequested', data: { requested: 'rebooting', target: 'power on' } },
      )
      .state({ targetPowerState: 'power on', powerState: 'power on' })
      .when('SetPowerState', { target: 'rebooting' })
      .refused('node-locked')
      .when('ReportProvisionEvent', { event: 'done', holder: 'c-1' })
      .events('NodePowerStateReported', 'NodeReleased')
      .state({ targetPowerState: null, reservation: null, provisionState: 'active' })
      .when('SetPowerState', { target: 'sleep' })
      .refused('invalid-power-state-requested'),
  );

  story('that fails leaves the power as it was', nodeAggregate, active, (it) =>
    it
      .when('SetPowerState', { target: 'power off' })
      .when('ReportProvisionEvent', { event: 'fail', holder: 'c-1', error: 'no answer' })
      .state({ powerState: 'power on', targetPowerState: null, lastError: 'no answer', maintenance: null }),
  );

  story('is given up with the conductor that ran it', nodeAggregate, active, (it) =>
    it
      .when('SetPowerState', { target: 'power off' })
      .when('TakeOverConductor', { conductor: 'c-1', by: 'c-2' })
      .events('NodeTakenOver', 'NodeReleased', 'NodePowerRequestFailed')
      .state({ targetPowerState: null, reservation: null, provisionState: 'active' }),
  );

  const reserved = [...available, verb('active'), reports('wait'), command('SetPowerState', { target: 'rebooting' })];
  story('and the work it runs beside are told apart', nodeAggregate, reserved, (it) =>
    it
      .when('ReportProvisionEvent', { event: 'fail', holder: 'c-1' })
      .refused('ambiguous-report')
      .when('ReportProvisionEvent', { event: 'resume', attempt: 3 })
      .events('NodeReportPostponed')
      .when('ReportProvisionEvent', { event: 'hold', attempt: 3 })
      .refused('node-locked')
      .when('ReportProvisionEvent', { event: 'done', token: 4 })
      .events('NodePowerStateReported', 'NodeReleased', 'NodeReserved', 'NodeProvisionStateChanged')
      .when('ReportProvisionEvent', { event: 'done', token: 4 })
      .events()
      .state({ provisionState: 'deploying', reservation: { holder: 'c-1', token: 5 } }),
  );

  story(
    'never turns a node off that must not be',
    nodeAggregate,
    [...active, command('UpdateNode', { disablePowerOff: true })],
    (it) =>
      it
        .when('SetPowerState', { target: 'soft power off' })
        .refused('power-off-disabled')
        .when('SetPowerState', { target: 'rebooting' })
        .events('NodeReserved', 'NodePowerStateRequested'),
  );

  story('is not accepted by a node that is cleaned', nodeAggregate, [...manageable, verb('provide')], (it) =>
    it.when('SetPowerState', { target: 'power on' }).refused('invalid-power-state-requested'),
  );
});

describe('maintenance', () => {
  story('has causes that come and go on their own', nodeAggregate, active, (it) =>
    it
      .when('SetMaintenance', { reason: 'new disks' })
      .when('SetMaintenance', { reason: 'new disks' })
      .events()
      .when('SetMaintenance', { fault: 'power failure', reason: 'no answer' })
      .state({ maintenance: { reason: 'new disks', fault: 'power failure' } })
      .when('ClearMaintenance', { fault: null })
      .state({ maintenance: { reason: 'no answer', fault: 'power failure' } })
      .when('ClearMaintenance', { fault: 'clean failure' })
      .events()
      .when('SetMaintenance', { reason: 'a look' })
      .when('SetMaintenance', { reason: 'a longer look' })
      .events('NodeMaintenanceSet')
      .when('ClearMaintenance')
      .events('NodeMaintenanceCleared', 'NodeMaintenanceCleared')
      .state({ maintenance: null })
      .when('ClearMaintenance')
      .events(),
  );

  story(
    'stops verbs that would change what is on the node',
    nodeAggregate,
    [...active, command('SetMaintenance')],
    (it) =>
      it
        .when('SetProvisionState', { target: 'rebuild' })
        .refused('node-in-maintenance')
        .when('SetProvisionState', { target: 'service', serviceSteps: [{ interface: 'bios', step: 'x' }] })
        .refused('node-in-maintenance')
        .state({ allowed: ['deleted', 'undeploy'] }),
  );
});

describe('what identifies a node', () => {
  test('may hold secrets, which are masked before they are stored', () => {
    const node = new Resource(nodeAggregate);
    const driverInfo = { ipmi_address: '10.0.0.1', ipmi_password: 'sesame', nested: [{ snmp_auth_key: 'sesame' }] };
    node.execute('EnrollNode', { driver: 'ipmi', driverInfo });
    expect(node.view.driverInfo).toEqual({
      ipmi_address: '10.0.0.1',
      ipmi_password: '******',
      nested: [{ snmp_auth_key: '******' }],
    });
    expect(node.execute('EnrollNode', { driver: 'ipmi', driverInfo })).toEqual([]);
    expect(node.execute('UpdateNode', { driverInfo: { ...driverInfo, ipmi_address: '10.0.0.2' } })).toHaveLength(1);
    expect(JSON.stringify(node.state)).not.toContain('sesame');
  });

  story('is protected only where there is something to protect', nodeAggregate, active, (it) =>
    it
      .when('UpdateNode', { protected: true, protectedReason: 'payroll' })
      .state({ allowed: ['rescue', 'service'] })
      .when('SetProvisionState', { target: 'deleted' })
      .refused('node-protected')
      .when('DeleteNode')
      .refused('node-protected')
      .when('UpdateNode', { protected: false })
      .when('DeleteNode')
      .refused('node-not-deletable'),
  );

  story('keeps an available node where the site wants it kept', nodeAggregate, available, (it) =>
    it
      .knowing({ settings: { allowDeletingAvailableNodes: false } })
      .when('DeleteNode')
      .refused('node-not-deletable')
      .knowing({})
      .when('DeleteNode')
      .events('NodeDeleted'),
  );

  story('a failed tear-down gives the instance up all the same', nodeAggregate, available, (it) =>
    it
      .when('UpdateNode', { instanceId: 'aaaaaaaa-0000-4000-8000-000000000001', instanceInfo: { image: 'x' } })
      .events('NodeUpdated', 'NodeInstanceAssociated')
      .when('SetProvisionState', { target: 'active' })
      .when('ReportProvisionEvent', { event: 'done', holder: 'c-1' })
      .when('SetProvisionState', { target: 'deleted' })
      .when('ReportProvisionEvent', { event: 'fail', holder: 'c-1', error: 'switch is gone' })
      .events('NodeProvisionStateChanged', 'NodeInstanceReleased', 'NodeReleased')
      .state({ provisionState: 'error', targetProvisionState: null, instanceId: null, instanceInfo: {} }),
  );
});

describe('refusals', () => {
  test('say what happens and what to do, and by what name Ironic knows them', () => {
    for (const { title, explanation, ironic } of Object.values(nodeRefusals)) {
      expect(title.length).toBeGreaterThan(8);
      expect(explanation.length).toBeGreaterThan(60);
      expect(ironic).toMatch(/^[A-Z][A-Za-z]+$/);
    }
  });
});
