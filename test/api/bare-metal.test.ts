import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashToken } from '../../src/api/access/tokens.ts';
import { nthId } from '../support/ledger.ts';
import { type Answer, eventually, sharedLedger, slugOf } from './support.ts';

const people = { 'conductor-1': 'agent', olga: 'operator', ada: 'admin' } as const;
type Person = keyof typeof people;

/** A site with little room and little patience, whose people are known by their tokens. */
function siteFlags(): string[] {
  const tokens = Object.entries(people).map(([name, role]) => ({ name, sha256: hashToken(name), roles: [role] }));
  const file = join(mkdtempSync(join(tmpdir(), 'stackledger-')), 'tokens.json');
  writeFileSync(file, JSON.stringify({ tokens }));
  const limits = { 'max-concurrent-deploy': 2, 'max-concurrent-clean': 1, 'workers-per-conductor': 2 };
  const patience = {
    'deploy-call-back-timeout-ms': 100_000,
    'clean-call-back-timeout-ms': 120_000,
    'rescue-call-back-timeout-ms': 180_000,
    'service-call-back-timeout-ms': 240_000,
    'inspect-timeout-ms': 300_000,
  };
  const settings = { ...limits, ...patience, 'tokens-file': file, 'drivers-without-inspect-abort': 'slow, slower' };
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
}

const shared = sharedLedger(siteFlags());
let last = 0;
const freshId = (): string => nthId(++last);

const as = (person: Person) => ({ authorization: `Bearer ${person}` });
const tell = (by: Person, kind: string, id: string, type: string, data: object = {}): Promise<Answer> =>
  shared().post(`/v1/${kind}/${id}/commands`, { type, data }, as(by));
const look = async (kind: string, id: string) => (await shared().get(`/v1/${kind}/${id}`, as('olga'))).body;
const pass = (advance: string) => shared().post('/v1/clock', { advance }, as('ada'));

/** Gives commands that are all to be accepted. */
async function live(by: Person, kind: string, id: string, ...commands: [type: string, data?: object][]) {
  for (const [type, data] of commands) {
    const { status, body } = await tell(by, kind, id, type, data);
    expect([type, status, body.detail]).toEqual([type, 200, undefined]);
  }
  return id;
}
const node = (...commands: [type: string, data?: object][]) => live('olga', 'nodes', freshId(), ...commands);
const available = ['EnrollNode', { provisionState: 'available', conductor: 'conductor-1' }] as [string, object];
const verb = (target: string, more: object = {}) => ['SetProvisionState', { target, ...more }] as [string, object];
const reports = (event: string, more: object = {}) =>
  ['ReportProvisionEvent', { event, holder: 'conductor-1', ...more }] as [string, object];

describe('a site that deploys two nodes at a time', () => {
  test('refuses the third, says how many there are, and takes it when one is done', async () => {
    const elsewhere = ['EnrollNode', { provisionState: 'available', conductor: 'conductor-2' }] as [string, object];
    const first = await node(available, verb('active'), reports('wait'));
    const second = await node(available, verb('active'));
    const third = await node(elsewhere);
    const refused = await tell('olga', 'nodes', third, ...verb('active'));
    expect([refused.status, slugOf(refused)]).toEqual([503, 'concurrent-action-limit']);
    expect(refused.body).toMatchObject({ underWay: 2, limit: 2, retryable: true });
    expect(await look('nodes', third)).toMatchObject({ provisionState: 'available', reservation: null });

    await live('conductor-1', 'nodes', second, reports('done'));
    const accepted = await tell('olga', 'nodes', third, ...verb('active'));
    expect(accepted.status).toBe(200);
    const started = accepted.body.events.find(({ type }: { type: string }) => type === 'NodeOperationStarted');
    expect(started.data.limit).toEqual({ of: 'deploy', underWay: 1, allowed: 2 });

    await live('olga', 'nodes', third, ['ReportProvisionEvent', { event: 'fail', holder: 'conductor-2' }]);
    await live('conductor-1', 'nodes', first, reports('resume'), reports('done'));
  });

  test('counts a tear-down as a cleaning, from its first moment to its last', async () => {
    const going = await node(available, verb('active'), reports('done'), verb('deleted'));
    const staying = await node(available, verb('active'), reports('done'));
    const refused = await tell('olga', 'nodes', staying, ...verb('deleted'));
    expect([slugOf(refused), refused.body.limit]).toEqual(['concurrent-action-limit', 1]);
    await live('conductor-1', 'nodes', going, reports('clean'));
    expect(slugOf(await tell('olga', 'nodes', staying, ...verb('deleted')))).toBe('concurrent-action-limit');
    await live('conductor-1', 'nodes', going, reports('done'));
    await live('olga', 'nodes', staying, verb('deleted'), reports('clean'), reports('done'));
  });

  test('has two workers in each conductor, and a third node waits for one of them', async () => {
    const enrolled = ['EnrollNode', { conductor: 'conductor-1' }] as [string, object];
    const busy = [await node(enrolled, verb('manage')), await node(enrolled, verb('manage'))];
    const waiting = await node(enrolled);
    const refused = await tell('olga', 'nodes', waiting, ...verb('manage'));
    expect([refused.status, slugOf(refused)]).toEqual([503, 'no-free-worker']);
    expect(refused.body).toMatchObject({ conductor: 'conductor-1', busy: 2 });
    for (const id of busy) await live('conductor-1', 'nodes', id, reports('done'));
    await live('olga', 'nodes', waiting, verb('manage'), reports('done'));
  });
});

describe('a node that never calls back', () => {
  const enroll = ['EnrollNode', { conductor: 'conductor-1' }] as [string, object];
  const manage = [enroll, verb('manage'), reports('done')] as const;
  const active = [available, verb('active'), reports('done')] as const;
  const waits: [state: string, afterMs: number, life: readonly [string, object][], failed: string][] = [
    ['wait call-back', 100, [available, verb('active'), reports('wait')], 'deploy failed'],
    ['clean wait', 120, [...manage, verb('provide'), reports('wait')], 'clean failed'],
    ['rescue wait', 180, [...active, verb('rescue', { rescuePassword: 'x' }), reports('wait')], 'rescue failed'],
    [
      'service wait',
      240,
      [...active, verb('service', { serviceSteps: [{ interface: 'bios', step: 'apply' }] }), reports('wait')],
      'service failed',
    ],
    ['inspect wait', 300, [...manage, verb('inspect'), reports('wait')], 'inspect failed'],
  ];

  test.each(waits)(
    'in %s is given up after the %d seconds that the site says',
    async (state, seconds, life, failed) => {
      const id = await node(...life);
      await pass(`PT${seconds - 1}S`);
      expect((await look('nodes', id)).provisionState).toBe(state);
      await pass('PT1S');
      expect(await look('nodes', id)).toMatchObject({
        provisionState: failed,
        lastError: expect.stringContaining(state),
      });
    },
  );

  test('can be let go, unless its driver cannot do that', async () => {
    const waiting = (driver: string) => [['EnrollNode', { driver, conductor: 'conductor-1' }], ...manage.slice(1)];
    const life = (driver: string) => [...waiting(driver), verb('inspect'), reports('wait')] as [string, object][];
    const slow = await node(...life('slower'));
    expect(slugOf(await tell('olga', 'nodes', slow, ...verb('abort')))).toBe('abort-not-supported');
    await node(...life('ipmi'), verb('abort'));
    await pass('PT5M');
  });
});

describe('a ramdisk of an attempt that was given up', () => {
  test('is refused, and what it said is in the history, also where it repeats itself under a key (C041)', async () => {
    const id = await node(available, verb('active'), reports('wait'));
    await pass('PT100S');
    await live('olga', 'nodes', id, verb('active'), reports('wait'));
    const before = await look('nodes', id);

    const late = { type: 'ReportProvisionEvent', data: { event: 'resume', attempt: 1 } };
    for (const key of ['late-1', 'late-1', 'late-2']) {
      const headers = { ...as('conductor-1'), 'idempotency-key': key };
      const refused = await shared().post(`/v1/nodes/${id}/commands`, late, headers);
      expect([refused.status, slugOf(refused)]).toEqual([409, 'stale-report']);
    }
    const after = await look('nodes', id);
    expect(after).toMatchObject({ provisionState: 'wait call-back', callBack: before.callBack, attempts: 2 });
    expect(after.revision).toBe(before.revision + 1);
    const { body } = await shared().get(`/v1/nodes/${id}/history`, as('olga'));
    expect(body.events.at(-1)).toMatchObject({
      type: 'NodeReportIgnored',
      data: { event: 'resume', attempt: 1, currentAttempt: 2 },
      actor: { id: 'conductor-1' },
    });
    await live('olga', 'nodes', id, reports('resume'), reports('done'));
  });
});

describe('a server that an administrator has locked', () => {
  test('is left alone by operators; administrators overrule the lock, and that is told', async () => {
    const id = await live('olga', 'servers', freshId(), ['CreateServer', { name: 'web-1' }]);
    await live('conductor-1', 'servers', id, ['ServerScheduled', { host: 'h-1' }], ['ReportBuildSuccess']);
    await live('ada', 'servers', id, ['LockServer', { reason: 'audit' }]);

    const refused = await tell('olga', 'servers', id, 'StopServer');
    expect([refused.status, slugOf(refused)]).toEqual([409, 'server-locked']);
    expect(refused.body).toMatchObject({ state: 'ada', reason: 'audit', detail: expect.stringContaining('ada') });
    expect(refused.body.allowed).not.toContain('StopServer');

    const accepted = await tell('ada', 'servers', id, 'StopServer');
    expect(accepted.body.events[0]).toMatchObject({ type: 'ServerActionStarted', data: { despiteLock: 'ada' } });
    await live('conductor-1', 'servers', id, ['ReportActionSuccess', { action: 'StopServer' }]);
    await live('olga', 'servers', id, ['UnlockServer'], ['StartServer']);
  });
});

describe('a conductor that falls silent', () => {
  const conductor = (name: string) => encodeURIComponent(`${name}:Ironic conductor`);
  const beat = (name: string) => live('conductor-1', 'agents', conductor(name), ['Heartbeat']);
  const on = (name: string) => ['EnrollNode', { provisionState: 'available', conductor: name }] as [string, object];

  test('loses its nodes to one that is alive: what it did has failed, what waits goes on (C003)', async () => {
    for (const name of ['c-1', 'c-2']) await live('conductor-1', 'agents', conductor(name), ['RegisterAgent']);
    const deploying = await node(on('c-1'), verb('active'));
    const waiting = await node(on('c-1'), verb('active'), ['ReportProvisionEvent', { event: 'wait', holder: 'c-1' }]);
    const idle = await node(on('c-1'));
    const others = await node(on('c-2'));
    await pass('PT50S');
    await beat('c-2');
    await pass('PT25S');

    await eventually(() => look('nodes', idle)).toMatchObject({ conductor: 'c-2' });
    await eventually(() => look('nodes', deploying)).toMatchObject({
      provisionState: 'deploy failed',
      targetProvisionState: 'active',
      reservation: null,
      conductor: 'c-2',
      lastError: 'The conductor c-1 was lost and c-2 took over while the node was deploying.',
    });
    expect(await look('nodes', others)).toMatchObject({ conductor: 'c-2', revision: 0 });
    const { body } = await shared().get(`/v1/nodes/${deploying}/history`, as('olga'));
    expect(body.events.at(-1).actor).toEqual({ type: 'system', id: 'take-over of c-1' });

    expect(await look('nodes', waiting)).toMatchObject({ provisionState: 'wait call-back', conductor: 'c-2' });
    const callBack = { event: 'resume', attempt: 1 };
    await live('conductor-1', 'nodes', waiting, ['ReportProvisionEvent', callBack]);
    await live('conductor-1', 'nodes', waiting, ['ReportProvisionEvent', { event: 'done', holder: 'c-2' }]);
    expect((await look('nodes', waiting)).provisionState).toBe('active');
  });

  test('gets no new work: what begins for it ends at once, on a conductor that lives', async () => {
    const id = await node(on('c-1'), verb('active'));
    await eventually(() => look('nodes', id)).toMatchObject({ provisionState: 'deploy failed', conductor: 'c-2' });
    await live('olga', 'nodes', id, verb('active'));
    expect(await look('nodes', id)).toMatchObject({ provisionState: 'deploying', reservation: { holder: 'c-2' } });
  });

  test('may be taken over by hand, once', async () => {
    const id = await node(on('c-3'), verb('active'));
    const takeOver = ['TakeOverConductor', { conductor: 'c-3', by: 'c-2' }] as [string, object];
    const first = await tell('conductor-1', 'nodes', id, ...takeOver);
    expect(first.body.state).toMatchObject({ provisionState: 'deploy failed', conductor: 'c-2', reservation: null });
    const second = await tell('conductor-1', 'nodes', id, ...takeOver);
    expect([second.status, second.body.events]).toEqual([200, []]);
  });
});
