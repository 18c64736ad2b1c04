import { describe, expect, test } from 'vitest';
import { nthId } from '../support/ledger.ts';
import { eventually, portId, slugOf, startLedger } from './support.ts';

const [serverId, nodeId, otherId] = [nthId(1), nthId(2), nthId(3)];

describe('a ledger that a newer program has written to', () => {
  test('does not guess what its events mean, and says that this program is to be upgraded', async () => {
    const { command, get, post, store } = await startLedger();
    const newer = (n: number, type: string, data: string) =>
      ({ id: nthId(n), type, v: 7, time: '2026-01-01T00:00:01.000Z', data, metadata: '{}' }) as const;
    await command('CreatePort', { name: 'before' });
    const events = [newer(4, 'PortUpdated', '{"changes":{"name":"guessed"}}')];
    await store.append({ stream: `port-${portId}`, expectedRevision: 0, events });
    const server = [newer(5, 'ServerCreated', '{"name":"guessed","ports":[]}')];
    await store.append({ stream: `server-${serverId}`, expectedRevision: -1, events: server });

    const path = `/v1/ports/${portId}`;
    for (const answer of [await command('UpdatePort', { name: 'after' }), await get(`${path}?at=1`), await get(path)]) {
      expect([answer.status, slugOf(answer)]).toEqual([409, 'resource-of-newer-version']);
      expect(answer.body).toMatchObject({ revision: 1, eventType: 'PortUpdated', eventVersion: 7, knownVersion: 1 });
      expect(answer.body.detail).toContain('a newer one is needed');
      expect((await get(answer.body.type)).text).toContain('Upgrade');
    }
    expect((await get(`${path}?at=0`)).body.name).toBe('before');
    expect((await get(`${path}/history`)).body.events[1].unfoldable).toContain('a newer one is needed');
    expect((await command('CreatePort', {}, {}, otherId)).status).toBe(200);

    const node = (type: string, data: object) => post(`/v1/nodes/${nodeId}/commands`, { type, data });
    await node('EnrollNode', { driver: 'fake-hardware' });
    const related = await node('UpdateNode', { instanceId: serverId });
    expect([related.status, slugOf(related)]).toEqual([503, 'related-resource-unreadable']);
    expect(related.body).toMatchObject({ damaged: { kind: 'server', id: serverId }, eventVersion: 7, knownVersion: 1 });

    const overview = async () => (await get(`/v1/overview?min_position=${await store.head()}`)).body;
    await eventually(async () => (await overview()).parked.total).toBe(2);
    expect((await get('/metrics')).text).toMatch(/unknown_events_total\{kind="port",type="PortUpdated"\} [1-9]/);
    expect((await get('/v1/ports?limit=10')).body.items.find(({ id }: { id: string }) => id === portId).name).toBe(
      'before',
    );
  });
});
