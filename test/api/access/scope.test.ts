import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashPassword } from '../../../src/api/access/passwords.ts';
import { type Kind, kinds } from '../../../src/domain/kernel/resource.ts';
import { isVisible } from '../../../src/projections/visibility.ts';
import { type Answer, connected, sharedLedger, slugOf, take } from '../support.ts';
import { bearer, tokensFile } from './people.ts';
import { furnish, ids } from './site.ts';

const accounts = { users: [{ name: 'olaf', password: await hashPassword('olafs'), roles: ['operator'] }] };
const shared = sharedLedger(['--tokens-file', tokensFile(accounts), '--read-wait-ms', '25000'], furnish);

const give = (who: string, kind: Kind, id: string, type: string, data: object = {}): Promise<Answer> =>
  shared().post(`/v1/${kind}s/${encodeURIComponent(id)}/commands`, { type, data }, bearer(who));

/** What a read answers, with everything in it that was written before. */
async function read(who: string, path: string): Promise<Answer> {
  const position = await shared().store.head();
  return shared().get(`${path}${path.includes('?') ? '&' : '?'}min_position=${position}`, bearer(who));
}

const verdict = ({ status, body }: Answer): [number, string] => [status, body?.type?.replace('/problems/', '') ?? ''];

describe('a project in a ledger of several', () => {
  test.each(kinds)('lists what the rule says of each %s, and nothing else', async (kind) => {
    const all: { id: string }[] = (await read('ada', `/v1/${kind}s?deleted=include`)).body.items;
    for (const [who, project] of [
      ['pia', 'blue'],
      ['paul', 'red'],
    ] as const) {
      const listed = (await read(who, `/v1/${kind}s?deleted=include`)).body.items.map(({ id }: { id: string }) => id);
      expect(listed).toEqual(all.filter((state) => isVisible(project, kind, state)).map(({ id }) => id));
    }
  });

  test('counts, finds and hears of its own alone', async () => {
    const own = await read('pia', '/v1/overview');
    expect(own.body.counts.map(({ kind, count }: { kind: string; count: number }) => [kind, count])).toEqual([
      ['network', 2],
      ['node', 1],
      ['port', 1],
      ['server', 1],
    ]);
    expect(own.body.blocked.total).toBe(own.body.blocked.oldest.length);
    expect((await read('paul', '/v1/overview')).body.blocked.total).toBe(0);
    expect((await read('pia', '/v1/search?q=blue')).body.items).toHaveLength(4);
    expect((await read('paul', '/v1/search?q=blue')).body.items).toEqual([]);
    const { events } = (await read('paul', '/v1/operations/blue-undertaking')).body;
    expect(events.map(({ stream }: { stream: string }) => stream)).toEqual([`network-${ids.siteNetwork}`]);
  });

  test('reads its own as anybody does: then, why, what is around it', async () => {
    for (const path of ['', '/history', '/why', '/timeline', '?at=1']) {
      expect((await read('pia', `/v1/ports/${ids.port}${path}`)).status, path).toBe(200);
    }
    const { vertices } = (await read('pia', `/v1/graph/port/${ids.port}`)).body;
    expect(vertices.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['network', 'port', 'server']);
  });

  test('keeps the history of what it has deleted to itself', async () => {
    const id = randomUUID();
    await give('pia', 'port', id, 'CreatePort');
    await give('pia', 'port', id, 'DeletePort');
    expect((await read('pia', `/v1/ports/${id}`)).status).toBe(410);
    expect((await read('pia', `/v1/ports/${id}/history`)).status).toBe(200);
    expect((await read('paul', `/v1/ports/${id}`)).status).toBe(404);
    expect((await read('paul', `/v1/ports/${id}/history`)).status).toBe(404);
  });

  test.each(['/v1/doctor', '/metrics'])('is told that %s is about the whole site', async (path) => {
    expect(verdict(await shared().get(path, bearer('pia')))).toEqual([403, 'outside-project']);
    expect((await shared().get(path, bearer('ada'))).status).toBe(200);
  });
});

describe('what a project creates', () => {
  test('is its own, whether or not that is said', async () => {
    for (const data of [{}, { projectId: 'red' }, { projectId: '' }]) {
      const { status, body } = await give('paul', 'port', randomUUID(), 'CreatePort', data);
      expect([status, body.state.projectId]).toEqual([200, 'red']);
    }
    expect((await give('paul', 'node', randomUUID(), 'EnrollNode', { driver: 'ipmi' })).body.state.owner).toBe('red');
  });

  test.each<[string, Kind, string, string, object, [number, string]]>([
    ["cannot be another's", 'port', randomUUID(), 'CreatePort', { projectId: 'blue' }, [403, 'outside-project']],
    ['cannot begin as a machine of the site', 'agent', 'red:DHCP agent', 'RegisterAgent', {}, [404, 'agent-not-found']],
    ['cannot take an id that is taken', 'port', ids.port, 'CreatePort', {}, [404, 'port-not-found']],
    [
      'is on no network of others',
      'port',
      randomUUID(),
      'CreatePort',
      { networkId: ids.network },
      [404, 'network-not-found'],
    ],
    [
      'is on no network there is not',
      'port',
      randomUUID(),
      'CreatePort',
      { networkId: randomUUID() },
      [404, 'network-not-found'],
    ],
    ["is on the site's network", 'port', randomUUID(), 'CreatePort', { networkId: ids.siteNetwork }, [200, '']],
    [
      "is no part of others' servers",
      'port',
      randomUUID(),
      'CreatePort',
      { deviceId: ids.server, deviceOwner: 'compute:nova' },
      [404, 'server-not-found'],
    ],
    [
      'takes no ports of others',
      'server',
      randomUUID(),
      'CreateServer',
      { ports: [ids.port] },
      [404, 'port-not-found'],
    ],
    [
      'does not change what all may use',
      'network',
      ids.siteNetwork,
      'UpdateNetwork',
      { name: 'mine' },
      [403, 'outside-project'],
    ],
  ])('%s', async (_what, kind, id, type, data, expected) => {
    expect(verdict(await give('paul', kind, id, type, data))).toEqual(expected);
  });

  test('can be used by the next line of the same bulk request', async () => {
    const [network, port] = [randomUUID(), randomUUID()];
    const lines = [
      { kind: 'network', id: network, type: 'CreateNetwork' },
      { kind: 'port', id: port, type: 'CreatePort', data: { networkId: network } },
      { kind: 'port', id: ids.port, type: 'DeletePort' },
      { kind: 'port', id: port, type: 'UpdatePort', data: { name: 'last' } },
    ];
    const verdicts = await shared().bulk(lines, '', bearer('paul'));
    expect(verdicts.map(({ status }) => status)).toEqual([200, 200, 404, 200]);
  });
});

describe('a node that is leased to a project', () => {
  test("is worked with by the lessee, and remains the owner's", async () => {
    await give('ada', 'node', ids.node, 'UpdateNode', { lessee: 'red' });
    expect((await read('paul', '/v1/nodes?name=blue-node')).body.items).toHaveLength(1);
    expect((await give('paul', 'node', ids.node, 'SetMaintenance', { reason: 'disk' })).status).toBe(200);
    for (const [type, data] of [
      ['UpdateNode', { owner: 'red' }],
      ['UpdateNode', { description: 'mine' }],
      ['DeleteNode', {}],
    ] as const) {
      expect(verdict(await give('paul', 'node', ids.node, type, data))).toEqual([403, 'outside-project']);
    }
    expect(verdict(await give('pia', 'node', ids.node, 'UpdateNode', { owner: 'red' }))).toEqual([
      403,
      'outside-project',
    ]);
    await give('pia', 'node', ids.node, 'UpdateNode', { lessee: null });
    expect((await read('paul', `/v1/nodes/${ids.node}`)).status).toBe(404);
  });
});

describe('a stream of events', () => {
  /** Past what says only how far it is. */
  async function nextEvent(stream: Awaited<ReturnType<typeof connected>>) {
    for await (const { event, data } of stream) if (event !== 'caught-up') return data;
    throw new Error('The stream has ended.');
  }

  test('tells a project of its own, live and from the beginning, and moves on past the others', async () => {
    const own = randomUUID();
    await give('paul', 'network', own, 'CreateNetwork', { name: 'red-network' });
    const page = await shared().get('/v1/events?limit=1000', bearer('paul'));
    const streams = new Set<string>(page.body.events.map(({ stream }: { stream: string }) => stream));
    expect([...streams]).toContain(`network-${own}`);
    expect([...streams].filter((stream) => stream.includes('b1000000'))).toEqual([]);
    expect((await shared().get(`/v1/events?after=${page.body.next}`, bearer('ada'))).body.events).toEqual([]);

    const stream = await connected(`${shared().url}/v1/events?after=${page.body.next}`, bearer('paul'));
    await give('pia', 'port', ids.port, 'UpdatePort', { name: 'blue-port-2' });
    await give('paul', 'network', own, 'UpdateNetwork', { name: 'red-network-2' });
    expect((await nextEvent(stream)).stream).toBe(`network-${own}`);
  });

  test("of a list is of the project's own resources", async () => {
    const [snapshot] = await take(await connected(`${shared().url}/v1/ports?limit=1000`, bearer('pia')), 1);
    const projects = snapshot!.data.items.map(({ projectId }: { projectId: string }) => projectId);
    expect(new Set(projects)).toEqual(new Set(['blue']));
    const refused = await shared().get(`/v1/ports/${ids.port}`, { ...bearer('paul'), accept: 'text/event-stream' });
    expect(verdict(refused)).toEqual([404, 'port-not-found']);
  });
});

describe('an account of no project that logs in for one', () => {
  test('creates there and is confined to nothing', async () => {
    const auth = {
      identity: { methods: ['password'], password: { user: { name: 'olaf', password: 'olafs' } } },
      scope: { project: { id: 'red' } },
    };
    const login = await shared().post('/identity/v3/auth/tokens', { auth });
    const headers = { 'x-auth-token': login.headers.get('x-subject-token')! };
    const made = await shared().post('/network/v2.0/networks', { network: { name: 'n' } }, headers);
    expect([made.status, made.body.network.project_id]).toEqual([201, 'red']);
    expect((await shared().get(`/network/v2.0/ports/${ids.port}`, headers)).status).toBe(200);
  });
});

test('an administrator of a project is none of the site: locks of others hold', async () => {
  expect(slugOf(await shared().post('/v1/clock', { advance: 'PT1S' }, bearer('pia')))).toBe('outside-project');
});
