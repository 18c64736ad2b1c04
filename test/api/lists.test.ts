import { describe, expect, test } from 'vitest';
import { nthId } from '../support/ledger.ts';
import { sharedLedger, slugOf } from './support.ts';

const network = nthId(500);
const odd = nthId(7).replace(/^./, 'f');

describe('lists', () => {
  const shared = sharedLedger(['--read-wait-ms', '30000'], async ({ bulk, get, post }) => {
    const lines = Array.from({ length: 9 }, (_, n) => ({
      kind: 'port',
      id: nthId(n + 1),
      type: 'CreatePort',
      data: {
        name: n === 2 ? 'the third, by name' : `port ${n}`,
        projectId: n % 2 === 0 ? 'even' : 'odd',
        ...(n < 4 && { networkId: network }),
      },
    }));
    await bulk(lines);
    await post('/v1/clock', { advance: 'PT1M' });
    const verdicts = await bulk([
      { kind: 'port', id: nthId(5), type: 'SetPortStatus', data: { status: 'ERROR' } },
      { kind: 'port', id: nthId(6), type: 'AddProvisioningComponent', data: { entity: 'L2', host: 'host-a' } },
      { kind: 'port', id: nthId(7), type: 'DeletePort', data: {} },
      { kind: 'node', id: odd, type: 'EnrollNode', data: { name: 'rack-1', conductor: 'conductor-1' } },
      { kind: 'agent', id: 'host-a:Open vSwitch agent', type: 'RegisterAgent', data: {} },
    ]);
    expect(verdicts.map(({ status }) => status)).toEqual(Array(5).fill(200));
    await get(`/v1/ports?min_position=${verdicts.at(-1).position}`);
  });
  const ids = async (path: string): Promise<number[]> => {
    const { status, body } = await shared().get(path);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.items.map(({ id }: { id: string }) => Number(id.slice(-12)));
  };

  test.each([
    ['', [1, 2, 3, 4, 5, 6, 8, 9]],
    ['?status=ERROR', [5]],
    ['?status=ERROR&status=BUILD', [5]],
    ['?status=ERROR,DOWN&project=odd', [2, 4, 6, 8]],
    [`?id=${nthId(3)},${nthId(7)}`, [3]],
    [`?id=${nthId(3)}&id=${nthId(7)}&deleted=include`, [3, 7]],
    ['?deleted=only', [7]],
    ['?name=the third, by name', [3]],
    ['?name=port 0&name=port 1', [1, 2]],
    [`?network=${network}`, [1, 2, 3, 4]],
    [`?depends_on=network/${network}`, [1, 2, 3, 4]],
    ['?blocked_by=L2', [6]],
    ['?blocked_by=L2&blocked_by=DHCP', [6]],
    ['?blocked_by=DHCP', []],
    ['?sort=name:desc&limit=2', [3, 9]],
    ['?sort=status_since:desc&limit=1', [5]],
    ['?sort=created_at&limit=2', [1, 2]],
    [`?marker=${nthId(6)}`, [8, 9]],
  ])('GET /v1/ports%s', async (query, expected) => {
    expect(await ids(`/v1/ports${query}`)).toEqual(expected);
  });

  test('show each state as it is read alone, and since when it is in its status', async () => {
    const { get } = shared();
    for (const [list, id] of [
      ['/v1/ports', nthId(6)],
      ['/v1/nodes', odd],
      ['/v1/agents', 'host-a:Open vSwitch agent'],
    ] as const) {
      const { body } = await get(`${list}?id=${encodeURIComponent(id)}`);
      const alone = await get(`${list}/${encodeURIComponent(id)}`);
      const [{ statusSince, ...state }] = body.items;
      expect(JSON.stringify(state)).toBe(alone.text);
      expect(statusSince).toMatch(/^2\d{3}-.*Z$/);
      expect(body).toMatchObject({ next: null, position: expect.stringMatching(/^\d{16}$/) });
    }
    for (const empty of ['/v1/servers', '/v1/networks']) {
      expect((await get(empty)).body).toMatchObject({ items: [], next: null });
    }
  });

  test('filter by time: what changed since, and what is in its status for long', async () => {
    const { items } = (await shared().get(`/v1/ports?id=${nthId(5)},${nthId(6)}`)).body;
    const [error, blocked] = items;
    expect(await ids(`/v1/ports?since=${error.updatedAt}`)).toEqual([5, 6]);
    expect(await ids(`/v1/ports?since=${error.updatedAt.replace('Z', '+00:00')}`)).toEqual([5, 6]);
    expect(await ids(`/v1/ports?status_before=${blocked.createdAt}`)).toEqual([1, 2, 3, 4, 6, 8, 9]);
  });

  test('are paged by their marker, each resource once', async () => {
    const seen: number[] = [];
    let query = '?limit=3';
    for (let pages = 0; pages < 3; pages++) {
      const { body } = await shared().get(`/v1/ports${query}`);
      seen.push(...body.items.map(({ id }: { id: string }) => Number(id.slice(-12))));
      query = `?limit=3&marker=${body.next}`;
      expect(body.next === null).toBe(pages === 2);
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 8, 9]);
  });

  test.each([
    ['?colour=red', '/colour'],
    ['?limit=0', '/limit'],
    ['?limit=1001', '/limit'],
    ['?sort=age', '/sort'],
    ['?sort=name:up', '/sort'],
    ['?sort=constructor', '/sort'],
    ['?since=yesterday', '/since'],
    ['?status_before=2026-02-31T00:00:00Z', '/status_before'],
    ['?deleted=maybe', '/deleted'],
    ['?depends_on=rack/1', '/depends_on'],
    ['?status=', '/status/0'],
    ['?marker=nonsense', '/marker'],
    ['?min_position=soon', '/min_position'],
  ])('GET /v1/ports%s is refused with a pointer', async (query, pointer) => {
    const answer = await shared().get(`/v1/ports${query}`);
    expect([answer.status, slugOf(answer)]).toEqual([400, 'invalid-request']);
    expect(answer.body.errors[0]).toMatchObject({ in: 'query', pointer });
  });

  test('are not sent again to who has them, wherever the ledger is by then', async () => {
    const { get, command } = shared();
    const first = await get('/v1/ports?status=ERROR');
    const tag = first.headers.get('etag')!;
    expect(tag).toMatch(/^W\/".+"$/);
    const { body } = await command('AddProvisioningComponent', { entity: 'DHCP', host: 'host-a' }, {}, nthId(9));
    const path = `/v1/ports?status=ERROR&min_position=${body.position}`;
    const again = await get(path, { 'if-none-match': tag });
    expect([again.status, again.text, again.headers.get('stackledger-position')]).toEqual([304, '', body.position]);
    expect((await get('/v1/ports', { 'if-none-match': tag })).status).toBe(200);
  });
});
