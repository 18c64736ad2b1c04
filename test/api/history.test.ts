import { describe, expect, test } from 'vitest';
import { portId, positionOf, sharedLedger, slugOf, startLedger } from './support.ts';

const path = `/v1/ports/${portId}/history`;

/** A port that was DOWN for 75 seconds before a driver reported an error, and was deleted. */
const failedAndDeleted = () =>
  sharedLedger([], async ({ command, post }) => {
    await command('CreatePort', { name: 'web-1' }, { 'x-actor': 'nova' });
    await command('AddProvisioningComponent', { entity: 'L2' }, { 'x-actor': 'nova', 'x-correlation-id': 'boot-1' });
    await post('/v1/clock', { advance: 'PT75S' });
    const driver = { 'x-actor': 'driver on compute-17', 'x-request-id': 'r-9' };
    await command('SetPortStatus', { status: 'ERROR', reason: 'no such segment' }, driver);
    await command('DeletePort', {}, { 'x-actor': 'nova' });
  });

describe('the history of a port', () => {
  const shared = failedAndDeleted();

  test('tells who did what, why, and how long the status before had lasted, also after deletion', async () => {
    const { get } = shared();
    const { status, body } = await get(path);
    expect(status).toBe(200);
    expect(body.resource).toEqual({ kind: 'port', id: portId });
    const types = body.events.map(({ type }: { type: string }) => type);
    expect(types[0]).toBe('PortCreated');
    expect(types.at(-1)).toBe('PortDeleted');
    expect(body.events[0]).toMatchObject({
      revision: 0,
      actor: { type: 'user', id: 'nova' },
      cause: { commandType: 'CreatePort' },
      sincePreviousMs: null,
      statusChange: { from: null, to: 'DOWN', lastedMs: null },
    });
    expect(body.events[1].cause.correlationId).toBe('boot-1');
    expect(body.events[2]).toMatchObject({
      actor: { id: 'driver on compute-17' },
      cause: { commandType: 'SetPortStatus', requestId: 'r-9' },
      sincePreviousMs: 75_000,
      statusChange: { from: 'DOWN', to: 'ERROR', lastedMs: 75_000 },
    });
    expect([body.next, body.lastRevision]).toEqual([null, body.events.length - 1]);
  });

  test('is read in pages, either way, each entry once', async () => {
    const { get } = shared();
    const { events: entries } = (await get(path)).body;
    for (const order of ['asc', 'desc']) {
      const seen: unknown[] = [];
      let marker: number | null = null;
      do {
        const page: string = marker === null ? '' : `&marker=${marker}`;
        const { body } = await get(`${path}?limit=2&order=${order}${page}`);
        expect(body.events.length).toBeLessThanOrEqual(2);
        seen.push(...body.events);
        marker = body.next;
      } while (marker !== null);
      expect(seen, order).toEqual(order === 'asc' ? entries : entries.toReversed());
    }
    expect((await get(`${path}?marker=900`)).body).toMatchObject({ events: [], next: null });
  });

  test('shows on request what each event changed', async () => {
    const { get } = shared();
    const { events: entries } = (await get(`${path}?diff=true`)).body;
    expect(entries[0].patch).toMatchObject([{ op: 'add', path: '', value: { id: portId, status: 'DOWN' } }]);
    expect(entries[1].patch).toContainEqual(
      expect.objectContaining({ op: 'add', path: '/blocks/0', value: expect.objectContaining({ entity: 'L2' }) }),
    );
    expect((await get(path)).body.events[0]).not.toHaveProperty('patch');
  });

  test('of what never was is not found', async () => {
    const { get } = await startLedger();
    const unknown = await get(path);
    expect([unknown.status, slugOf(unknown)]).toEqual([404, 'port-not-found']);
  });

  test.each(['limit=0', 'limit=1001', 'limit=ten', 'marker=-1', 'order=up', 'diff=maybe', 'sort=time'])(
    'cannot be asked for with %s',
    async (query) => {
      const { get } = shared();
      const refused = await get(`${path}?${query}`);
      expect([refused.status, slugOf(refused)]).toEqual([400, 'invalid-request']);
      expect(refused.body.errors[0]).toMatchObject({ in: 'query', pointer: `/${query.split('=')[0]}` });
    },
  );
});

describe('a port with a recorded event that cannot be folded', () => {
  async function poisoned() {
    const ledger = await startLedger();
    await ledger.command('CreatePort', { name: 'a' });
    const events = [
      { type: 'PortUpdated', data: '{"changes":{"blocks":null}}' },
      { type: 'ProvisioningComponentRemoved', data: '{"entity":"L2","reason":"requested"}' },
    ].map((event, n) => ({
      ...event,
      id: `00000000-0000-4000-8000-00000000000${n}`,
      v: 1,
      time: '2026-01-01T00:00:01.000Z',
      metadata: '{}',
    }));
    await ledger.store.append({ stream: `port-${portId}`, expectedRevision: 0, events });
    return ledger;
  }

  test('is the only one that suffers, and says which event it is', async () => {
    const { get, command, store } = await poisoned();
    const bad = { revision: 2, position: await positionOf(store, 3), eventType: 'ProvisioningComponentRemoved' };
    for (const answer of [await get(`/v1/ports/${portId}?at=2`), await command('UpdatePort', { name: 'b' })]) {
      expect([answer.status, slugOf(answer)]).toEqual([409, 'resource-unreadable']);
      expect(answer.body).toMatchObject(bad);
    }
    expect((await get(`/v1/ports/${portId}?at=0`)).body.name).toBe('a');
    expect((await command('CreatePort', {}, {}, '00000000-0000-4000-8000-000000000009')).status).toBe(200);
  });

  test('keeps a history one can read', async () => {
    const { get } = await poisoned();
    const { events: entries } = (await get(path)).body;
    expect(entries).toHaveLength(3);
    expect(entries[2]).toMatchObject({ type: 'ProvisioningComponentRemoved', actor: null, statusChange: null });
    expect(entries[2].unfoldable).toContain('revision 2');
  });
});
