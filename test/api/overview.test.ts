import jsonPatch from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { nthId } from '../support/ledger.ts';
import { connected, type Message, sharedLedger, slugOf } from './support.ts';

const { applyPatch } = jsonPatch;
const [network, port, otherPort] = [nthId(1), nthId(2), nthId(3)];
const [server, node, gone] = [nthId(4), nthId(5), nthId(6)];
const correlation = 'req/7 of 9';

/** A server whose port waits for an agent, a node that could not be deployed, a port that never rests, one that is gone. */
const shared = sharedLedger(['--read-wait-ms', '30000'], async ({ post, get }) => {
  const tell = async (path: string, type: string, data: object = {}, headers: Record<string, string> = {}) => {
    const answer = await post(`/v1/${path}/commands`, { type, data }, headers);
    expect(answer.body).toMatchObject({ resource: {} });
    return answer.body;
  };
  const together = { 'x-correlation-id': correlation };
  await tell(`networks/${network}`, 'CreateNetwork', { name: 'front' }, together);
  await tell(`servers/${server}`, 'CreateServer', { name: 'web-1', ports: [port] }, together);
  const details = { name: 'web-1-eth0', networkId: network, deviceId: server, deviceOwner: 'compute:nova' };
  await tell(`ports/${port}`, 'CreatePort', details, together);
  await tell(`ports/${port}`, 'AddProvisioningComponent', { entity: 'L2', host: 'compute-17' });
  await post('/v1/clock', { advance: 'PT2M' });
  await tell(`ports/${otherPort}`, 'CreatePort', { name: 'web-2-eth0' });
  await tell(`ports/${otherPort}`, 'AddProvisioningComponent', { entity: 'DHCP' });
  await tell(`nodes/${node}`, 'EnrollNode', { name: 'rack-1', provisionState: 'available' });
  await tell(`nodes/${node}`, 'SetProvisionState', { target: 'active' });
  await tell(`nodes/${node}`, 'ReportProvisionEvent', { event: 'fail', error: 'the disk is full' });
  await tell(`ports/${gone}`, 'CreatePort', { name: 'web-0-eth0' });
  for (const status of ['ERROR', 'DOWN', 'ERROR', 'DOWN']) await tell(`ports/${gone}`, 'SetPortStatus', { status });
  const { position } = await tell(`ports/${gone}`, 'DeletePort');
  expect((await get(`/v1/overview?min_position=${position}`)).status).toBe(200);
});
const get = async (path: string) => {
  const { status, body } = await shared().get(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const ids = (items: { resource: { id: string } }[]) => items.map(({ resource }) => resource.id);

describe('the overview', () => {
  test('says how many are in which status', async () => {
    const { counts, position } = await get('/v1/overview');
    expect(counts).toContainEqual({ kind: 'node', status: 'deploy failed', count: 1 });
    expect(counts).toContainEqual({ kind: 'network', status: 'ACTIVE', count: 1 });
    expect(position).toMatch(/^\d{16}$/);
  });

  test('shows who waits longest, for what, and why', async () => {
    const { blocked } = await get('/v1/overview');
    const waits = blocked.oldest.filter(({ resource }: { resource: { kind: string } }) => resource.kind === 'port');
    expect(ids(waits)).toEqual([port, otherPort]);
    expect(waits[0]).toMatchObject({
      resource: { kind: 'port', name: 'web-1-eth0' },
      wait: { what: 'L2', host: 'compute-17' },
      reason: expect.any(String),
    });
    expect(blocked.total).toBe(blocked.oldest.length);
    expect((await get('/v1/overview?limit=1')).blocked).toMatchObject({ total: blocked.total, oldest: [{}] });
  });

  test('shows what failed with its reason, what is restless, and how much happens', async () => {
    const { failures, flapping, rates, parked, at } = await get('/v1/overview');
    expect(failures).toMatchObject([{ resource: { id: node, status: 'deploy failed' } }]);
    expect(failures[0].reason).toContain('the disk is full');
    expect(flapping).toMatchObject([{ resource: { id: gone }, changes: expect.any(Number) }]);
    expect(flapping[0].changes).toBeGreaterThanOrEqual(4);
    expect(new Set(rates.map(({ minute }: { minute: string }) => minute)).size).toBe(2);
    expect((await get('/v1/overview?minutes=1')).rates[0].minute).toBe(at.slice(0, 16));
    expect(parked).toEqual({ total: 0, first: [] });
  });
});

describe('who waits for whom', () => {
  test.each([
    ['?kind=port', [port, otherPort]],
    ['?kind=port&what=DHCP', [otherPort]],
    ['?host=compute-17', [port]],
    ['?host=compute-18', []],
    ['?holder=nobody', []],
    ['?kind=port&before=2026-01-01T00:01:00Z', [port]],
    ['?kind=port&limit=1', [port]],
  ])('GET /v1/blocked%s', async (query, expected) => {
    expect(ids((await get(`/v1/blocked${query}`)).items)).toEqual(expected);
  });

  test('goes on with the marker of the page before', async () => {
    const { next } = await get('/v1/blocked?kind=port&limit=1');
    expect(await get(`/v1/blocked?kind=port&marker=${next}`)).toMatchObject({
      items: [{ wait: { what: 'DHCP' } }],
      next: null,
    });
  });
});

describe('one resource among others', () => {
  test('has a graph of what it depends on and what depends on it', async () => {
    const { vertices, edges, truncated } = await get(`/v1/graph/port/${port}`);
    expect(vertices[0]).toMatchObject({
      kind: 'port',
      id: port,
      distance: 0,
      deleted: false,
      resource: { name: 'web-1-eth0' },
    });
    expect(vertices.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([network, server]));
    expect(edges).toContainEqual({
      from: { kind: 'port', id: port },
      to: { kind: 'network', id: network },
      relation: 'network',
    });
    expect(truncated).toBe(false);
    expect((await get(`/v1/graph/port/${port}?depth=1&limit=2`)).truncated).toBe(true);
  });

  test('has a timeline of its statuses, also when it is gone', async () => {
    const { items } = await get(`/v1/ports/${gone}/timeline`);
    expect(items.map(({ status }: { status: string }) => status)).toEqual(expect.arrayContaining(['DOWN', 'ERROR']));
    const first = await get(`/v1/ports/${gone}/timeline?limit=1`);
    const rest = await get(`/v1/ports/${gone}/timeline?marker=${first.next}`);
    expect([...first.items, ...rest.items]).toEqual(items);
  });

  test('is found by the beginning of its id or its name', async () => {
    const found = async (query: string) =>
      (await get(`/v1/search?q=${query}`)).items.map(({ name }: { name: string | null }) => name);
    expect((await found('web-')).sort()).toEqual(['web-0-eth0', 'web-1', 'web-1-eth0', 'web-2-eth0']);
    expect((await found('web-1'))[0]).toBe('web-1');
    expect(await found(`web-&kind=server`)).toEqual(['web-1']);
    expect(await found(port.slice(0, -1))).toHaveLength(6);
    expect(await found(port)).toEqual(['web-1-eth0']);
    expect(await found('%25')).toEqual([]);
    expect((await get('/v1/search?q=web-0')).items).toMatchObject([{ deletedAt: expect.any(String) }]);
  });

  test('shares an operation with all that the same request caused', async () => {
    const { events, correlationId, next } = await get(`/v1/operations/${encodeURIComponent(correlation)}`);
    expect([correlationId, next]).toEqual([correlation, null]);
    expect(new Set(events.map(({ resource }: { resource: { id: string } }) => resource.id))).toEqual(
      new Set([network, server, port]),
    );
    const first = await get(`/v1/operations/${encodeURIComponent(correlation)}?limit=1`);
    const rest = await get(`/v1/operations/${encodeURIComponent(correlation)}?marker=${first.next}`);
    expect([...first.events, ...rest.events]).toEqual(events);
    expect((await get('/v1/operations/unheard-of')).events).toEqual([]);
  });
});

describe('what cannot be asked', () => {
  test.each([
    ['/v1/overview?limit=101', '/limit'],
    ['/v1/overview?minutes=0', '/minutes'],
    ['/v1/blocked?kind=rack', '/kind'],
    ['/v1/blocked?marker=x', '/marker'],
    ['/v1/search', '/q'],
    ['/v1/search?q=', '/q'],
    [`/v1/graph/port/${port}?depth=7`, '/depth'],
    ['/v1/graph/port/none', '/id'],
    [`/v1/ports/${port}/timeline?from=then`, '/from'],
    ['/v1/operations/a?limit=0', '/limit'],
  ])('%s is refused with a pointer', async (path, pointer) => {
    const answer = await shared().get(path);
    expect([answer.status, answer.body.errors?.[0].pointer]).toEqual([400, pointer]);
  });

  test('the graph and timeline of what never was, and the graph of no kind', async () => {
    for (const path of [`/v1/graph/port/${nthId(99)}`, `/v1/ports/${nthId(99)}/timeline`]) {
      const answer = await shared().get(path);
      expect([answer.status, slugOf(answer)]).toEqual([404, 'port-not-found']);
    }
    expect(slugOf(await shared().get(`/v1/graph/rack/${port}`))).toBe('unknown-path');
  });
});

describe('a subscriber', () => {
  test.each(['/v1/overview', '/v1/blocked?kind=port'])('of %s sees a port that begins to wait', async (path) => {
    const { url, command } = shared();
    const stream = await connected(`${url}${path}`);
    const next = async () => (await stream.next()).value as Message;
    const snapshot = await next();
    expect(snapshot.event).toBe('snapshot');
    const id = nthId(path.length + 100);
    await command('CreatePort', {}, {}, id);
    await command('AddProvisioningComponent', { entity: 'L2', host: 'late' }, {}, id);
    let document = snapshot.data;
    const hosts = () =>
      (document.items ?? document.blocked.oldest).map(({ wait }: { wait: { host: string } }) => wait.host);
    while (!hosts().includes('late')) {
      const { event, data } = await next();
      expect(event).toBe('patch');
      document = applyPatch(document, data, true).newDocument;
    }
    await stream.return(undefined);
    await command('DeletePort', {}, {}, id);
  });
});
