import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { openEventStoreDb } from '../../src/store/eventstoredb/eventstoredb-store.ts';
import {
  all,
  faultOf,
  freshStream,
  idsOf,
  iterate,
  nextIds,
  revisionOf,
  someEvents,
  write,
} from '../contract/support.ts';
import { TestCluster } from '../support/eventstoredb/cluster.ts';
import { failure, streamDeleted } from '../support/eventstoredb/messages.ts';
import type { CallKind, Mischief } from '../support/eventstoredb/mischief.ts';
import type { Proposal } from '../support/eventstoredb/record.ts';

/** Short, so that a story about silence is short. */
const limits = { callMs: 400, patienceMs: 20_000 };

/** As another process would have written it, if the others had heard of it. */
const somebodysEvent = (): Proposal => ({
  id: randomUUID(),
  type: 'PortUpdated',
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.from('{}'),
});

describe('a ledger in a cluster of three', () => {
  let cluster: TestCluster;
  const open: EventStore[] = [];

  const openStore = async (url = cluster.url): Promise<EventStore> => {
    const store = await openEventStoreDb({ url, limits });
    open.push(store);
    return store;
  };

  beforeAll(async () => {
    cluster = await TestCluster.start({ nodes: 3, electionMs: 50, writeTimeoutMs: 300 });
  });
  afterEach(async () => {
    cluster.misbehave = () => undefined;
    for (const member of cluster.members) if (member.condition !== 'running') await cluster.heal(member);
    await Promise.all(open.splice(0).map((store) => store.close()));
  });
  afterAll(() => cluster.stop());

  it('finds the leader behind a node that follows', async () => {
    const follower = cluster.members.find((member) => member !== cluster.leader())!;
    const store = await openStore(`esdb://${follower.address}?tls=false`);
    const stream = freshStream();
    await write(store, stream, someEvents(2));
    expect(await revisionOf(store, stream)).toBe(1);
  });

  it('goes on behind a new leader', async () => {
    const store = await openStore();
    const stream = freshStream();
    await write(store, stream, someEvents(1));
    cluster.moveLeader(cluster.members.find((member) => member !== cluster.leader())!);
    await write(store, stream, someEvents(1));
    expect(await revisionOf(store, stream)).toBe(1);
  });

  const befall: Record<string, () => void> = {
    'was killed': () => cluster.kill(cluster.leader()!),
    'stands still': () => cluster.freeze(cluster.leader()!),
    'was cut off from the others': () => cluster.cutOff(cluster.leader()!),
  };
  for (const [what, happens] of Object.entries(befall)) {
    it(`goes on when its leader ${what}, and its subscribers with it`, async () => {
      const store = await openStore();
      const stream = freshStream();
      const messages = iterate(store.subscribe({ after: await store.head(), filter: { stream } }));
      const before = someEvents(2);
      await write(store, stream, before);
      happens();
      const after = someEvents(2);
      await store.append({ stream, expectedRevision: 1, events: after });
      expect(await nextIds(messages, 4)).toEqual(idsOf([...before, ...after]));
      await messages.return?.();
    });
  }

  it('does not take the word of a leader that was cut off for events that it alone has', async () => {
    const store = await openStore();
    const stream = freshStream();
    const before = someEvents(1);
    await write(store, stream, before);
    cluster.cutOff(cluster.leader()!);
    cluster.log.append(stream, 'any', [somebodysEvent()]);
    const after = someEvents(1);
    await store.append({ stream, expectedRevision: 0, events: after });
    expect(idsOf(await all(store.readStream(stream)))).toEqual(idsOf([...before, ...after]));
  });

  const once = (call: CallKind, mischief: Mischief): void => {
    let left = 1;
    cluster.misbehave = (kind) => (kind === call && left-- > 0 ? mischief : undefined);
  };
  const lost: Record<string, Mischief> = {
    'whose connection broke after the write': { kind: 'dropped' },
    'that was stored and never answered': { kind: 'unanswered' },
    'that nobody heard': { kind: 'silent' },
    'that was answered late': { kind: 'slow', ms: 600 },
  };
  for (const [what, mischief] of Object.entries(lost)) {
    it(`stores an append once ${what}`, async () => {
      const store = await openStore();
      const stream = freshStream();
      await write(store, stream, someEvents(1));
      once('append', mischief);
      const events = someEvents(3);
      expect(await store.append({ stream, expectedRevision: 0, events })).toMatchObject({ revision: 3 });
      expect(idsOf(await all(store.readStream(stream, { from: 1 })))).toEqual(idsOf(events));
    });
  }

  const breaks: [how: string, mischief: Mischief][] = [
    ['with the connection', { kind: 'dropped' }],
    ['for something about another stream', { kind: 'fail', failure: streamDeleted('another') }],
    [
      'for a leader that it does not name',
      { kind: 'fail', failure: failure(5, 'elsewhere', { exception: 'not-leader' }) },
    ],
  ];
  it.each(breaks)('stores each of many appends once when the call that they share breaks %s', async (_, mischief) => {
    const store = await openStore();
    const names = Array.from({ length: 30 }, () => freshStream());
    for (const name of names) await write(store, name, someEvents(1));
    once('append', mischief);
    const appends = names.map((stream) => ({ stream, expectedRevision: 0, events: someEvents(2) }));
    const stored = await Promise.all(appends.map((append) => store.append(append)));
    expect(stored.map(({ revision }) => revision)).toEqual(names.map(() => 2));
    for (const { stream, events } of appends)
      expect(idsOf(await all(store.readStream(stream, { from: 1 })))).toEqual(idsOf(events));
  });

  it('refuses one of many appends that share a call, and none of the others', async () => {
    const [store, other] = [await openStore(), await openStore()];
    const names = Array.from({ length: 30 }, () => freshStream());
    for (const name of names) await write(store, name, someEvents(1));
    await write(other, names[0]!, someEvents(1));
    const [refused, ...others] = await Promise.allSettled(
      names.map((stream) => store.append({ stream, expectedRevision: 0, events: someEvents(1) })),
    );
    expect(refused).toMatchObject({ reason: { fault: { code: 'wrong-expected-revision', actual: 1 } } });
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
  });

  it('takes a read that brings nothing for a failed one, and reads again', async () => {
    const store = await openStore();
    const stream = freshStream();
    await write(store, stream, someEvents(2));
    once('read', { kind: 'silent' });
    expect(await all(store.readStream(stream))).toHaveLength(2);
  });

  it('never asks what the server can do, so a failed answer to that spoils nothing', async () => {
    cluster.misbehave = (call) =>
      call === 'features' ? { kind: 'fail', failure: failure(13, 'internal') } : undefined;
    const store = await openStore();
    const stream = freshStream();
    await write(store, stream, someEvents(1));
    expect(await revisionOf(store, stream)).toBe(0);
  });

  it('is closed in the middle of things, and nothing of them comes up later', async () => {
    const store = await openStore();
    const stream = freshStream();
    const position = await write(store, stream, someEvents(3));
    const began = [
      all(store.readStream(stream)),
      all(store.readAll()),
      store.head(),
      store.loadSnapshot(stream),
      store.announce('now'),
      store.saveCheckpoint({ name: 'reader', position }),
      store.lease(freshStream(), new AbortController().signal),
    ].map((work) =>
      work.then(
        () => 'done',
        (error) => error.fault?.code ?? error,
      ),
    );
    await store.close();
    for (const outcome of await Promise.all(began)) expect(['done', 'closed']).toContain(outcome);
  });

  it('says that it cannot be reached, and is there again when the database is', async () => {
    const store = await openEventStoreDb({ url: cluster.url, limits: { callMs: 400, patienceMs: 1500 } });
    open.push(store);
    const stream = freshStream();
    await write(store, stream, someEvents(1));
    for (const member of cluster.members) cluster.kill(member);
    expect(await faultOf(store.append({ stream, expectedRevision: 0, events: someEvents(1) }))).toMatchObject({
      code: 'not-writable',
    });
    expect(await faultOf(all(store.readStream(stream)))).toMatchObject({ code: 'unreachable' });
    for (const member of cluster.members) await cluster.heal(member);
    const events = someEvents(1);
    await expect
      .poll(() => store.append({ stream, expectedRevision: 0, events }).catch(() => null), { timeout: 10_000 })
      .toMatchObject({ revision: 1 });
  });
});
