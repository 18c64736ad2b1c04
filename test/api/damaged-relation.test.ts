import { describe, expect, test } from 'vitest';
import { nthId } from '../support/ledger.ts';
import { slugOf, startLedger } from './support.ts';

const [serverId, nodeId] = [nthId(1), nthId(2)];

describe('a command that depends on a resource with an event that cannot be folded', () => {
  test('is refused for now, and names what is damaged; the resource it was given to is sound', async () => {
    const { post, get, store } = await startLedger();
    const events = [
      { type: 'ServerCreated', data: '{"name":"s","ports":[]}' },
      { type: 'ServerActionProgressed', data: '{}' }, // of an action that was never begun
    ].map((event, n) => ({ ...event, id: nthId(n), v: 1, time: '2026-01-01T00:00:00.000Z', metadata: '{}' }));
    await store.append({ stream: `server-${serverId}`, expectedRevision: -1, events });
    const node = (type: string, data: object) => post(`/v1/nodes/${nodeId}/commands`, { type, data });
    expect((await node('EnrollNode', { driver: 'fake-hardware' })).status).toBe(200);

    const refused = await node('UpdateNode', { instanceId: serverId });
    expect([refused.status, slugOf(refused)]).toEqual([503, 'related-resource-unreadable']);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.body).toMatchObject({
      damaged: { kind: 'server', id: serverId },
      revision: 1,
      eventType: 'ServerActionProgressed',
      history: `/v1/servers/${serverId}/history`,
      retryable: true,
    });
    expect(refused.body.detail).toContain(`the server ${serverId}`);
    expect((await get(refused.body.history)).status).toBe(200);
    expect((await node('UpdateNode', { name: 'n-1' })).status).toBe(200);
  });
});
