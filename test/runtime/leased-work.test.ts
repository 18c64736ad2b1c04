import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aggregates } from '../../src/domain/aggregates.ts';
import { isSignedBy, lineHash, parseAnchor } from '../../src/runtime/anchors/anchor.ts';
import { AnchorKeeper } from '../../src/runtime/anchors/anchor-keeper.ts';
import { SystemClock } from '../../src/runtime/clock.ts';
import { LeasedWork, type Work } from '../../src/runtime/leased-work.ts';
import { beginningOf } from '../../src/runtime/notifier/checkpoint.ts';
import { NovaNotifier } from '../../src/runtime/notifier/nova-notifier.ts';
import { Runtime } from '../../src/runtime/runtime.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import { openEventStoreDb } from '../../src/store/eventstoredb/eventstoredb-store.ts';
import { FakeServer } from '../client/fake-server.ts';
import { freshStream, someEvents, write } from '../contract/support.ts';
import { database } from '../support/eventstoredb/engine.ts';
import { done, executor } from '../support/ledger.ts';
import { novaAnswers, serverId } from './notifier-nova.ts';

const { url } = database();

const clock = new SystemClock();

/** Short leases make a story of a take-over short; on a busy machine one that is too short is lost without a cause. */
const open = (leaseMs = 1500): Promise<EventStore> => openEventStoreDb({ url: url(), limits: { leaseMs } });

/** A process on the cluster, as far as work is concerned. */
async function startProcess(
  name: string,
  make: (store: EventStore, lost: AbortSignal, runtime: Runtime) => Work,
  leaseMs?: number,
) {
  const store = await open(leaseMs);
  const runtime = new Runtime({ store, aggregates, clock });
  let turns = 0;
  const failures: unknown[] = [];
  const work = new LeasedWork({
    store,
    name,
    make: (lost) => make(store, lost, runtime),
    onTurn: () => {
      turns += 1;
    },
    onFailure: (error) => failures.push(error),
  });
  await work.start();
  const process = {
    store,
    execute: executor(runtime),
    failures,
    get isWorking() {
      return turns > 0;
    },
    /** Lets go of nothing, as one that is killed. */
    die: () => store.close(),
    stop: async () => {
      await work.stop();
      runtime.close();
      await store.close();
    },
  };
  running.push(process);
  return process;
}

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((process) => process.stop()));
});

/** Take-overs are quick, but not on a machine that has no time for them. */
const patient = { timeout: 120_000 };
const soon = <T>(read: () => T) => expect.poll(read, { timeout: 60_000, interval: 20 });

describe('two processes that are to tell Nova', patient, () => {
  let nova: FakeServer;
  beforeAll(async () => {
    nova = await FakeServer.playing(novaAnswers());
  });
  afterAll(() => nova.close());

  const told = (): string[] =>
    nova.requests.flatMap(({ body }) => JSON.parse(body).events.map(({ tag }: { tag: string }) => tag));

  const tells = (store: EventStore, lost: AbortSignal, runtime: Runtime): NovaNotifier =>
    new NovaNotifier({
      ...{ url: nova.url, batchMs: 10, maxBatch: 64, timeoutMs: 10_000 },
      ...{ store, runtime, ports: aggregates.port, clock, fetch, random: Math.random, lost },
    });

  test('agree on where the telling begins', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => open()));
    const beginnings = stores.map(async (store) => {
      await write(store, freshStream(), someEvents(1));
      return beginningOf({ store });
    });
    expect(new Set(await Promise.all(beginnings)).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('tell it once, and go on for each other without a gap or a repetition', async () => {
    const work = `nova-${randomUUID()}`;
    const ids = Array.from({ length: 8 }, () => randomUUID());
    const first = await startProcess(work, tells, 3000);
    await soon(() => first.isWorking).toBe(true);
    const second = await startProcess(work, tells, 3000);
    const plug = async ({ execute }: typeof first, id: string): Promise<string> => {
      done(await execute('port', id, 'CreatePort', { deviceId: serverId, deviceOwner: 'compute:nova' }));
      return done(await execute('port', id, 'ObservePort', { source: 'neutron', status: 'ACTIVE' })).position;
    };
    let last = '';
    for (const [n, id] of ids.slice(0, 6).entries()) last = await plug(n % 2 === 0 ? first : second, id);
    await soon(told).toEqual(ids.slice(0, 6));
    expect(second.isWorking).toBe(false);

    // What is answered and not noted down yet is told again: whoever dies in that moment cannot know.
    await soon(async () => (await second.store.loadCheckpoint('nova-notifier'))! >= last).toBe(true);
    await first.die();
    await plug(second, ids[6]!);
    await soon(told).toEqual(ids.slice(0, 7));
    expect([second.isWorking, second.failures]).toEqual([true, []]);

    const third = await startProcess(work, tells, 3000);
    await second.stop();
    await plug(third, ids[7]!);
    await soon(told).toEqual(ids);
  });
});

describe('two processes that are to anchor the ledger', patient, () => {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-anchors-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const publicKey = createPublicKey(key);
  const portId = randomUUID();

  const start = (path: string, everyMs = 20) => {
    const onFailure = (error: unknown): void => expect.unreachable(String(error));
    const make = (store: EventStore, lost: AbortSignal): AnchorKeeper =>
      new AnchorKeeper({ store, path, key, everyMs, clock, lost, onFailure, onHalfLine: onFailure });
    return startProcess(`anchors-${path}`, make);
  };
  const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);
  const anchoredUpTo = (path: string): string => parseAnchor(linesOf(path).at(-1)!).position;
  const rename = async ({ execute }: Awaited<ReturnType<typeof start>>, name: string): Promise<string> =>
    done(await execute('port', portId, name === 'new' ? 'CreatePort' : 'UpdatePort', { name })).position;

  test('take turns where they name one file, and leave it one series', async () => {
    const path = join(folder, 'shared');
    const first = await start(path);
    await soon(() => first.isWorking).toBe(true);
    const second = await start(path);
    await soon(async () => anchoredUpTo(path)).toBe(await rename(first, 'new'));
    await first.die();
    await soon(async () => second.isWorking).toBe(true);
    const last = await rename(second, 'later');
    await soon(() => anchoredUpTo(path)).toBe(last);
    const lines = linesOf(path);
    expect(lines.map((line) => parseAnchor(line).previous)).toEqual(['', ...lines.slice(0, -1).map(lineHash)]);
    expect(lines.every((line) => isSignedBy(line, publicKey))).toBe(true);
  });

  test('leave a last anchor when they are stopped', async () => {
    const path = join(folder, 'stopped');
    const only = await start(path, 3_600_000);
    await soon(() => only.isWorking).toBe(true);
    await rename(only, 'before the stop');
    await only.stop();
    expect(linesOf(path)).toHaveLength(1);
  });

  test('are witnesses of their own where each names another', async () => {
    const paths = [join(folder, 'a'), join(folder, 'b')];
    const processes = await Promise.all(paths.map((path) => start(path)));
    const last = await rename(processes[0]!, 'again');
    for (const path of paths) await soon(() => anchoredUpTo(path)).toBe(last);
    const digests = paths.map((path) => parseAnchor(linesOf(path).at(-1)!).digest);
    expect(digests[0]).toBe(digests[1]);
  });
});
