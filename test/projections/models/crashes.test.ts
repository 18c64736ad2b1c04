import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inThread } from '../../../src/projections/host/start-model.ts';
import { openViews } from '../../../src/projections/views.ts';
import type { EventStore } from '../../../src/store/event-store.ts';
import { nthId, openLedger } from '../../support/ledger.ts';
import { liveAtSite, operationsOf } from './site.ts';
import { contents, firstDifference, mortal, openHere, tempFolder, upToDate } from './support.ts';

const seed = 11;
let folder: string;
let ledgerFile: string;
let store: EventStore;
let ledger: Awaited<ReturnType<typeof openLedger>>;

const truth = async () => {
  const views = await upToDate(await openHere(store), store);
  const lines = await contents(views, operationsOf(seed));
  await views.close();
  return lines;
};

beforeAll(async () => {
  folder = await tempFolder();
  ledgerFile = join(folder, 'ledger.db');
  ledger = await openLedger({}, `sqlite:${ledgerFile}`);
  store = ledger.store;
  await liveAtSite(ledger, seed, 1500);
}, 60_000);

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

describe('the thread of the read models', () => {
  test('may die at any moment while events come in: nothing is lost, nothing is there twice', async () => {
    const { start, killLatest, starts } = mortal(inThread);
    const faults: unknown[] = [];
    const views = await openViews({
      store,
      path: join(folder, 'mortal.db'),
      ledgerFile,
      start,
      observer: { faulted: (error) => faults.push(error) },
    });
    await upToDate(views, store);
    let living = true;
    const killer = (async () => {
      while (living) {
        await sleep(150);
        killLatest();
      }
    })();
    for (let round = 0; round < 8; round++) {
      await liveAtSite(ledger, seed + round, 150);
      await sleep(100);
    }
    living = false;
    await killer;
    await upToDate(views, store);
    expect(starts()).toBeGreaterThan(4);
    expect(faults.length).toBeGreaterThan(0);
    expect(firstDifference(await contents(views, operationsOf(seed)), await truth())).toBeNull();
    await views.close();
  }, 60_000);

  test('may die while it is asked: whoever asks does not notice', async () => {
    const { start, killLatest } = mortal(inThread);
    const views = await openViews({ store, path: join(folder, 'asked.db'), ledgerFile, start });
    await upToDate(views, store);
    const before = (await views.ask('counts', {})).value;
    const asked = Array.from({ length: 20 }, () => views.ask('counts', {}));
    killLatest();
    asked.push(views.ask('counts', {}));
    for (const { value } of await Promise.all(asked)) expect(value).toEqual(before);
    await views.close();
  }, 60_000);

  test('may die while models are built: they are built all the same', async () => {
    const { start, killLatest, starts } = mortal(inThread);
    const views = await openViews({ store, path: join(folder, 'unborn.db'), ledgerFile, start });
    for (let kill = 0; kill < 3; kill++) {
      await sleep(60);
      killLatest();
    }
    await upToDate(views, store);
    expect(starts()).toBeGreaterThan(2);
    expect(firstDifference(await contents(views, operationsOf(seed)), await truth())).toBeNull();
    await views.close();
  }, 60_000);
});

describe('a process that is killed', () => {
  const script = fileURLToPath(new URL('./build-forever.ts', import.meta.url));

  test.each([0, 40, 90, 150])(
    '%i ms after it was about to build leaves nothing that spoils the next start',
    async (ms) => {
      const path = join(folder, `killed-${ms}.db`);
      const child = spawn(process.execPath, ['--import', 'tsx', script, ledgerFile, path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data'); // it has them, and rebuilds over and over
      await sleep(ms);
      child.kill('SIGKILL');
      await once(child, 'exit');

      const views = await openViews({ store, path, ledgerFile });
      await ledger.execute('port', nthId(9000 + ms), 'CreatePort');
      await upToDate(views, store);
      expect(firstDifference(await contents(views, operationsOf(seed)), await truth())).toBeNull();
      await views.close();
      expect(existsSync(`${path}.building`)).toBe(false);
    },
    60_000,
  );
});
