import { describe, expect, test } from 'vitest';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import {
  active,
  available,
  type Command,
  cleaning,
  command,
  deploying,
  enrolled,
  lived,
  livedKnowing,
  manageable,
  minutes,
  pass,
  refusalOf,
  reports,
  typesOf,
  verb,
  waiting,
} from './lives.ts';

describe('C003: a conductor dies while it works on nodes', () => {
  const takeOver = command('TakeOverConductor', { conductor: 'c-1', by: 'c-2' });
  const working: Record<string, [Command[], string, string | null]> = {
    deploying: [deploying, 'deploy failed', 'active'],
    cleaning: [cleaning, 'clean failed', 'available'],
    'inspecting in maintenance': [
      [...manageable, command('SetMaintenance', { reason: 'a look' }), verb('inspect')],
      'inspect failed',
      'manageable',
    ],
    servicing: [
      [...active, verb('service', { serviceSteps: [{ interface: 'bios', step: 'update' }] })],
      'service failed',
      'active',
    ],
    rescuing: [[...active, verb('rescue', { rescuePassword: 'pw' })], 'rescue failed', 'rescue'],
    deleting: [[...active, verb('deleted')], 'error', null],
    verifying: [[enrolled, verb('manage')], 'enroll', null],
  };

  test.each(Object.entries(working))(
    'C003: %s fails, with the target kept and a reason',
    (_, [lines, state, target]) => {
      const node = lived(...lines);
      const events = node.execute(takeOver.type, takeOver.data);
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
    const node = lived(...waiting, command('ReserveNode', { holder: 'c-1', purpose: 'console' }));
    expect(typesOf(node, takeOver)).toEqual(['NodeTakenOver', 'NodeReleased']);
    expect(node.view).toMatchObject({ provisionState: 'wait call-back', lastError: null });
    node.execute('ReportProvisionEvent', { event: 'resume' });
    expect(node.view).toMatchObject({ provisionState: 'deploying', reservation: { holder: 'c-2' } });
    node.execute('ReportProvisionEvent', { event: 'done', holder: 'c-2' });
    expect(node.view.provisionState).toBe('active');
  });

  test('C003: work that another conductor does is left alone', () => {
    const node = lived(enrolled, verb('manage', { holder: 'c-3' }));
    expect(typesOf(node, takeOver)).toEqual(['NodeTakenOver']);
    expect(node.view).toMatchObject({ provisionState: 'verifying', reservation: { holder: 'c-3' } });
  });

  const restart = command('TakeOverConductor', { conductor: 'c-1', by: 'c-2', lostAt: '2020-01-01T00:00:00.000Z' });
  test.each([
    ['is gone holds no lock, whatever the clocks have said since', { alive: false }, null],
    ['is back keeps what it locked since', { alive: true }, 'c-1'],
    ['nothing is known of keeps what it locked since', null, 'c-1'],
  ])('C003: a conductor that %s', (_, agent, holder) => {
    const node = livedKnowing({ related: { stateOf: () => agent } }, ...deploying);
    node.execute(restart.type, restart.data);
    expect(node.view).toMatchObject({ conductor: 'c-2', reservation: holder && { holder } });
  });

  test('C003: nodes of other conductors are not touched', () => {
    expect(typesOf(lived(...deploying), command('TakeOverConductor', { conductor: 'c-8', by: 'c-9' }))).toEqual([]);
  });
});

describe('C021: a lock, and an association', () => {
  const first = 'aaaaaaaa-0000-4000-8000-000000000001';
  const second = 'aaaaaaaa-0000-4000-8000-000000000002';

  test('C021: a lock is worth waiting for', () => {
    const node = lived(
      ...manageable,
      command('ReserveNode', { holder: 'power sync', purpose: 'power sync', leaseMs: 30_000 }),
    );
    const update = command('UpdateNode', { name: 'b-1' });
    for (let tries = 0; tries < 10; tries++) {
      const { slug, help } = refusalOf(node, update);
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
    const node = lived(...available, command('UpdateNode', { instanceId: first }));
    const { slug, help, message } = refusalOf(node, command('UpdateNode', { instanceId: second }));
    expect(slug).toBe('node-associated');
    expect(help).toMatchObject({ reason: 'associated', retryable: false, current: first });
    expect(message).toMatch(/Clear the association first, or adopt/);
  });
});

describe('C040: two workers tell of one failure', () => {
  const clean = verb('clean', { cleanSteps: [{ interface: 'bios', step: 'reset' }] });
  const third = [...manageable, clean, reports('done'), clean, reports('wait')];

  test('C040: one transition; the duplicate is no change; an older attempt is recorded and ignored', () => {
    const node = lived(...third);
    expect(node.state!.attempts).toBe(3);
    expect(pass(node, 31 * minutes)).toEqual(['NodeProvisionStateChanged']);
    expect(pass(node, 31 * minutes)).toEqual([]);
    const fail = (attempt: number) => command('ReportProvisionEvent', { event: 'fail', attempt });
    expect(typesOf(node, fail(3))).toEqual([]);
    expect(typesOf(node, fail(3))).toEqual([]);
    expect(typesOf(node, fail(2))).toEqual(['NodeReportIgnored']);
    expect(typesOf(node, fail(2))).toEqual([]);
    expect(node.view).toMatchObject({ provisionState: 'clean failed', ignored: { attempt: 2, event: 'fail' } });
  });

  test('C040: a deadline that comes late, or for another attempt, changes nothing', () => {
    const node = lived(...third);
    const [deadline] = nodeAggregate.deadlines!(node.state!, null);
    expect(typesOf(node, deadline!.command as Command)).toEqual([]);
    node.execute('ReportProvisionEvent', { event: 'resume' });
    node.now += 60 * minutes;
    expect(typesOf(node, deadline!.command as Command)).toEqual([]);
  });
});

describe('C041: what an attempt leaves behind', () => {
  const marked = [
    ...deploying,
    reports('step', { step: { name: 'write' }, markers: { polling: true } }),
    reports('wait'),
  ];

  test('C041: vanishes with it, and a call-back of its time is told to stop', () => {
    const node = lived(...marked);
    const first = node.state!.lastToken;
    expect(node.state!.operation!.markers).toEqual({ polling: true });
    pass(node, 31 * minutes);
    expect(node.state!.operation!.markers).toEqual({});

    for (const { type, data } of [verb('active'), reports('wait')]) node.execute(type, data);
    const second = node.state!.lastToken;
    expect(typesOf(node, command('Heartbeat', { token: second }))).toEqual([]);
    const late = refusalOf(node, command('Heartbeat', { token: first }));
    expect([late.slug, late.definition.category]).toEqual(['stale-report', 'conflict']);
    expect(refusalOf(node, command('ReportProvisionEvent', { event: 'resume', token: first })).slug).toBe(
      'stale-report',
    );
    node.execute('ReportProvisionEvent', { event: 'resume', token: second });
    expect(node.view.provisionState).toBe('deploying');
  });

  test('C041: that call-back is recorded, once however often it comes, and changes nothing else', () => {
    const node = lived(...marked);
    const first = node.state!.lastToken;
    pass(node, 31 * minutes);
    for (const { type, data } of [verb('active'), reports('wait')]) node.execute(type, data);

    const before = structuredClone(node.state!);
    const late = command('Heartbeat', { token: first, holder: 'old ramdisk' });
    expect(() => node.execute(late.type, late.data)).toThrow('comes too late');
    const told = { event: 'Heartbeat', token: first, attempt: null, holder: 'old ramdisk', error: null };
    expect(node.state).toEqual({
      ...before,
      ignored: told,
      revision: before.revision + 1,
      updatedAt: expect.anything(),
    });
    for (let beats = 0; beats < 3; beats++) expect(() => node.execute(late.type, late.data)).toThrow('comes too late');
    expect(node.state!.revision).toBe(before.revision + 1);

    const callBack = command('ReportProvisionEvent', { ...late.data, event: 'resume' });
    for (const { type, data } of [callBack, late, callBack]) expect(() => node.execute(type, data)).toThrow('too late');
    expect(node.state!.ignored).toEqual({ ...told, event: 'resume' });
    expect(node.state!.revision).toBe(before.revision + 2);
  });
});

describe('C080: a call-back that meets a console', () => {
  test('C080: is kept, and acted on in the append that frees the lock', () => {
    const node = lived(...waiting, command('ReserveNode', { holder: 'console-7', purpose: 'console' }));
    const resume = command('ReportProvisionEvent', { event: 'resume', holder: 'c-1', attempt: 3 });
    expect(typesOf(node, resume)).toEqual(['NodeReportPostponed']);
    expect(typesOf(node, resume)).toEqual([]);
    expect(node.view).toMatchObject({
      provisionState: 'wait call-back',
      postponed: { event: 'resume', since: expect.any(String), blockedBy: { holder: 'console-7', purpose: 'console' } },
    });
    expect(typesOf(node, command('ReleaseNode', { holder: 'console-7' }))).toEqual([
      'NodeReleased',
      'NodeReserved',
      'NodeProvisionStateChanged',
    ]);
    expect(node.view).toMatchObject({ provisionState: 'deploying', reservation: { holder: 'c-1' }, postponed: null });
  });

  test('C080: is not mistaken for the console, though both are the conductor itself', () => {
    const node = lived(...waiting, command('ReserveNode', { holder: 'c-1', purpose: 'console' }));
    expect(typesOf(node, reports('resume'))).toEqual(['NodeReportPostponed']);
    expect(node.view).toMatchObject({ provisionState: 'wait call-back', reservation: { purpose: 'console' } });
  });

  test('C080: does not run into its deadline while somebody else holds the lock', () => {
    const node = lived(...waiting, command('ReserveNode', { holder: 'console-7', purpose: 'console' }));
    expect(pass(node, 60 * minutes)).toEqual([]);
  });

  test('C080: is acted on too when the console is lost', () => {
    const node = lived(
      ...waiting,
      command('ReserveNode', { holder: 'console-7', purpose: 'console', leaseMs: 60_000 }),
    );
    node.execute('ReportProvisionEvent', { event: 'resume', holder: 'c-1' });
    expect(pass(node, 2 * minutes)).toEqual(['NodeReleased', 'NodeReserved', 'NodeProvisionStateChanged']);
  });
});
