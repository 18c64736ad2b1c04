import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/domain/kernel/refusal.ts';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import { Resource } from '../../support/story.ts';

type Line = [type: string, data?: object];

const enrol: Line = ['EnrollNode', { driver: 'ipmi', conductor: 'c-1' }];
const ask = (target: string, more: object = {}): Line => ['SetProvisionState', { target, ...more }];
const told = (event: string, more: object = {}): Line => ['ReportProvisionEvent', { event, holder: 'c-1', ...more }];

const manageable = [enrol, ask('manage'), told('done')];
const available = [...manageable, ask('provide'), told('done')];
const active = [...available, ask('active'), told('done', { powerState: 'power on' })];
const deploying = [...available, ask('active')];
const waiting = [...deploying, told('wait')];
const cleaning = [...manageable, ask('provide')];
const step = told('step', { step: { interface: 'deploy', name: 'erase', priority: 10 } });

function lived(...lines: readonly Line[]): Resource<Node> {
  const node = new Resource(nodeAggregate);
  for (const [type, data] of lines) node.execute(type, data);
  return node;
}

const typesOf = (node: Resource<Node>, [type, data]: Line): string[] =>
  node.execute(type, data).map((event) => event.type);

function refusal(node: Resource<Node>, [type, data]: Line): Refusal {
  try {
    node.decide(type, data);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`${type} was not refused`);
}

/** Lets the clock give the commands of all deadlines that are due. */
function pass(node: Resource<Node>, milliseconds: number): string[] {
  node.now += milliseconds;
  const time = new Date(node.now).toISOString();
  const due = nodeAggregate.deadlines!(node.state!, null).filter(({ at }) => at <= time);
  return due.flatMap(({ command }) => typesOf(node, [command.type, command.data]));
}

const minutes = 60_000;

describe('C003: a conductor dies while it works on nodes', () => {
  const takeOver: Line = ['TakeOverConductor', { conductor: 'c-1', by: 'c-2' }];
  const working: Record<string, [Line[], string, string | null]> = {
    deploying: [deploying, 'deploy failed', 'active'],
    cleaning: [cleaning, 'clean failed', 'available'],
    'inspecting in maintenance': [
      [...manageable, ['SetMaintenance', { reason: 'a look' }], ask('inspect')],
      'inspect failed',
      'manageable',
    ],
    servicing: [
      [...active, ask('service', { serviceSteps: [{ interface: 'bios', step: 'update' }] })],
      'service failed',
      'active',
    ],
    rescuing: [[...active, ask('rescue', { rescuePassword: 'pw' })], 'rescue failed', 'rescue'],
    deleting: [[...active, ask('deleted')], 'error', null],
    verifying: [[enrol, ask('manage')], 'enroll', null],
  };

  test.each(Object.entries(working))(
    'C003: %s fails, with the target kept and a reason',
    (_, [lines, state, target]) => {
      const node = lived(...lines);
      const events = node.execute(...(takeOver as [string, object]));
      expect(node.view).toMatchObject({
        provisionState: state,
        targetProvisionState: target,
        reservation: null,
        conductor: 'c-2',
        lastError: expect.stringContaining('c-1 was lost and c-2 took over'),
      });
      expect(events.find(({ type }) => type === 'NodeProvisionStateChanged')?.data).toMatchObject({
        cause: 'takeover',
      });
      expect(typesOf(node, takeOver)).toEqual([]);
    },
  );

  test('C003: a node that waits for its call-back goes on when it comes', () => {
    const node = lived(...waiting, ['ReserveNode', { holder: 'c-1', purpose: 'console' }]);
    expect(typesOf(node, takeOver)).toEqual(['NodeTakenOver', 'NodeReleased']);
    expect(node.view).toMatchObject({ provisionState: 'wait call-back', lastError: null });
    node.execute('ReportProvisionEvent', { event: 'resume' });
    expect(node.view).toMatchObject({ provisionState: 'deploying', reservation: { holder: 'c-2' } });
    node.execute('ReportProvisionEvent', { event: 'done', holder: 'c-2' });
    expect(node.view.provisionState).toBe('active');
  });

  test('C003: work that another conductor does is left alone', () => {
    const node = lived(enrol, ask('manage', { holder: 'c-3' }));
    expect(typesOf(node, takeOver)).toEqual(['NodeTakenOver']);
    expect(node.view).toMatchObject({ provisionState: 'verifying', reservation: { holder: 'c-3' } });
  });

  test('C003: nodes of other conductors are not touched', () => {
    expect(typesOf(lived(...deploying), ['TakeOverConductor', { conductor: 'c-8', by: 'c-9' }])).toEqual([]);
  });
});

describe('C015: a server is deleted, and its node is cleaned', () => {
  const instanceId = 'aaaaaaaa-0000-4000-8000-000000000001';
  const torn = [
    ...available,
    ['UpdateNode', { instanceId }] as Line,
    ask('active'),
    told('done'),
    ask('deleted'),
    told('clean'),
  ];

  test('C015: the tear-down lets the instance go; cleaning is the node alone', () => {
    expect(lived(...torn).view).toMatchObject({
      provisionState: 'cleaning',
      instanceId: null,
      reservation: { holder: 'c-1', since: expect.any(String) },
    });
  });

  test('C015: letting go once more, late, is answered as done', () => {
    expect(typesOf(lived(...torn), ['UpdateNode', { instanceId: null }])).toEqual([]);
  });
});

describe('C018: an error text of 100 kB', () => {
  const long = `first line ${'déjà vu 🛰️ '.repeat(9000)} last line`;

  test('C018: is cut between characters, says so, and fails the node all the same', () => {
    const node = lived(...deploying);
    node.actor = { type: 'agent', id: 'f'.repeat(64) };
    node.execute('ReportProvisionEvent', { event: 'fail', holder: 'c-1', error: long });
    const { provisionState, lastError } = node.state!;
    expect(provisionState).toBe('deploy failed');
    expect(lastError).toMatch(/^first line déjà vu 🛰️/);
    expect(lastError).toMatch(/last line$/);
    expect(lastError).toContain(`[truncated, original length ${Array.from(long).length}]`);
    expect(lastError!.length).toBeLessThan(5000);
    expect(() => encodeURIComponent(lastError!)).not.toThrow(); // it would on half a character
    node.execute('SetProvisionState', { target: 'active' });
    expect(node.view.provisionState).toBe('deploying');
  });
});

describe('C020: a caller that thinks in targets', () => {
  const provided = lived(...cleaning, told('wait'));
  const failed = lived(...deploying, told('fail', { error: 'disk full' }));

  test.each([
    ['provide while it is being cleaned for that', provided, ask('provide'), 'already-under-way', ['abort']],
    [
      'manage after a failed deployment',
      failed,
      ask('manage'),
      'not-from-here',
      ['active', 'deploy', 'rebuild', 'deleted', 'undeploy'],
    ],
    ['active on an active node', lived(...active), ask('active'), 'already-there', expect.arrayContaining(['rebuild'])],
    [
      'a state instead of a verb',
      lived(...manageable),
      ask('available'),
      'no-such-verb',
      expect.arrayContaining(['provide']),
    ],
    ['a word of the workers', lived(...waiting), ask('resume'), 'internal-event', expect.arrayContaining(['abort'])],
  ])('C020: %s', (_, node, line, reason, allowed) => {
    const { slug, help } = refusal(node as Resource<Node>, line as Line);
    expect([slug, help.reason, help.ironic]).toEqual(['invalid-state-requested', reason, 'InvalidStateRequested']);
    expect(help.allowed).toEqual(allowed);
    expect((node as Resource<Node>).view.allowed).toEqual(help.allowed);
  });

  test('C020: active while it is being deployed', () => {
    expect(refusal(lived(...deploying), ask('active')).slug).toBe('node-locked');
  });
});

describe('C021: a lock, and an association', () => {
  const first = 'aaaaaaaa-0000-4000-8000-000000000001';
  const second = 'aaaaaaaa-0000-4000-8000-000000000002';

  test('C021: a lock is worth waiting for', () => {
    const node = lived(...manageable, [
      'ReserveNode',
      { holder: 'power sync', purpose: 'power sync', leaseMs: 30_000 },
    ]);
    const update: Line = ['UpdateNode', { name: 'b-1' }];
    for (let tries = 0; tries < 10; tries++) {
      const { slug, help } = refusal(node, update);
      expect(slug).toBe('node-locked');
      expect(help).toMatchObject({
        reason: 'locked',
        retryable: true,
        retryAfter: 29,
        holder: 'power sync',
        purpose: 'power sync',
      });
    }
    node.execute('ReleaseNode', { holder: 'power sync' });
    expect(typesOf(node, update)).toEqual(['NodeUpdated']);
  });

  test('C021: an association is not', () => {
    const node = lived(...available, ['UpdateNode', { instanceId: first }]);
    const { slug, help, message } = refusal(node, ['UpdateNode', { instanceId: second }]);
    expect(slug).toBe('node-associated');
    expect(help).toMatchObject({ reason: 'associated', retryable: false, current: first });
    expect(message).toMatch(/Clear the association first, or adopt/);
  });
});

describe('C031: an operator asks what happened to a node', () => {
  test('C031: every transition says from, to, target and cause; failures beside the work are kept', () => {
    const node = new Resource(nodeAggregate);
    const lines = [
      ...deploying,
      told('error', { during: 'vif attach of p-1', error: 'no switch' }),
      told('error', { during: 'vif attach of p-2', error: 'no switch' }),
      told('fail', { error: 'no network' }),
    ];
    const events = lines.flatMap(([type, data]) => node.execute(type, data));
    for (const { data } of events.filter(({ type }) => type === 'NodeProvisionStateChanged')) {
      expect(Object.keys(data)).toEqual(
        expect.arrayContaining(['event', 'from', 'to', 'targetBefore', 'targetAfter', 'cause', 'attempt']),
      );
    }
    expect(node.state!.trouble).toMatchObject({
      during: 'vif attach of p-1',
      message: 'no switch',
      followUps: [{ during: 'vif attach of p-2' }, { during: 'deploy', message: 'no network' }],
    });
  });
});

describe('C038: a failure that follows from a failure', () => {
  const failed = [...cleaning, step, told('fail', { error: 'A: erase failed' })];

  test('C038: keeps the first cause, and the second as what followed in the same attempt', () => {
    const node = lived(...failed);
    node.execute('SetPowerState', { target: 'power off' });
    node.execute('ReportProvisionEvent', { event: 'fail', holder: 'c-1', error: 'B: no power' });
    expect(node.view).toMatchObject({
      lastError: 'A: erase failed',
      trouble: { message: 'A: erase failed', attempt: 2, resolvedAt: null, followUps: [{ message: 'B: no power' }] },
      powerState: null,
      targetPowerState: null,
    });
  });

  test('C038: the same, where the worker tells of both', () => {
    const node = lived(...failed);
    node.execute('ReportProvisionEvent', { event: 'fail', attempt: 2, error: 'B: no power' });
    expect(node.state!.trouble).toMatchObject({ message: 'A: erase failed', followUps: [{ message: 'B: no power' }] });
  });

  test('C038: an error is history when the node is well again', () => {
    const node = lived(...failed, ['ClearMaintenance'], ask('manage'));
    expect(node.view).toMatchObject({ provisionState: 'manageable', lastError: 'A: erase failed' });
    expect(typesOf(node, ['ReportPowerState', { powerState: 'power off' }])).toContain('NodeErrorResolved');
    expect(node.view).toMatchObject({
      lastError: null,
      trouble: null,
      pastTroubles: [{ message: 'A: erase failed', resolvedAt: expect.any(String) }],
    });
  });

  test('C038: an error on a node that is active and well is flagged until it is resolved', () => {
    const node = lived(...active, told('error', { error: 'power sync: in maintenance' }));
    expect(node.view.warnings).toMatchObject([{ sign: 'error-contradicts-state' }]);
    node.execute('ReportPowerState', { powerState: 'power on' });
    expect(node.view).toMatchObject({ warnings: [], lastError: null });
  });
});

describe('C040: two workers tell of one failure', () => {
  const clean = ask('clean', { cleanSteps: [{ interface: 'bios', step: 'reset' }] });
  const third = [...manageable, clean, told('done'), clean, told('wait')];

  test('C040: one transition; the duplicate is no change; an older attempt is recorded and ignored', () => {
    const node = lived(...third);
    expect(node.state!.attempts).toBe(3);
    expect(pass(node, 31 * minutes)).toEqual(['NodeProvisionStateChanged']);
    expect(pass(node, 31 * minutes)).toEqual([]);
    const fail = (attempt: number): Line => ['ReportProvisionEvent', { event: 'fail', attempt }];
    expect(typesOf(node, fail(3))).toEqual([]);
    expect(typesOf(node, fail(3))).toEqual([]);
    expect(typesOf(node, fail(2))).toEqual(['NodeReportIgnored']);
    expect(typesOf(node, fail(2))).toEqual([]);
    expect(node.view).toMatchObject({ provisionState: 'clean failed', ignored: { attempt: 2, event: 'fail' } });
  });

  test('C040: a deadline that comes late, or for another attempt, changes nothing', () => {
    const node = lived(...third);
    const [deadline] = nodeAggregate.deadlines!(node.state!, null);
    expect(typesOf(node, [deadline!.command.type, deadline!.command.data])).toEqual([]);
    node.execute('ReportProvisionEvent', { event: 'resume' });
    node.now += 60 * minutes;
    expect(typesOf(node, [deadline!.command.type, deadline!.command.data])).toEqual([]);
  });
});

describe('C041: what an attempt leaves behind', () => {
  const marked = [...deploying, told('step', { step: { name: 'write' }, markers: { polling: true } }), told('wait')];

  test('C041: vanishes with it, and a call-back of its time is told to stop', () => {
    const node = lived(...marked);
    const first = node.state!.lastToken;
    expect(node.state!.operation!.markers).toEqual({ polling: true });
    pass(node, 31 * minutes);
    expect(node.state!.operation!.markers).toEqual({});

    for (const [type, data] of [ask('active'), told('wait')]) node.execute(type, data);
    const second = node.state!.lastToken;
    expect(typesOf(node, ['Heartbeat', { token: second }])).toEqual([]);
    const late = refusal(node, ['Heartbeat', { token: first }]);
    expect([late.slug, late.definition.category]).toEqual(['stale-report', 'conflict']);
    expect(refusal(node, ['ReportProvisionEvent', { event: 'resume', token: first }]).slug).toBe('stale-report');
    node.execute('ReportProvisionEvent', { event: 'resume', token: second });
    expect(node.view.provisionState).toBe('deploying');
  });
});

describe('C061: a node that was given back', () => {
  test('C061: can be scheduled when it is available, not before', () => {
    const node = lived(...active, ask('deleted'));
    const seen = [node.view.schedulable];
    for (const event of ['clean', 'wait', 'resume', 'done']) {
      node.execute('ReportProvisionEvent', { event, holder: 'c-1' });
      seen.push(node.view.schedulable);
    }
    expect(seen).toEqual([false, false, false, false, true]);
  });
});

describe('C063: the target of a node that failed', () => {
  test('C063: says what was attempted, and goes when the node is at rest', () => {
    const error = 'Disk space: required 20480 MiB, available 1024 MiB';
    const node = lived(...deploying, told('fail', { error }));
    expect(node.view).toMatchObject({
      provisionState: 'deploy failed',
      targetProvisionState: 'active',
      lastError: error,
    });
    for (const [type, data] of [ask('undeploy'), told('clean'), told('done')]) node.execute(type, data);
    expect(node.view).toMatchObject({ provisionState: 'available', targetProvisionState: null, lastError: null });
  });

  test('C063: tells a manual cleaning from an automated one', () => {
    const manual = lived(
      ...manageable,
      ask('clean', { cleanSteps: [{ interface: 'bios', step: 'reset' }] }),
      told('fail'),
    );
    const automated = lived(...cleaning, told('fail'));
    expect([manual, automated].map(({ state }) => [state!.provisionState, state!.targetProvisionState])).toEqual([
      ['clean failed', 'manageable'],
      ['clean failed', 'available'],
    ]);
  });

  test('C063: in a stable state is flagged', () => {
    const node = lived(...available);
    const data = {
      event: 'done',
      from: 'cleaning',
      to: 'available',
      targetBefore: 'available',
      targetAfter: 'active',
      cause: 'worker',
      phase: 'end',
      attempt: 2,
      settlesError: false,
    };
    expect(node.view.warnings).toEqual([]);
    node.record({ type: 'NodeProvisionStateChanged', data });
    expect(node.view.warnings).toMatchObject([{ sign: 'stable-state-with-target' }]);
  });
});

describe('C080: a call-back that meets a console', () => {
  test('C080: is kept, and acted on in the append that frees the lock', () => {
    const node = lived(...waiting, ['ReserveNode', { holder: 'console-7', purpose: 'console' }]);
    const resume: Line = ['ReportProvisionEvent', { event: 'resume', holder: 'c-1', attempt: 3 }];
    expect(typesOf(node, resume)).toEqual(['NodeReportPostponed']);
    expect(typesOf(node, resume)).toEqual([]);
    expect(node.view).toMatchObject({
      provisionState: 'wait call-back',
      postponed: { event: 'resume', since: expect.any(String), blockedBy: { holder: 'console-7', purpose: 'console' } },
    });
    expect(typesOf(node, ['ReleaseNode', { holder: 'console-7' }])).toEqual([
      'NodeReleased',
      'NodeReserved',
      'NodeProvisionStateChanged',
    ]);
    expect(node.view).toMatchObject({ provisionState: 'deploying', reservation: { holder: 'c-1' }, postponed: null });
  });

  test('C080: does not run into its deadline while somebody else holds the lock', () => {
    const node = lived(...waiting, ['ReserveNode', { holder: 'console-7', purpose: 'console' }]);
    expect(pass(node, 60 * minutes)).toEqual([]);
  });

  test('C080: is acted on too when the console is lost', () => {
    const node = lived(...waiting, ['ReserveNode', { holder: 'console-7', purpose: 'console', leaseMs: 60_000 }]);
    node.execute('ReportProvisionEvent', { event: 'resume', holder: 'c-1' });
    expect(pass(node, 2 * minutes)).toEqual(['NodeReleased', 'NodeReserved', 'NodeProvisionStateChanged']);
  });
});

describe('C083: the power fails and comes back', () => {
  const fails: Line = ['ReportPowerState', { error: 'BMC does not answer' }];
  const recovers: Line = ['ReportPowerState', { powerState: 'power on' }];

  test('C083: maintenance that a person set stays', () => {
    const node = lived(...active, ['SetMaintenance', { reason: 'new disks' }], fails);
    expect(node.view.maintenance).toMatchObject({ reason: 'new disks', fault: 'power failure' });
    expect(typesOf(node, recovers)).toEqual(['NodeMaintenanceCleared', 'NodeErrorResolved']);
    expect(node.view.maintenance).toMatchObject({ reason: 'new disks', causes: [{ cause: 'operator' }] });
    expect(node.view.maintenance).not.toHaveProperty('fault');
  });

  test('C083: maintenance that the fault set goes', () => {
    const node = lived(...active, fails);
    expect(node.view.maintenance).toMatchObject({ reason: 'BMC does not answer', fault: 'power failure' });
    expect(typesOf(node, fails)).toEqual([]);
    node.execute(...(recovers as [string, object]));
    expect(node.view).toMatchObject({ maintenance: null, lastError: null });
  });
});

describe('C085: an operation that failed', () => {
  test('C085: says so, though the node is back where it was', () => {
    const node = lived(enrol, ask('manage'), told('fail', { error: 'no such BMC' }));
    expect(node.view).toMatchObject({
      provisionState: 'enroll',
      operation: { verb: 'manage', outcome: 'failed', error: 'no such BMC', endedAt: expect.any(String) },
    });
  });

  test('C085: never leaves the node in cleaning', () => {
    const node = lived(...cleaning, told('fail', { error: 'port service: 503' }));
    expect(node.view).toMatchObject({
      provisionState: 'clean failed',
      lastError: 'port service: 503',
      maintenance: null,
    });
  });
});

describe('C088: 200 nodes that beat every ten seconds', () => {
  test('C088: write an event every quarter of an hour while they wait, and none else', () => {
    const node = lived(...waiting);
    const events = Array.from({ length: 7200 / 10 }, () => {
      node.now += 10_000;
      return typesOf(node, ['Heartbeat', {}]);
    }).flat();
    expect(events).toEqual(Array.from({ length: 8 }, () => 'NodeCallBackExtended'));
    expect(pass(node, 10_000)).toEqual([]);

    const idle = lived(...active);
    expect(typesOf(idle, ['Heartbeat', {}])).toEqual([]);
  });
});
