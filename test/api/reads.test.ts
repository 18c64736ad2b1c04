import { describe, expect, test } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { farPosition, portId, positionOf, sharedLedger, slugOf, startLedger } from './support.ts';

const path = `/v1/ports/${portId}`;

/** `@2` is the position of the second event. */
const placed = async (store: EventStore, at: string): Promise<string> =>
  at.startsWith('@') ? positionOf(store, Number(at.slice(1))) : at;

/** A port that was created, renamed a minute later, and deleted two minutes after that. */
const renamedAndDeleted = () =>
  sharedLedger([], async ({ command, post }) => {
    await command('CreatePort', { name: 'first' });
    await post('/v1/clock', { advance: 'PT1M' });
    await command('UpdatePort', { name: 'second' });
    await post('/v1/clock', { advance: 'PT2M' });
    await command('DeletePort');
  });

describe('a resource as it is', () => {
  test('comes with its revision as ETag, its place in the ledger, and is current at once', async () => {
    const { command, get } = await startLedger();
    const { body } = await command('CreatePort', { name: 'a' });
    const read = await get(path);
    expect(read.status).toBe(200);
    expect(read.body).toEqual(body.state);
    expect(read.headers.get('etag')).toBe('"0"');
    expect(read.headers.get('stackledger-position')).toBe(body.position);
  });

  test('is spared those who have it already', async () => {
    const { command, get } = await startLedger();
    await command('CreatePort', { name: 'a' });
    for (const tag of ['"0"', 'W/"0"', '"7", "0"', '*']) {
      const unchanged = await get(path, { 'if-none-match': tag });
      expect([unchanged.status, unchanged.text, unchanged.headers.get('etag')], tag).toEqual([304, '', '"0"']);
    }
    expect((await get(path, { 'if-none-match': '"1"' })).status).toBe(200);
  });

  test('never was, or is gone: the answer leads to its history', async () => {
    const { command, get } = await startLedger();
    const unknown = await get(path);
    expect([unknown.status, slugOf(unknown)]).toEqual([404, 'port-not-found']);
    await command('CreatePort');
    await command('DeletePort');
    const gone = await get(path);
    expect([gone.status, slugOf(gone)]).toEqual([410, 'port-deleted']);
    expect(gone.body).toMatchObject({ deletedAt: '2026-01-01T00:00:00.000Z', history: `${path}/history` });
    expect((await get(gone.body.history)).status).toBe(200);
  });

  test('can be asked about without its body', async () => {
    const { command, ask } = await startLedger();
    await command('CreatePort');
    const head = await ask(path, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', '"0"']);
  });
});

describe('a resource as it was', () => {
  const shared = renamedAndDeleted();

  test.each([
    ['by revision', '0', 'first'],
    ['by revision', '1', 'second'],
    ['by position', '@1', 'first'],
    ['by position', '@2', 'second'],
    ['by time, exactly when it happened', '2026-01-01T00:00:00Z', 'first'],
    ['by time, between two events', '2026-01-01T00:00:59.999Z', 'first'],
    ['by time, finer than the ledger keeps it', '2026-01-01T00:00:59.9999999Z', 'first'],
    ['by time, at the second event', '2026-01-01T00:01:00.000Z', 'second'],
    ['by time in another zone', '2026-01-01T02:01:00%2B02:00', 'second'],
    ['by time whose plus sign nobody escaped', '2026-01-01T02:01:00+02:00', 'second'],
    ['by time in small letters', '2025-12-31t19:01:30-05:00', 'second'],
  ])('%s: %s', async (_how, at, name) => {
    const { get, store } = shared();
    const then = await get(`${path}?at=${await placed(store, at)}`);
    expect([then.status, then.body?.name]).toEqual([200, name]);
    expect(then.headers.get('etag')).toBe(`"${then.body.revision}"`);
  });

  test.each([
    ['before it was created', '2025-12-31T23:59:59.999Z', 404, 'not-yet-created'],
    ['before it was created', '0000000000000000', 404, 'not-yet-created'],
    ['at the moment it was deleted', '2026-01-01T00:03:00Z', 410, 'port-deleted'],
    ['long after', '2099-01-01T00:00:00Z', 410, 'port-deleted'],
    ['at the revision that deleted it', '2', 410, 'port-deleted'],
    ['at the position that deleted it', '@3', 410, 'port-deleted'],
    ['at a revision it never reached', '3', 404, 'no-such-revision'],
    ['at a position the ledger never reached', farPosition, 404, 'no-such-position'],
    ['at a revision with leading zeros', '01', 400, 'invalid-request'],
    ['at a negative revision', '-1', 400, 'invalid-request'],
    ['at a position of another length', '00000000000000001', 400, 'invalid-request'],
    ['at a day', '2026-01-01', 400, 'invalid-request'],
    ['at a time without zone', '2026-01-01T00:00:00', 400, 'invalid-request'],
    ['at a day that is not in the calendar', '2026-02-31T00:00:00Z', 400, 'invalid-request'],
    ['at a time that is not on the clock', '2026-01-01T25:00:00Z', 400, 'invalid-request'],
    ['yesterday', 'yesterday', 400, 'invalid-request'],
  ])('%s: %s', async (_how, at, status, slug) => {
    const { get, store } = shared();
    const then = await get(`${path}?at=${await placed(store, at)}`);
    expect([then.status, slugOf(then)]).toEqual([status, slug]);
  });

  test('says where its history begins and ends', async () => {
    const { get, store } = shared();
    expect((await get(`${path}?at=0000000000000000`)).body.createdAt).toBe('2026-01-01T00:00:00.000Z');
    expect((await get(`${path}?at=9`)).body).toMatchObject({ firstRevision: 0, lastRevision: 2 });
    expect((await get(`${path}?at=${farPosition}`)).body.position).toBe(await positionOf(store, 3));
  });

  test('is nothing where there never was anything', async () => {
    const { get } = await startLedger();
    const then = await get(`${path}?at=2026-01-01T00:00:00Z`);
    expect([then.status, slugOf(then)]).toEqual([404, 'port-not-found']);
  });
});

describe('min_position (C043)', () => {
  test('is met at once by what was answered before', async () => {
    const { command, get } = await startLedger();
    const { body } = await command('CreatePort');
    for (const read of [path, `${path}/history`, '/v1/events']) {
      expect((await get(`${read}?min_position=${body.position}`)).status, read).toBe(200);
      expect((await get(`${read}?min_position=1`)).status, read).toBe(200);
    }
  });

  test('waits for what is on its way', async () => {
    const { command, get } = await startLedger();
    await command('CreatePort');
    const { body } = await command('UpdatePort', { name: 'b' });
    const waiting = get(`/v1/events?min_position=${String(Number(body.position) + 1)}`);
    await command('DeletePort');
    expect((await waiting).body.events).toHaveLength(3);
  });

  test('gives up in time', async () => {
    const { get } = await startLedger(['--read-wait-ms', '50']);
    const late = await get(`/v1/events?min_position=${farPosition}`);
    expect([late.status, slugOf(late), late.headers.get('retry-after')]).toEqual([503, 'position-not-reached', '1']);
    expect(late.body.position).toBe('0000000000000000');
  });

  test('is a position', async () => {
    const { get } = await startLedger();
    expect((await get(`${path}?min_position=now`)).status).toBe(400);
  });
});
