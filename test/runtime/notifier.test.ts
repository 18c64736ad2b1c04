import { afterEach, describe, expect, test } from 'vitest';
import { aggregates } from '../../src/domain/aggregates.ts';
import { NovaNotifier } from '../../src/runtime/notifier/nova-notifier.ts';
import { dropped } from '../client/fake-server.ts';
import { nthId, openLedger } from '../support/ledger.ts';
import { novaAnswers, openSite, says, serverId } from './notifier-nova.ts';

let site: Awaited<ReturnType<typeof openSite>>;
afterEach(() => site.close());

const eventsOf = (request: number) => JSON.parse(site.nova.requests[request]!.body);

describe('a port of a server that only Nova knows', () => {
  test('is told to Nova as Neutron tells it', async () => {
    site = await openSite(novaAnswers());
    const notifier = await site.startNotifier({ token: 'secret' });
    await site.ports.create(1);
    await site.ports.plug(1);
    await notifier.idle();

    const [request] = site.nova.requests;
    expect(request).toMatchObject({ method: 'POST' });
    expect(request!.url.pathname).toBe('/v2.1/os-server-external-events');
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'openstack-api-version': 'compute 2.1',
      'x-auth-token': 'secret',
    });
    expect(eventsOf(0)).toEqual({
      events: [{ name: 'network-vif-plugged', server_uuid: serverId, status: 'completed', tag: nthId(1) }],
    });
    expect(notifier.health()).toMatchObject({ state: 'delivering', waiting: 0, accepted: 1, failure: null });
  });

  test('that is deleted is told without a status, one that failed with it', async () => {
    site = await openSite(novaAnswers());
    const notifier = await site.startNotifier();
    for (const n of [1, 2]) await site.ports.create(n);
    await site.ports.fail(2);
    await site.ports.delete(1);
    await notifier.idle();
    await site.clock.advance(2000);
    await notifier.idle();
    expect([...eventsOf(0).events, ...(site.nova.requests[1] ? eventsOf(1).events : [])]).toEqual([
      { name: 'network-vif-plugged', server_uuid: serverId, status: 'failed', tag: nthId(2) },
      { name: 'network-vif-deleted', server_uuid: serverId, tag: nthId(1) },
    ]);
  });

  test('is not said to have failed where the failure may pass by itself', async () => {
    site = await openSite(novaAnswers());
    const notifier = await site.startNotifier();
    await site.ports.create(1);
    await site.ports.fail(1, true);
    await notifier.idle();
    expect(site.nova.requests).toEqual([]);
  });

  test('needs no token', async () => {
    site = await openSite(novaAnswers());
    const notifier = await site.startNotifier();
    await site.ports.create(1);
    await site.ports.plug(1);
    await notifier.idle();
    expect(site.nova.requests[0]!.headers).not.toHaveProperty('x-auth-token');
  });

  test('is told to the server it belonged to when it happened', async () => {
    site = await openSite(says(503), novaAnswers());
    const notifier = await site.startNotifier();
    await site.ports.create(1);
    await site.ports.plug(1);
    await site.ports.update(1, { deviceId: 'bbbbbbbb-0000-4000-8000-000000000002' });
    await notifier.stop();
    const next = await site.startNotifier();
    await site.clock.advance(2000);
    await next.idle();
    expect(eventsOf(site.nova.requests.length - 1).events[0].server_uuid).toBe(serverId);
  });
});

describe('a port that belongs to no server', () => {
  test.each([
    ['network:dhcp', serverId],
    ['', serverId],
    ['compute:nova', 'not-a-uuid'],
    ['compute:nova', ''],
  ])('owner "%s", device "%s", is not told', async (owner, device) => {
    site = await openSite(novaAnswers());
    const notifier = await site.startNotifier();
    await site.ports.create(1, device, owner);
    await site.ports.plug(1);
    await notifier.idle();
    expect(site.nova.requests).toEqual([]);
  });
});

describe('many ports at once', () => {
  test('the first is told at once, the others together after a while', async () => {
    site = await openSite(novaAnswers());
    const notifier = await site.startNotifier();
    for (const n of [1, 2, 3]) await site.ports.create(n);
    await site.ports.plug(1);
    await notifier.idle();
    await site.ports.plugMany(2, 3);
    await notifier.idle();
    await site.clock.advance(1999);
    await notifier.idle();
    expect(site.told()).toEqual([['plugged 1']]);
    await site.clock.advance(1);
    await notifier.idle();
    expect(site.told()).toEqual([['plugged 1'], ['plugged 2', 'plugged 3']]);
  });

  test('a full batch does not wait', async () => {
    site = await openSite(novaAnswers());
    const notifier = await site.startNotifier({ maxBatch: 2 });
    for (const n of [1, 2, 3, 4]) await site.ports.create(n);
    await site.ports.plug(1);
    await notifier.idle();
    await site.ports.plugMany(2, 4);
    await notifier.idle();
    expect(site.told()).toEqual([['plugged 1'], ['plugged 2', 'plugged 3']]);
    expect(notifier.health().waiting).toBe(1);
  });

  test('what happens to one port keeps its order, also within a batch', async () => {
    site = await openSite(novaAnswers());
    const notifier = await site.startNotifier();
    for (const n of [1, 2]) await site.ports.create(n);
    await site.ports.plug(2);
    await notifier.idle();
    await site.ports.plug(1);
    await site.ports.unplug(1);
    await site.ports.plug(1);
    await site.ports.delete(1);
    await notifier.idle();
    await site.clock.advance(2000);
    await notifier.idle();
    expect(site.told()[1]).toEqual(['plugged 1', 'unplugged 1', 'plugged 1', 'deleted 1']);
  });
});

describe('a Nova that does not answer', () => {
  test.each([
    ['breaks the line', dropped, 'other side closed|ECONNRESET|UND_ERR_SOCKET'],
    ['is overloaded', says(429), '429'],
    ['is at fault', says(500, {}, 'oops'), '500 oops'],
    ['is away behind its proxy', says(502), '502'],
    ['does not know the token any more', says(401), '401'],
    ['is not where the address says', says(404), '404'],
    ['is somewhere else', says(302, { location: 'http://elsewhere/' }), '302'],
  ])('%s: nothing is lost', async (_what, answer, detail) => {
    site = await openSite(answer, answer, novaAnswers());
    const notifier = await site.startNotifier();
    await site.ports.create(1);
    await site.ports.plug(1);
    await notifier.idle();
    expect(notifier.health()).toMatchObject({ state: 'retrying', waiting: 1, failure: { attempts: 1 } });
    expect(notifier.health().failure!.detail).toMatch(new RegExp(detail));

    await site.clock.advance(999);
    await notifier.idle();
    expect(site.nova.requests).toHaveLength(1);
    await site.clock.advance(1);
    await notifier.idle();
    expect(site.nova.requests).toHaveLength(2);
    await site.clock.advance(2000);
    await notifier.idle();
    expect(site.told()).toEqual([['plugged 1'], ['plugged 1'], ['plugged 1']]);
    expect(notifier.health()).toMatchObject({ state: 'delivering', waiting: 0, accepted: 1, failure: null });
    expect(site.heard).toEqual([expect.stringMatching(/^failed/), 'resumed']);
  });

  test('and repeats the token is quoted without it', async () => {
    site = await openSite((response, { headers }) =>
      says(403, {}, `who is ${headers['x-auth-token']}?`)(response, {} as never),
    );
    const notifier = await site.startNotifier({ token: 'hidden' });
    await site.ports.create(1);
    await site.ports.plug(1);
    await notifier.idle();
    expect(notifier.health().failure!.detail).toBe('403 who is ***?');
    expect(site.heard).toEqual(['failed: 403 who is ***?']);
  });

  test('waits longer from try to try, a minute at most, and chance takes half of it away', async () => {
    site = await openSite(says(503));
    const notifier = await site.startNotifier({ random: () => 0 });
    await site.ports.create(1);
    await site.ports.plug(1);
    await notifier.idle();
    const waits: number[] = [];
    for (let n = 0; n < 8; n++) {
      const wait = Date.parse(notifier.health().failure!.retryAt) - site.clock.now();
      waits.push(wait);
      await site.clock.advance(wait);
      await notifier.idle();
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  test.each([['120'], [new Date(Date.parse('2026-01-01T00:02:00Z')).toUTCString()]])(
    'says when to come back: Retry-After: %s',
    async (retryAfter) => {
      site = await openSite(says(503, { 'retry-after': retryAfter }), novaAnswers());
      const notifier = await site.startNotifier();
      await site.ports.create(1);
      await site.ports.plug(1);
      await notifier.idle();
      await site.clock.advance(119_999);
      await notifier.idle();
      expect(site.nova.requests).toHaveLength(1);
      await site.clock.advance(1);
      await notifier.idle();
      expect(site.nova.requests).toHaveLength(2);
    },
  );

  test('is given up on after a while, and asked again', async () => {
    let hangs: () => void;
    const hanging = new Promise<void>((resolve) => {
      hangs = resolve;
    });
    site = await openSite(() => hangs(), novaAnswers());
    const notifier = await site.startNotifier();
    await site.ports.create(1);
    await site.ports.plug(1);
    await hanging;
    await site.clock.advance(10_000);
    await notifier.idle();
    expect(notifier.health().failure?.detail).toBe('no answer within 10000 ms');
    await site.clock.advance(1000);
    await notifier.idle();
    expect(notifier.health().accepted).toBe(1);
  });

  test('gets what happened meanwhile in one go', async () => {
    site = await openSite(says(503), novaAnswers());
    const notifier = await site.startNotifier({ maxBatch: 3 });
    for (const n of [1, 2, 3, 4]) await site.ports.create(n);
    await site.ports.plug(1);
    await notifier.idle();
    await site.ports.plugMany(2, 4);
    await notifier.idle();
    expect(site.nova.requests).toHaveLength(1);
    await site.clock.advance(1000);
    await notifier.idle();
    expect(site.told()[1]).toEqual(['plugged 1', 'plugged 2', 'plugged 3']);
  });
});

describe('a notifier that starts', () => {
  test('for the first time begins at the end of the ledger', async () => {
    site = await openSite(novaAnswers());
    for (const n of [1, 2]) await site.ports.create(n);
    await site.ports.plug(1);
    const notifier = await site.startNotifier();
    await site.ports.plug(2);
    await notifier.idle();
    expect(site.told()).toEqual([['plugged 2']]);
  });

  test('again goes on where it stood, and says nothing twice', async () => {
    site = await openSite(novaAnswers());
    for (const n of [1, 2, 3]) await site.ports.create(n);
    const first = await site.startNotifier();
    await site.ports.plug(1);
    await first.idle();
    await first.stop();
    expect(first.health().state).toBe('stopped');
    await site.ports.plugMany(2, 3);
    const second = await site.startNotifier();
    await second.idle();
    await site.clock.advance(2000);
    await second.idle();
    expect(site.told().flat()).toEqual(['plugged 1', 'plugged 2', 'plugged 3']);
  });

  test('again sends what was not taken before', async () => {
    site = await openSite(says(503), novaAnswers());
    await site.ports.create(1);
    const first = await site.startNotifier();
    await site.ports.plug(1);
    await first.idle();
    await first.stop();
    const second = await site.startNotifier();
    await second.idle();
    expect(site.told()).toEqual([['plugged 1'], ['plugged 1']]);
    expect(second.health().accepted).toBe(1);
  });

  test.each([
    ['http://user:hidden@nova/', undefined],
    ['hidden', undefined],
    ['ftp://nova/', undefined],
    ['http://nova/', 'hidden\nx'],
  ])('with "%s" and token "%s" does not, and repeats neither', async (url, token) => {
    const { store, runtime, clock } = await openLedger();
    const options = { url, ...(token && { token }), batchMs: 1, maxBatch: 1, timeoutMs: 1, fetch, random: Math.random };
    const make = () => new NovaNotifier({ ...options, store, runtime, clock, ports: aggregates.port });
    expect(make).toThrow(RangeError);
    expect(make).not.toThrow(/hidden/);
  });
});
