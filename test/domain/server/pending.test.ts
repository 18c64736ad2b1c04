import { describe, expect, test } from 'vitest';
import { asSeenBy, statusFilterFor } from '../../../src/domain/server/audience.ts';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import { filterFor, matchesFilter } from '../../../src/domain/server/status.ts';
import type { Resource } from '../../support/story.ts';
import { aServer } from './support.ts';

const noRoom = { reason: 'NoValidHost' };

function aPendingServer(settings: object = {}): Resource<Server> {
  const server = aServer({ usePendingState: true, ...settings });
  server.execute('CreateServer', { name: 'web-1', imageRef: 'cirros' });
  server.execute('ReportBuildFailure', noRoom);
  return server;
}

const deadlinesOf = (server: Resource<Server>) => serverAggregate.deadlines!(server.state!, null);

/** The clock reaches the next deadline and says so. */
function reachDeadline(server: Resource<Server>): void {
  const [{ at, command } = { at: '', command: { type: '', data: {} } }] = deadlinesOf(server);
  server.now = Date.parse(at);
  server.execute(command.type, command.data);
}

describe('C008: servers for which no host has room', () => {
  test('wait, and run once room was made: one stream, from the same beginning', () => {
    const server = aPendingServer();
    expect(server.view).toMatchObject({
      status: 'PENDING',
      host: null,
      pending: { reason: 'NoValidHost', attempt: 1 },
    });
    const { createdAt } = server.state!;

    const events = [
      ...server.execute('RebuildServer', { imageRef: 'cirros' }),
      ...server.execute('ServerScheduled', { host: 'host-1' }),
      ...server.execute('ReportBuildSuccess'),
    ].filter(({ type }) => type === 'ServerStateChanged');
    expect(events.map(({ data }) => (data as { to: { vmState: string } }).to.vmState)).toEqual([
      'building',
      'building',
      'building',
      'active',
    ]);
    expect(server.view).toMatchObject({
      status: 'ACTIVE',
      host: 'host-1',
      createdAt,
      pending: null,
      timesPending: 1,
      faults: [{ kind: 'NoValidHost' }],
      attempts: [
        { number: 1, round: 1, host: null, outcome: 'failed', reason: 'NoValidHost' },
        { number: 2, round: 2, host: 'host-1', outcome: 'succeeded' },
      ],
    });
  });

  test('wait again, and are counted, when the room was gone once more', () => {
    const server = aPendingServer();
    server.execute('RebuildServer');
    expect(server.execute('RebuildServer')).toEqual([]);
    server.execute('ReportBuildFailure', noRoom);
    expect(server.view).toMatchObject({
      status: 'PENDING',
      pending: { attempt: 2 },
      faults: [{ kind: 'NoValidHost' }, { kind: 'NoValidHost' }],
    });
  });

  test('are in ERROR where such servers are not to wait, or failed for another reason', () => {
    const unused = aServer();
    unused.execute('CreateServer');
    unused.execute('ReportBuildFailure', noRoom);
    expect(unused.view).toMatchObject({ status: 'ERROR', pending: null });

    const quota = aServer({ usePendingState: true });
    quota.execute('CreateServer');
    quota.execute('ReportBuildFailure', { reason: 'TooManyInstances' });
    expect(quota.view.status).toBe('ERROR');
  });

  test('are deleted while room is made for them, and stay deleted', () => {
    const server = aPendingServer();
    server.execute('ClaimPendingServer', { holder: 'reaper-1' });
    server.actor = { type: 'user', id: 'owner' };
    server.execute('DeleteServer');
    expect(server.refusalOf('RebuildServer', { holder: 'reaper-1' })).toBe('server-deleted');
    expect(server.view).toMatchObject({ status: 'DELETED', vmState: 'deleted', pending: null });
  });

  test('are given up by their reaper: the first cause is kept beside the order', () => {
    const server = aPendingServer();
    expect(server.execute('ResetServerState', { state: 'error' })).toMatchObject([
      { type: 'ServerStateChanged', data: { cause: 'ResetServerState', forced: 'real state not verified' } },
    ]);
    expect(server.view).toMatchObject({ status: 'ERROR', fault: { kind: 'NoValidHost' }, pending: null });
  });

  test('are ERROR to old clients and PENDING to new ones, by the same events', () => {
    const { state } = aPendingServer();
    expect(asSeenBy('predates-pending', state!)).toMatchObject({
      status: 'ERROR',
      vmState: 'error',
      showsProgress: false,
    });
    expect(asSeenBy('predates-pending', state!).fault).toMatchObject({ kind: 'NoValidHost' });
    expect(asSeenBy('knows-pending', state!)).toMatchObject({ status: 'PENDING', fault: null, showsProgress: true });
    expect(matchesFilter(statusFilterFor('predates-pending', ['ERROR']), state!)).toBe(true);
    expect(statusFilterFor('predates-pending', ['PENDING'])).toEqual({ vmStates: [], taskStates: [] });
    expect(statusFilterFor('knows-pending', ['ERROR', 'active'])).toEqual(filterFor(['ERROR', 'active']));
  });

  test('cannot be ordered to be active: they are nowhere', () => {
    expect(aPendingServer().refusalOf('ResetServerState', { state: 'active' })).toBe('server-without-host');
  });
});

describe('two reapers and one PENDING server', () => {
  test('the one that claims it first has it; the other is told by whom and how long', () => {
    const server = aPendingServer();
    const claim = server.execute('ClaimPendingServer', { holder: 'reaper-1' });
    expect(claim).toEqual([
      { type: 'PendingServerClaimed', data: { holder: 'reaper-1', expiresAt: '2026-01-01T00:05:05.000Z' } },
    ]);
    expect(server.execute('ClaimPendingServer', { holder: 'reaper-1' })).toEqual([]);
    for (const command of ['ClaimPendingServer', 'RenewPendingClaim', 'ReleasePendingClaim', 'RebuildServer']) {
      expect(server.refusalOf(command, { holder: 'reaper-2' })).toBe('pending-server-claimed');
    }
    expect(server.view.pending).toMatchObject({ lease: { holder: 'reaper-1', expiresAt: '2026-01-01T00:05:05.000Z' } });
    server.execute('RebuildServer', { holder: 'reaper-1' });
    expect(server.view).toMatchObject({ status: 'BUILD', pending: null });
  });

  test('a claim is in the name of the caller where no other is given', () => {
    const server = aPendingServer();
    server.actor = { type: 'agent', id: 'reaper-1' };
    server.execute('ClaimPendingServer');
    server.actor = { type: 'agent', id: 'reaper-2' };
    expect(server.refusalOf('RebuildServer')).toBe('pending-server-claimed');
  });

  test('a claim is renewed while the work goes on, and released when it is done', () => {
    const server = aPendingServer();
    server.execute('ClaimPendingServer', { holder: 'reaper-1' });
    server.now += 200_000;
    server.execute('RenewPendingClaim', { holder: 'reaper-1' });
    expect(server.state!.pending!.lease).toMatchObject({ expiresAt: '2026-01-01T00:08:26.000Z' });
    server.execute('ReleasePendingClaim', { holder: 'reaper-1' });
    expect(server.execute('ReleasePendingClaim', { holder: 'reaper-1' })).toEqual([]);
    expect(server.view.pending).not.toHaveProperty('lease');
    expect(server.refusalOf('RenewPendingClaim', { holder: 'reaper-1' })).toBe('pending-server-not-claimed');
  });

  test('a claim that ran out holds nobody up, whether or not the clock has said so', () => {
    const server = aPendingServer();
    server.execute('ClaimPendingServer', { holder: 'reaper-1' });
    server.now += 300_001;
    expect(server.execute('ClaimPendingServer', { holder: 'reaper-2' }).map(({ type }) => type)).toEqual([
      'PendingClaimEnded',
      'PendingServerClaimed',
    ]);

    reachDeadline(server);
    expect(server.view.pending).not.toHaveProperty('lease');
    expect(server.refusalOf('RenewPendingClaim', { holder: 'reaper-2' })).toBe('pending-server-not-claimed');
  });

  test('there is nothing to claim where nobody waits for capacity', () => {
    const server = aServer();
    server.execute('CreateServer');
    expect(server.refusalOf('ClaimPendingServer')).toBe('server-in-wrong-state');
    expect(server.refusalOf('RebuildServer')).toBe('server-in-wrong-state');
  });
});

describe('a PENDING server for which nobody makes room', () => {
  test('becomes ERROR by its deadline, once', () => {
    const server = aPendingServer({ pendingTimeoutMs: 60_000 });
    const [deadline] = deadlinesOf(server);
    expect(deadline).toMatchObject({ name: 'pending timeout', at: '2026-01-01T00:01:02.000Z' });
    reachDeadline(server);
    expect(server.view).toMatchObject({
      status: 'ERROR',
      fault: { kind: 'PendingTimeout', message: 'Nobody made room for the server within 57 seconds (NoValidHost).' },
      faults: [{ kind: 'NoValidHost' }, { kind: 'PendingTimeout' }],
    });
    expect(server.execute(deadline!.command.type, deadline!.command.data)).toEqual([]);
  });

  test('is not given up while somebody has claimed it', () => {
    const server = aPendingServer({ pendingTimeoutMs: 60_000, pendingClaimMs: 120_000 });
    server.execute('ClaimPendingServer', { holder: 'reaper-1' });
    expect(deadlinesOf(server)).toMatchObject([{ name: 'pending claim expiry' }]);
    reachDeadline(server);
    expect(server.view.status).toBe('PENDING');
    expect(deadlinesOf(server)).toMatchObject([{ name: 'pending timeout', at: '2026-01-01T00:01:02.000Z' }]);
    const [{ command } = { command: { type: '', data: {} } }] = deadlinesOf(server);
    server.execute(command.type, command.data);
    expect(server.view.status).toBe('ERROR');
  });

  test('waits for ever where there is no timeout', () => {
    expect(deadlinesOf(aPendingServer({ pendingTimeoutMs: 0 }))).toEqual([]);
  });

  test('stays PENDING when the setting is turned off meanwhile', () => {
    const server = aPendingServer();
    server.facts = { settings: { usePendingState: false } };
    server.execute('RebuildServer');
    server.execute('ServerScheduled', { host: 'host-1' });
    server.execute('ReportBuildSuccess');
    expect(server.view.status).toBe('ACTIVE');
  });
});
