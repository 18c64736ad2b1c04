import { afterEach, describe, expect, test } from 'vitest';
import type { NovaEvent } from '../../src/runtime/notifier/notification.ts';
import type { RecordedEvent } from '../../src/store/event-store.ts';
import type { Answer } from '../client/fake-server.ts';
import { collect, done, nthId } from '../support/ledger.ts';
import { novaAnswers, openSite, says, serverId } from './notifier-nova.ts';

let site: Awaited<ReturnType<typeof openSite>>;
afterEach(() => site.close());

const isPort = (n: number) => (event: NovaEvent) => event.tag === nthId(n);

/** A Nova that cannot stand one port: where it is among the events, all of them get `status`. */
const allergicTo =
  (n: number, status: number): Answer =>
  (response, request) => {
    const { events } = JSON.parse(request.body) as { events: NovaEvent[] };
    return (events.some(isPort(n)) ? says(status, {}, 'no') : novaAnswers())(response, request);
  };

/** Moves time on from request to request until nothing waits any more. */
async function settle(notifier: Awaited<ReturnType<typeof site.startNotifier>>, rounds = 60) {
  await notifier.idle();
  for (let n = 0; n < rounds && notifier.health().waiting > 0; n++) {
    const retryAt = notifier.health().failure?.retryAt;
    await site.clock.advance(retryAt ? Date.parse(retryAt) - site.clock.now() : 2000);
    await notifier.idle();
  }
}

/** Ports `1..count`, of which the first is already told, so that the others come together. */
async function plugTogether(count: number) {
  const notifier = await site.startNotifier();
  for (let n = 0; n <= count; n++) await site.ports.create(n);
  await site.ports.plug(0);
  await notifier.idle();
  await site.ports.plugMany(1, count);
  return notifier;
}

/** What the ledger holds of what Nova refused. */
const refusals = () => collect(site.store.readAll({ filter: { types: ['NotificationRefused'] } }));

describe('an event that Nova does not want', () => {
  test.each([400, 404, 422])('is written down with its port, and the others are delivered: %i', async (code) => {
    site = await openSite(novaAnswers((event) => (isPort(2)(event) ? code : 200)));
    const notifier = await plugTogether(3);
    await settle(notifier);
    expect(site.told()).toEqual([['plugged 0'], ['plugged 1', 'plugged 2', 'plugged 3']]);
    const [{ stream, data, metadata }, ...others] = (await refusals()) as [RecordedEvent];
    const plugged = (await collect(site.store.readStream(stream))).find(({ type }) => type === 'PortStatusChanged')!;
    expect({ stream, data, others }).toEqual({
      stream: `port-${nthId(2)}`,
      data: {
        ...{ name: 'network-vif-plugged', server: serverId, status: 'completed' },
        ...{ code, detail: expect.any(String), attempts: 1, revision: plugged.revision },
      },
      others: [],
    });
    expect(metadata).toMatchObject({
      actor: { type: 'system', id: 'nova-notifier' },
      $causationId: plugged.id,
      $correlationId: plugged.metadata.$correlationId,
    });
    expect(notifier.health()).toMatchObject({ accepted: 3, deadLettered: 1, waiting: 0 });
    expect(site.heard).toEqual([`dead: network-vif-plugged 2: ${code}`]);
  });

  test('is found by what it says where the items come in another order', async () => {
    site = await openSite((response, request) => {
      const { events } = JSON.parse(request.body) as { events: NovaEvent[] };
      const items = events.map((event) => ({ ...event, code: isPort(1)(event) ? 404 : 200 })).reverse();
      return says(207, {}, JSON.stringify({ events: items }))(response, request);
    });
    const notifier = await plugTogether(3);
    await settle(notifier);
    expect(site.heard).toEqual(['dead: network-vif-plugged 1: 404']);
  });

  test('and of which Nova says nothing among mixed answers is one too', async () => {
    site = await openSite(says(207, {}, 'not even JSON'));
    const notifier = await site.startNotifier();
    await site.ports.create(1);
    await site.ports.plug(1);
    await settle(notifier);
    expect(await refusals()).toMatchObject([{ data: { code: null } }]);
  });

  test('is not sent again after a restart', async () => {
    site = await openSite(novaAnswers(() => 404));
    await site.ports.create(1);
    const first = await site.startNotifier();
    await site.ports.plug(1);
    await first.idle();
    await first.stop();
    const second = await site.startNotifier();
    await second.idle();
    expect(site.nova.requests).toHaveLength(1);
  });

  test('is told again where somebody asks for it, when Nova has learnt of its server', async () => {
    let isKnown = false;
    site = await openSite(novaAnswers(() => (isKnown ? 200 : 404)));
    const notifier = await plugTogether(2);
    await settle(notifier);
    expect(await refusals()).toHaveLength(3);
    isKnown = true;
    const repeat = () => site.execute('port', nthId(1), 'RepeatNotification');
    expect(done(await repeat()).events).toMatchObject([{ type: 'NotificationRepeated', data: { server: serverId } }]);
    expect(done(await repeat()).events).toEqual([]);
    await settle(notifier);
    expect(site.told().at(-1)).toEqual(['plugged 1']);
    expect(notifier.health()).toMatchObject({ accepted: 1, deadLettered: 3 });
  });

  test('is told again also after a restart, of a port that belongs to another server by now', async () => {
    let isKnown = false;
    site = await openSite(novaAnswers(() => (isKnown ? 200 : 404)));
    await site.ports.create(1);
    const first = await site.startNotifier();
    await site.ports.plug(1);
    await first.idle();
    await first.stop();
    isKnown = true;
    done(await site.execute('port', nthId(1), 'RepeatNotification'));
    await site.ports.update(1, { deviceId: nthId(77) });
    const second = await site.startNotifier();
    await second.idle();
    expect(JSON.parse(site.nova.requests.at(-1)!.body).events).toEqual([
      { name: 'network-vif-plugged', server_uuid: serverId, status: 'completed', tag: nthId(1) },
    ]);
  });

  test('that is about a port which is gone has nowhere to be written down', async () => {
    site = await openSite(novaAnswers(() => 404));
    await site.ports.create(1);
    const notifier = await site.startNotifier();
    await site.ports.delete(1);
    await settle(notifier);
    expect(site.heard).toEqual(['dead: network-vif-deleted 1: 404']);
    expect(await refusals()).toEqual([]);
    expect(notifier.health()).toMatchObject({ deadLettered: 1, waiting: 0 });
  });

  test('and cannot be written down is said to be so, and holds nobody up', async () => {
    const failing = { execute: () => Promise.reject(new Error('the disk is full')) };
    site = await openSite(novaAnswers((event) => (isPort(1)(event) ? 404 : 200)));
    const unwritten: string[] = [];
    const notifier = await site.startNotifier({
      runtime: failing,
      observer: { recordFailed: ({ event }, error) => unwritten.push(`${event.tag}: ${(error as Error).message}`) },
    });
    for (const n of [1, 2]) {
      await site.ports.create(n);
      await site.ports.plug(n);
    }
    await settle(notifier);
    expect(unwritten).toEqual([`${nthId(1)}: the disk is full`]);
    expect(notifier.health()).toMatchObject({ accepted: 1, waiting: 0 });
  });
});

describe('a batch that Nova refuses as a whole', () => {
  test.each([1, 4, 7, 10])('is divided until its culprit, %i of 10, stands alone', async (culprit) => {
    site = await openSite(allergicTo(culprit, 400));
    const notifier = await plugTogether(10);
    await settle(notifier);
    expect(site.heard).toEqual([`dead: network-vif-plugged ${culprit}: 400`]);
    expect(notifier.health()).toMatchObject({ accepted: 10, waiting: 0 });
    expect(site.nova.requests.length).toBeLessThan(12);
  });

  test('is divided where it is too large', async () => {
    site = await openSite((response, request) => {
      const { events } = JSON.parse(request.body) as { events: NovaEvent[] };
      return (events.length > 3 ? says(413) : novaAnswers())(response, request);
    });
    const notifier = await plugTogether(10);
    await settle(notifier);
    expect(site.heard).toEqual([]);
    expect(notifier.health().accepted).toBe(11);
  });
});

describe('an event over which Nova stumbles', () => {
  test('is a dead letter as soon as others get through', async () => {
    site = await openSite(allergicTo(2, 500));
    const notifier = await plugTogether(5);
    await settle(notifier);
    expect(await refusals()).toMatchObject([{ stream: `port-${nthId(2)}`, data: { code: 500 } }]);
    expect(notifier.health()).toMatchObject({ accepted: 5, waiting: 0, failure: null });
  });

  test('is none while Nova stumbles over everything', async () => {
    let isBroken = true;
    site = await openSite((response, request) => (isBroken ? says(500) : novaAnswers())(response, request));
    const notifier = await plugTogether(5);
    await settle(notifier, 40);
    expect(notifier.health()).toMatchObject({ state: 'retrying', waiting: 6, deadLettered: 0 });
    isBroken = false;
    await settle(notifier);
    expect(notifier.health()).toMatchObject({ accepted: 6, waiting: 0, deadLettered: 0 });
  });

  test('holds back what comes later for its own port', async () => {
    let isBroken = true;
    site = await openSite((response, request) => (isBroken ? says(500) : novaAnswers())(response, request));
    const notifier = await site.startNotifier();
    await site.ports.create(1);
    await site.ports.plug(1);
    await site.ports.unplug(1);
    await settle(notifier, 20);
    isBroken = false;
    const before = site.nova.requests.length;
    await settle(notifier);
    expect(site.told().slice(before).flat()).toEqual(['plugged 1', 'unplugged 1']);
  });
});
