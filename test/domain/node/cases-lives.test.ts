import { describe, expect, test } from 'vitest';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import { Resource } from '../../support/story.ts';
import {
  active,
  available,
  type Command,
  cleaning,
  command,
  deploying,
  enrolled,
  lived,
  manageable,
  pass,
  refusalOf,
  reports,
  typesOf,
  verb,
  waiting,
} from './lives.ts';

const step = reports('step', { step: { interface: 'deploy', name: 'erase', priority: 10 } });

describe('C015: a server is deleted, and its node is cleaned', () => {
  const instanceId = 'aaaaaaaa-0000-4000-8000-000000000001';
  const torn = [
    ...available,
    command('UpdateNode', { instanceId }),
    verb('active'),
    reports('done'),
    verb('deleted'),
    reports('clean'),
  ];

  test('C015: the tear-down lets the instance go; cleaning is the node alone', () => {
    expect(lived(...torn).view).toMatchObject({
      provisionState: 'cleaning',
      instanceId: null,
      reservation: { holder: 'c-1', since: expect.any(String) },
    });
  });

  test('C015: letting go once more, late, is answered as done', () => {
    expect(typesOf(lived(...torn), command('UpdateNode', { instanceId: null }))).toEqual([]);
  });
});

describe('C018: an error text of 100 kB', () => {
  test.each(['déjà vu 🛰️ ', '🛰', 'x'])(
    'C018: of %s is cut between characters, says so, and fails the node all the same',
    (part) => {
      const long = `first line ${part.repeat(100_000 / part.length)} last line`;
      const node = lived(...deploying);
      node.actor = { type: 'agent', id: 'f'.repeat(64) };
      node.execute('ReportProvisionEvent', { event: 'fail', holder: 'c-1', error: long });
      const { provisionState, lastError } = node.state!;
      expect(provisionState).toBe('deploy failed');
      expect(lastError).toMatch(new RegExp(`^first line ${part}`));
      expect(lastError).toMatch(/last line$/);
      expect(lastError).toContain(`[truncated, original length ${Array.from(long).length}]`);
      expect(Array.from(lastError!).length).toBeLessThan(4100);
      expect(() => encodeURIComponent(lastError!)).not.toThrow(); // it would on half a character
      node.execute('SetProvisionState', { target: 'active' });
      expect(node.view.provisionState).toBe('deploying');
    },
  );
});

describe('C020: a caller that thinks in targets', () => {
  const provided = lived(...cleaning, reports('wait'));
  const failed = lived(...deploying, reports('fail', { error: 'disk full' }));

  test.each([
    ['provide while it is being cleaned for that', provided, verb('provide'), 'already-under-way', ['abort']],
    [
      'manage after a failed deployment',
      failed,
      verb('manage'),
      'not-from-here',
      ['active', 'deploy', 'rebuild', 'deleted', 'undeploy'],
    ],
    [
      'active on an active node',
      lived(...active),
      verb('active'),
      'already-there',
      expect.arrayContaining(['rebuild']),
    ],
    [
      'a state instead of a verb',
      lived(...manageable),
      verb('available'),
      'no-such-verb',
      expect.arrayContaining(['provide']),
    ],
    ['a word of the workers', lived(...waiting), verb('resume'), 'internal-event', expect.arrayContaining(['abort'])],
  ])('C020: %s', (_, node, line, reason, allowed) => {
    const { slug, help } = refusalOf(node as Resource<Node>, line as Command);
    expect([slug, help.reason, help.ironic]).toEqual(['invalid-state-requested', reason, 'InvalidStateRequested']);
    expect(help.allowed).toEqual(allowed);
    expect((node as Resource<Node>).view.allowed).toEqual(help.allowed);
  });

  test('C020: active while it is being deployed', () => {
    expect(refusalOf(lived(...deploying), verb('active')).slug).toBe('node-locked');
  });
});

describe('C031: an operator asks what happened to a node', () => {
  test('C031: every transition says from, to, target and cause; failures beside the work are kept', () => {
    const node = new Resource(nodeAggregate);
    const lines = [
      ...deploying,
      reports('error', { during: 'vif attach of p-1', error: 'no switch' }),
      reports('error', { during: 'vif attach of p-2', error: 'no switch' }),
      reports('fail', { error: 'no network' }),
    ];
    const events = lines.flatMap(({ type, data }) => node.execute(type, data));
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
  const failed = [...cleaning, step, reports('fail', { error: 'A: erase failed' })];

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
    const node = lived(...failed, command('ClearMaintenance'), verb('manage'));
    expect(node.view).toMatchObject({ provisionState: 'manageable', lastError: 'A: erase failed' });
    expect(typesOf(node, command('ReportPowerState', { powerState: 'power off' }))).toContain('NodeErrorResolved');
    expect(node.view).toMatchObject({
      lastError: null,
      trouble: null,
      pastTroubles: [{ message: 'A: erase failed', resolvedAt: expect.any(String) }],
    });
  });

  test('C038: an error on a node that is active and well is flagged until it is resolved', () => {
    const node = lived(...active, reports('error', { error: 'power sync: in maintenance' }));
    expect(node.view.warnings).toMatchObject([{ sign: 'error-contradicts-state' }]);
    node.execute('ReportPowerState', { powerState: 'power on' });
    expect(node.view).toMatchObject({ warnings: [], lastError: null });
  });
});

describe('C061: a node that was given back', () => {
  test('C061: can be scheduled when it is available, not before', () => {
    const node = lived(...active, verb('deleted'));
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
    const node = lived(...deploying, reports('fail', { error }));
    expect(node.view).toMatchObject({
      provisionState: 'deploy failed',
      targetProvisionState: 'active',
      lastError: error,
    });
    for (const { type, data } of [verb('undeploy'), reports('clean'), reports('done')]) node.execute(type, data);
    expect(node.view).toMatchObject({ provisionState: 'available', targetProvisionState: null, lastError: null });
  });

  test('C063: tells a manual cleaning from an automated one', () => {
    const manual = lived(
      ...manageable,
      verb('clean', { cleanSteps: [{ interface: 'bios', step: 'reset' }] }),
      reports('fail'),
    );
    const automated = lived(...cleaning, reports('fail'));
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

describe('C083: the power fails and comes back', () => {
  const fails = command('ReportPowerState', { error: 'BMC does not answer' });
  const recovers = command('ReportPowerState', { powerState: 'power on' });

  test('C083: maintenance that a person set stays', () => {
    const node = lived(...active, command('SetMaintenance', { reason: 'new disks' }), fails);
    expect(node.view.maintenance).toMatchObject({ reason: 'new disks', fault: 'power failure' });
    expect(typesOf(node, recovers)).toEqual(['NodeMaintenanceCleared', 'NodeErrorResolved']);
    expect(node.view.maintenance).toMatchObject({ reason: 'new disks', causes: [{ cause: 'operator' }] });
    expect(node.view.maintenance).not.toHaveProperty('fault');
  });

  test('C083: maintenance that the fault set goes', () => {
    const node = lived(...active, fails);
    expect(node.view.maintenance).toMatchObject({ reason: 'BMC does not answer', fault: 'power failure' });
    expect(typesOf(node, fails)).toEqual([]);
    typesOf(node, recovers);
    expect(node.view).toMatchObject({ maintenance: null, lastError: null });
  });
});

describe('C085: an operation that failed', () => {
  test('C085: says so, though the node is back where it was', () => {
    const node = lived(enrolled, verb('manage'), reports('fail', { error: 'no such BMC' }));
    expect(node.view).toMatchObject({
      provisionState: 'enroll',
      operation: { verb: 'manage', outcome: 'failed', error: 'no such BMC', endedAt: expect.any(String) },
    });
  });

  test('C085: never leaves the node in cleaning', () => {
    const node = lived(...cleaning, reports('fail', { error: 'port service: 503' }));
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
      return typesOf(node, command('Heartbeat', {}));
    }).flat();
    expect(events).toEqual(Array.from({ length: 8 }, () => 'NodeCallBackExtended'));
    expect(pass(node, 10_000)).toEqual([]);

    const idle = lived(...active);
    expect(typesOf(idle, command('Heartbeat', {}))).toEqual([]);
  });
});
