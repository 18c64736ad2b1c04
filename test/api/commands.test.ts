import { describe, expect, test } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { StoreError, type StoreFault } from '../../src/store/store-error.ts';
import { flaky } from '../support/flaky-store.ts';
import {
  eventCount,
  eventually,
  otherPortId,
  portId,
  positionOf,
  sharedLedger,
  slugOf,
  startLedger,
} from './support.ts';

describe('a command', () => {
  test('is answered with what it changed and what the resource is now', async () => {
    const { command, store } = await startLedger();
    const created = await command('CreatePort', { name: 'web-1-eth0' });
    expect(created.status).toBe(200);
    expect(created.headers.get('etag')).toBe('"0"');
    expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(created.body).toMatchObject({
      resource: { kind: 'port', id: portId },
      revision: 0,
      position: await positionOf(store, 1),
      events: [{ type: 'PortCreated', revision: 0, data: { name: 'web-1-eth0' } }],
      state: { id: portId, name: 'web-1-eth0', status: 'DOWN', revision: 0 },
    });
    expect(Object.keys(created.body)).toEqual(['resource', 'revision', 'position', 'events', 'state']);
    expect(Object.keys(created.body.events[0])).toEqual(['id', 'type', 'revision', 'time', 'data']);
  });

  test('that finds its work done is answered with no events', async () => {
    const { command } = await startLedger();
    await command('CreatePort');
    await command('AddProvisioningComponent', { entity: 'L2' });
    const again = await command('AddProvisioningComponent', { entity: 'L2' });
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ revision: 1, events: [], state: { revision: 1 } });
    expect(again.headers.get('etag')).toBe('"1"');
  });

  test('may leave out data that it does not need', async () => {
    const { post } = await startLedger();
    expect((await post(`/v1/ports/${portId}/commands`, { type: 'CreatePort' })).status).toBe(200);
    expect((await post(`/v1/ports/${portId}/commands`, { type: 'DeletePort' })).status).toBe(200);
  });

  test('that the rules refuse says why, and stores nothing', async () => {
    const { command, store } = await startLedger();
    await command('CreatePort');
    await command('AddProvisioningComponent', { entity: 'L2' });
    const head = await store.head();
    const refused = await command('SetPortStatus', { status: 'ACTIVE' });
    expect(refused.status).toBe(409);
    expect(refused.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(refused.body).toMatchObject({
      type: '/problems/port-blocked',
      status: 409,
      revision: 1,
      instance: `/v1/ports/${portId}/commands`,
    });
    expect(refused.body.title).not.toBe('');
    expect(refused.body.detail).not.toBe('');
    expect(refused.body.requestId).toBe(refused.headers.get('x-request-id'));
    expect(await store.head()).toBe(head);
  });

  test('on a resource that never was, or was deleted', async () => {
    const { command } = await startLedger();
    const unknown = await command('UpdatePort', { name: 'x' });
    expect([unknown.status, slugOf(unknown)]).toEqual([404, 'port-not-found']);
    await command('CreatePort');
    await command('DeletePort');
    const deleted = await command('UpdatePort', { name: 'x' });
    expect([deleted.status, slugOf(deleted)]).toEqual([410, 'port-deleted']);
    expect(deleted.body.deletedAt).toMatch(/^2026-01-01T/);
  });

  test('that does not exist is answered with those that do', async () => {
    const { command } = await startLedger();
    const unknown = await command('PaintPort');
    expect([unknown.status, slugOf(unknown)]).toEqual([400, 'unknown-command']);
    expect(unknown.body.allowed).toContain('CreatePort');
    expect(unknown.body.errors).toMatchObject([{ in: 'body', pointer: '/type' }]);
    for (const type of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect((await command(type)).status, type).toBe(400);
    }
  });

  test('whose fields are wrong is answered with a pointer to each', async () => {
    const { post } = await startLedger();
    const wrong = await post(`/v1/ports/${portId}/commands`, {
      type: 'CreatePort',
      data: { name: 7, fixedIps: [{ subnetId: 'x' }], colour: 'red' },
      extra: 1,
    });
    expect([wrong.status, slugOf(wrong)]).toEqual([400, 'invalid-request']);
    const pointers = wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toEqual(
      expect.arrayContaining([
        '/data/name',
        '/data/fixedIps/0/subnetId',
        '/data/fixedIps/0/ipAddress',
        '/data/colour',
        '/extra',
      ]),
    );
  });
});

describe('If-Match', () => {
  const shared = sharedLedger([], ({ command }) => command('CreatePort'));

  test('lets a command through at the revision it names, and at no other', async () => {
    const { command } = await startLedger();
    await command('CreatePort');
    expect((await command('UpdatePort', { name: 'a' }, { 'if-match': '"0"' })).status).toBe(200);
    const stale = await command('UpdatePort', { name: 'b' }, { 'if-match': '"0"' });
    expect([stale.status, slugOf(stale), stale.body.revision]).toEqual([412, 'revision-mismatch', 1]);
  });

  test.each(['0', '*', 'W/"0"', '"0", "1"', '"00"', '"x"', ''])('takes one strong tag, not %j', async (tag) => {
    const { command, store } = shared();
    const refused = await command('UpdatePort', { name: 'a' }, { 'if-match': tag });
    expect([refused.status, slugOf(refused)]).toEqual([400, 'invalid-header']);
    expect(await eventCount(store)).toBe(1);
  });

  test('is the one precondition a command keeps; others are not passed over', async () => {
    const { command } = await startLedger();
    const refused = await command('CreatePort', {}, { 'if-none-match': '*' });
    expect([refused.status, slugOf(refused)]).toEqual([400, 'invalid-header']);
  });
});

describe('an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'order-17' };

  test('gives a retry the answer of the first try', async () => {
    const { command, store } = await startLedger();
    await command('CreatePort');
    const first = await command('AddProvisioningComponent', { entity: 'L2' }, key);
    await command('UpdatePort', { name: 'changed since' });
    const retry = await command('AddProvisioningComponent', { entity: 'L2' }, key);
    expect(retry.text).toBe(first.text);
    expect(retry.headers.get('etag')).toBe('"1"');
    expect(await eventCount(store)).toBe(3);
  });

  test('carries out once what is sent twice at the same time', async () => {
    const { command, store } = await startLedger();
    await command('CreatePort');
    const [one, two] = await Promise.all([
      command('UpdatePort', { name: 'a' }, key),
      command('UpdatePort', { name: 'a' }, key),
    ]);
    expect(one!.text).toBe(two!.text);
    expect(one!.body.events).toHaveLength(1);
    expect(await eventCount(store)).toBe(2);
  });

  test('is refused with another body', async () => {
    const { command } = await startLedger();
    await command('CreatePort');
    await command('UpdatePort', { name: 'a' }, key);
    const other = await command('UpdatePort', { name: 'b' }, key);
    expect([other.status, slugOf(other)]).toEqual([422, 'key-reused']);
  });

  test('of another resource is another key', async () => {
    const { command } = await startLedger();
    expect((await command('CreatePort', { name: 'a' }, key)).status).toBe(200);
    expect((await command('CreatePort', { name: 'b' }, key, otherPortId)).status).toBe(200);
  });

  test('has 1 to 255 characters', async () => {
    const { command, store } = await startLedger();
    for (const value of ['', 'k'.repeat(256)]) {
      const refused = await command('CreatePort', {}, { 'idempotency-key': value });
      expect([refused.status, slugOf(refused)]).toEqual([400, 'invalid-header']);
    }
    expect(await eventCount(store)).toBe(0);
    expect((await command('CreatePort', {}, { 'idempotency-key': 'k'.repeat(255) })).status).toBe(200);
  });
});

describe('what an event remembers of its request', () => {
  test('is who asked, under which names, in which trace', async () => {
    const { command, get } = await startLedger();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await command(
      'CreatePort',
      {},
      {
        'x-actor': 'Jörg',
        'x-request-id': 'req-1',
        'x-correlation-id': 'boot-web-1',
        traceparent,
      },
    );
    const { metadata } = (await get('/v1/events')).body.events[0];
    expect(metadata).toMatchObject({
      actor: { type: 'user', id: 'Jörg' },
      requestId: 'req-1',
      $correlationId: 'boot-web-1',
      traceparent,
      commandType: 'CreatePort',
    });
    expect(metadata.$causationId).toBe(metadata.commandId);
  });

  test('is the command itself where the request says nothing', async () => {
    const { command, get } = await startLedger();
    await command('CreatePort', {}, { traceparent: 'nonsense' });
    const { metadata } = (await get('/v1/events')).body.events[0];
    expect(metadata.actor).toEqual({ type: 'user', id: 'anonymous' });
    expect(metadata.$correlationId).toBe(metadata.commandId);
    expect(metadata).not.toHaveProperty('traceparent');
    expect(metadata).not.toHaveProperty('requestId');
  });
});

describe('a server that cannot take more', () => {
  test('turns away what exceeds the commands it may work on, and goes on', async () => {
    let disk: ReturnType<typeof flaky> | undefined;
    const { command } = await startLedger(['--max-in-flight', '1'], (store) => {
      disk = flaky(store);
      return disk.store;
    });
    disk!.hold();
    const slow = command('CreatePort');
    await eventually(() => disk!.waiting).toBe(1);
    const refused = await command('CreatePort', {}, {}, otherPortId);
    expect([refused.status, slugOf(refused), refused.headers.get('retry-after')]).toEqual([
      429,
      'too-many-commands',
      '1',
    ]);
    disk!.release();
    expect((await slow).status).toBe(200);
    expect((await command('CreatePort', {}, {}, otherPortId)).status).toBe(200);
  });

  test('whose disk is full says so, is not ready, and recovers', async () => {
    let disk: ReturnType<typeof flaky> | undefined;
    const { command, get } = await startLedger([], (store) => {
      disk = flaky(store);
      return disk.store;
    });
    disk!.failNext(1);
    const refused = await command('CreatePort');
    expect([refused.status, slugOf(refused), refused.headers.get('retry-after')]).toEqual([503, 'not-writable', '5']);
    expect(refused.body.detail).toContain('the disk is full');
    const ready = await get('/readyz');
    expect(ready.status).toBe(503);
    expect(ready.body.reasons).toContain('The ledger cannot be written: the disk is full.');
    expect((await command('CreatePort')).status).toBe(200);
    await eventually(async () => (await get('/readyz')).status).toBe(200);
  });

  test('refuses what does not fit into one append', async () => {
    const { command, store } = await startLedger([], (inner) =>
      failing(inner, { code: 'append-too-large', stream: 'port-1', bytes: 2_000_000, limit: 1_000_000 }),
    );
    const refused = await command('CreatePort');
    expect([refused.status, slugOf(refused)]).toEqual([413, 'append-too-large']);
    expect(refused.body).toMatchObject({ bytes: 2_000_000, limit: 1_000_000 });
    expect(await eventCount(store)).toBe(0);
  });

  test('whose ledger is closed says that it is stopping', async () => {
    const { command } = await startLedger([], (inner) => failing(inner, { code: 'closed' }));
    const refused = await command('CreatePort');
    expect([refused.status, slugOf(refused)]).toEqual([503, 'shutting-down']);
  });

  test('that fails for a reason nobody foresaw tells nothing of its inside', async () => {
    const { command } = await startLedger([], (inner) =>
      failing(inner, { code: 'invalid-append', stream: 'port-1', reason: 'a secret of the engine' }),
    );
    const failed = await command('CreatePort');
    expect([failed.status, slugOf(failed)]).toEqual([500, 'internal-error']);
    expect(failed.text).not.toContain('secret');
    expect(failed.body.requestId).not.toBe('');
  });
});

/** A store that answers every append with the same fault. */
const failing = (store: EventStore, fault: StoreFault): EventStore =>
  new Proxy(store, {
    get(target, name) {
      if (name === 'append') return () => Promise.reject(new StoreError(fault));
      const member = Reflect.get(target, name, target) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
