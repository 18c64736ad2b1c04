import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, sharedLedger } from '../support.ts';
import { patient } from './site.ts';

const shared = sharedLedger(['--use-pending-state', ...patient]);

const call = (
  method: string,
  path: string,
  body?: unknown,
  version = 'latest',
  more: Record<string, string> = {},
): Promise<Answer> =>
  shared().ask(`/compute/v2.1/${path}`, {
    method,
    headers: {
      'openstack-api-version': `compute ${version}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const tell = (id: string, type: string, data: object = {}): Promise<Answer> =>
  shared().post(`/v1/servers/${id}/commands`, { type, data });

const image = randomUUID();

async function newServer(server: object = {}): Promise<string> {
  const wanted = { name: 's', imageRef: image, flavorRef: '1', networks: 'none', ...server };
  const { body } = await call('POST', 'servers', { server: wanted });
  return body.server.id;
}

async function activeServer(): Promise<string> {
  const id = await newServer();
  await tell(id, 'ServerScheduled', { host: 'host1' });
  await tell(id, 'ReportBuildSuccess', { host: 'host1' });
  return id;
}

async function pendingServer(): Promise<string> {
  const id = await newServer();
  await tell(id, 'ReportBuildFailure', { reason: 'NoValidHost' });
  return id;
}

const act = (id: string, action: object): Promise<Answer> => call('POST', `servers/${id}/action`, action);

describe('which version a request is answered in', () => {
  interface Case {
    readonly name: string;
    readonly request_headers: [string, string][];
    readonly expected_http_status: number;
    readonly response_headers: Readonly<Record<string, string | null | readonly string[]>>;
    readonly response_body: Readonly<Record<string, { code?: number }>>;
  }
  const { cases } = JSON.parse(
    readFileSync(new URL('../../vectors/nova/microversion-vectors.json', import.meta.url), 'utf8'),
  ) as { cases: Case[] };

  it.each(cases.filter(({ expected_http_status: status }) => [202, 400, 406].includes(status)))(
    '$name',
    async (row) => {
      const { status, headers, body } = await shared().ask('/compute/v2.1/flavors/any', {
        headers: row.request_headers,
      });
      expect(status).toBe(row.expected_http_status === 202 ? 200 : row.expected_http_status);
      for (const name of ['OpenStack-API-Version', 'X-OpenStack-Nova-API-Version']) {
        expect(headers.get(name)).toBe(row.response_headers[name] ?? null);
      }
      if (status >= 400) expect(Object.keys(body)).toEqual(Object.keys(row.response_body));
    },
  );
});

describe('a client of Nova', () => {
  it('asks for a server and sees it being built', async () => {
    const server = { name: 'web', imageRef: image, flavorRef: '1', networks: 'auto', metadata: { a: 'b' } };
    const asked = await call('POST', 'servers', { server });
    expect(asked.status).toBe(202);
    const { id } = asked.body.server;
    expect(asked.headers.get('location')).toMatch(`/compute/v2.1/servers/${id}`);
    expect((await call('GET', `servers/${id}`)).body.server).toMatchObject({
      name: 'web',
      status: 'BUILD',
      'OS-EXT-STS:vm_state': 'building',
      'OS-EXT-STS:task_state': 'scheduling',
      'OS-EXT-STS:power_state': 0,
      'OS-SRV-USG:launched_at': null,
      hostId: '',
      addresses: {},
      progress: 0,
      metadata: { a: 'b' },
    });
  });

  it('starts, stops, locks and deletes it', async () => {
    const id = await activeServer();
    const shown = (await call('GET', `servers/${id}`)).body.server;
    expect(shown).toMatchObject({ status: 'ACTIVE', 'OS-EXT-STS:power_state': 1, locked: false });
    expect(shown.hostId).toMatch(/^[0-9a-f]{56}$/);
    expect((await act(id, { 'os-stop': null })).status).toBe(202);
    const again = await act(id, { 'os-stop': null });
    expect(again).toMatchObject({ status: 409, body: { conflictingRequest: { code: 409 } } });
    await tell(id, 'ReportActionSuccess', { action: 'StopServer' });
    expect((await call('GET', `servers/${id}`)).body.server.status).toBe('SHUTOFF');
    expect((await act(id, { lock: { locked_reason: 'mine' } })).status).toBe(202);
    expect((await call('GET', `servers/${id}`, undefined, '2.72')).body.server).not.toHaveProperty('locked_reason');
    expect((await act(id, { unlock: null })).status).toBe(202);
    expect((await call('DELETE', `servers/${id}`)).status).toBe(204);
  });

  it('reads what was asked of it, also when it is gone', async () => {
    const id = await activeServer();
    await act(id, { reboot: { type: 'SOFT' } });
    await tell(id, 'ReportActionFailure', { action: 'SoftRebootServer', reason: 'Oops' });
    await call('DELETE', `servers/${id}`);
    await tell(id, 'ReportActionSuccess', { action: 'DeleteServer' });
    const { instanceActions } = (await call('GET', `servers/${id}/os-instance-actions`)).body;
    expect(instanceActions.map(({ action, message }: Record<string, unknown>) => [action, message])).toEqual([
      ['delete', null],
      ['reboot', 'Error'],
      ['create', null],
    ]);
    const one = await call('GET', `servers/${id}/os-instance-actions/${instanceActions[1].request_id}`);
    expect(one.body.instanceAction.events).toMatchObject([{ event: 'compute_reboot_instance', result: 'Error' }]);
    expect((await call('GET', `servers/${id}/os-instance-actions`, undefined, '2.20')).status).toBe(404);
  });

  it('changes its name, metadata and tags', async () => {
    const id = await activeServer();
    expect((await call('PUT', `servers/${id}`, { server: { name: 'new' } })).body.server.name).toBe('new');
    expect((await call('POST', `servers/${id}/metadata`, { metadata: { k: 'v' } })).body.metadata).toEqual({ k: 'v' });
    expect((await call('DELETE', `servers/${id}/metadata/k`)).status).toBe(204);
    expect((await call('PUT', `servers/${id}/tags`, { tags: ['a', 'b'] })).body.tags).toEqual(['a', 'b']);
    expect((await call('DELETE', `servers/${id}/tags/a`)).status).toBe(204);
    expect((await call('GET', `servers/${id}/tags`)).body.tags).toEqual(['b']);
  });

  it('asks for several at once', async () => {
    const name = `many-${randomUUID().slice(0, 8)}`;
    await newServer({ name, max_count: 3 });
    const { servers } = (await call('GET', `servers?name=${name}`)).body;
    expect(servers.map(({ name: each }: { name: string }) => each).sort()).toEqual(
      [1, 2, 3].map((n) => `${name}-${n}`),
    );
  });
});

describe('a server that waits for capacity', () => {
  let id: string;
  beforeAll(async () => {
    id = await pendingServer();
  });

  it('is PENDING to clients that know the word, and in ERROR to the others', async () => {
    const now = (await call('GET', `servers/${id}`)).body.server;
    expect(now).toMatchObject({ status: 'PENDING', 'OS-EXT-STS:vm_state': 'pending', progress: 0 });
    expect(now).not.toHaveProperty('fault');
    for (const version of ['2.93', '2.1']) {
      const before = (await call('GET', `servers/${id}`, undefined, version)).body.server;
      expect(before).toMatchObject({ status: 'ERROR', 'OS-EXT-STS:vm_state': 'error', fault: { code: 500 } });
      expect(before).not.toHaveProperty('progress');
    }
  });

  it.each([
    ['status=PENDING', '2.94', true],
    ['status=pending', '2.94', true],
    ['status=ERROR', '2.94', false],
    ['status=ERROR', '2.93', true],
    ['status=PENDING', '2.37', false],
    ['vm_state=pending', '2.94', true],
    ['vm_state=pending', '2.93', false],
    ['vm_state=error', '2.93', true],
    ['vm_state=error', '2.94', false],
  ])('is found by ?%s in %s: %s', async (query, version, found) => {
    const { status, body } = await call('GET', `servers/detail?${query}`, undefined, version);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.servers.some((server: { id: string }) => server.id === id)).toBe(found);
  });

  it('has a status that older clients of the strict kind are told is none', async () => {
    expect((await call('GET', 'servers?status=PENDING', undefined, '2.93')).status).toBe(400);
    expect((await call('GET', 'servers?status=nonsense', undefined, '2.94')).status).toBe(400);
  });

  it('takes no events and no console, keeps its tags, and can be rebuilt', async () => {
    const event = { name: 'network-vif-plugged', server_uuid: id, tag: 'p' };
    const told = await call('POST', 'os-server-external-events', { events: [event] });
    expect(told).toMatchObject({ status: 207, body: { events: [{ code: 422, status: 'failed' }] } });
    expect((await act(id, { 'os-getConsoleOutput': {} })).status).toBe(409);
    expect((await call('PUT', `servers/${id}/tags`, { tags: ['a'] })).status).toBe(409);
    const rebuilt = await act(id, { rebuild: { imageRef: image } });
    expect(rebuilt).toMatchObject({ status: 202, body: { server: { id, status: 'BUILD' } } });
  });
});

describe('what others tell Nova', () => {
  it('has a verdict each', async () => {
    const id = await activeServer();
    const events = [
      { name: 'network-vif-plugged', server_uuid: id, tag: 'port1' },
      { name: 'network-changed', server_uuid: randomUUID() },
      { name: 'volume-extended', server_uuid: id },
    ];
    const { status, body } = await call('POST', 'os-server-external-events', { events });
    expect(status).toBe(207);
    expect(body.events.map(({ code, status: verdict }: Record<string, unknown>) => [code, verdict])).toEqual([
      [200, 'completed'],
      [404, 'failed'],
      [400, 'failed'],
    ]);
    expect((await call('POST', 'os-server-external-events', { events: [events[0]] })).status).toBe(200);
  });

  it.each([
    ['a name nobody knows', 'latest', { name: 'nope' }],
    ['a name of a later version', '2.50', { name: 'volume-extended', tag: 'v' }],
    ['a status that is none', 'latest', { name: 'network-changed', status: 'bogus' }],
    ['a server that is no UUID', 'latest', { name: 'network-changed', server_uuid: 'x' }],
    ['a member more', 'latest', { name: 'network-changed', extra: 1 }],
  ])('is refused as a whole with %s', async (_, version, event) => {
    const events = [{ server_uuid: randomUUID(), ...event }];
    const { status, body } = await call('POST', 'os-server-external-events', { events }, version);
    expect([status, Object.keys(body)]).toEqual([400, ['badRequest']]);
  });
});

describe('what a client of Nova gets wrong', () => {
  it.each([
    ['POST', 'servers', { server: { flavorRef: '1', networks: 'none' } }, 400],
    ['POST', 'servers', { server: { name: 'x', flavorRef: '1' } }, 400],
    ['POST', 'servers', { server: { name: 'x', flavorRef: '1', networks: [{ port: randomUUID() }] } }, 400],
    ['POST', `servers/${randomUUID()}/action`, { 'os-start': null }, 404],
    ['POST', `servers/${randomUUID()}/action`, { nonsense: null }, 400],
    ['POST', `servers/${randomUUID()}/action`, { 'os-start': null, 'os-stop': null }, 400],
    ['GET', `servers/${randomUUID()}`, undefined, 404],
    ['GET', 'servers?colour=blue', undefined, 400],
    ['GET', 'nothing', undefined, 404],
  ])('is told in its words: %s %s', async (method, path, body, expected) => {
    const before = await shared().store.head();
    const answer = await call(method, path, body);
    expect(answer.status).toBe(expected);
    expect(Object.values(answer.body)).toMatchObject([{ code: expected }]);
    expect(await shared().store.head()).toBe(before);
  });
});
