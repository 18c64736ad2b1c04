import { existsSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ledgerFile } from '../../src/cli/commands/options.ts';
import { verifyLedger } from '../../src/cli/verify/verify-ledger.ts';
import { createClient } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { startStackledger } from '../../src/main.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import { backUpLedger } from '../../src/store/sqlite/backup.ts';
import { collect, done, nthId, openLedger } from '../support/ledger.ts';
import { db, reading, smallLedger, tamper, temporaryFolder, web } from './ledger-file.ts';
import { patient, run } from './run.ts';

vi.setConfig(patient);

const idsIn = (path: string): Promise<string[]> =>
  reading(path, async (store) => (await collect(store.readAll())).map(({ id }) => id));

describe('a ledger that is copied while its server is busy', () => {
  it('is whole in the copy, on which a server goes on as if nothing had been', async () => {
    const folder = await temporaryFolder();
    const [ledgerFile, copyFile] = [join(folder, 'ledger.db'), join(folder, 'copy.db')];
    const serve = (path: string) =>
      startStackledger(loadConfig(['--store', `sqlite:${path}`, '--port', '0', '--log-level', 'silent'], {}));
    const ledger = await serve(ledgerFile);
    const baseUrl = ledger.url;
    const acknowledgedBefore: string[] = [];
    let busy = true;
    const callers = Array.from({ length: 4 }, async (_, caller) => {
      for (let n = 0; busy; n++) {
        const id = nthId(caller * 100_000 + n);
        await createClient({ baseUrl }).port(id).execute({ type: 'CreatePort', data: {} });
        acknowledgedBefore.push(id);
      }
    });
    await expect.poll(() => acknowledgedBefore.length, { timeout: 25_000 }).toBeGreaterThan(50);
    const before = [...acknowledgedBefore];
    const { code, stdout, stderr } = await run([
      'backup',
      '--store',
      `sqlite:${ledgerFile}`,
      '--to',
      copyFile,
      '--json',
    ]);
    busy = false;
    await Promise.all(callers);
    await ledger.stop();

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const copied = JSON.parse(stdout);
    const ids = await idsIn(copyFile);
    expect(ids).toEqual((await idsIn(ledgerFile)).slice(0, ids.length));
    expect(copied).toMatchObject({ events: ids.length, streams: ids.length });
    const streams = await reading(copyFile, async (store) =>
      (await collect(store.readAll())).map(({ stream }) => stream),
    );
    expect(streams).toEqual(expect.arrayContaining(before.map((id) => `port-${id}`)));

    const restored = await serve(copyFile);
    onTestFinished(() => restored.stop());
    const port = createClient({ baseUrl: restored.url }).port(before[0]!);
    expect(await port.state()).toMatchObject({ state: { revision: 0 } });
    expect(await port.execute({ type: 'UpdatePort', data: { name: 'after the restore' } })).toMatchObject({
      revision: 1,
    });
    expect(await reading(copyFile, (store) => verifyLedger(store, aggregates, null))).toMatchObject({
      findingCount: 0,
    });
  });
});

describe('a backup', () => {
  const accept = async (): Promise<void> => {};

  it('is one file, with everything that the ledger has', async () => {
    const { path } = await smallLedger();
    const folder = await temporaryFolder();
    await backUpLedger({ from: path, to: join(folder, 'copy.db'), accept });
    expect(await readdir(folder)).toEqual(['copy.db']);
    const contents = (store: EventStore) =>
      Promise.all([collect(store.readAll()), collect(store.readReceipts()), store.readCheckpoints(), store.info]);
    expect(await reading(join(folder, 'copy.db'), contents)).toEqual(await reading(path, contents));
  });

  it('goes on while commits keep coming, and holds the moment at which it began', async () => {
    const { path } = await smallLedger();
    new Database(path).exec('CREATE TABLE ballast AS SELECT zeroblob(30000000)').close();
    const { execute, store } = await openLedger({}, `sqlite:${path}`);
    let commits = 0;
    let looks = 0;
    const to = join(await temporaryFolder(), 'copy.db');
    let pace: Promise<unknown> = Promise.resolve();
    const onProgress = (): void => {
      looks++;
      pace = pace.then(() => execute('port', web, 'UpdatePort', { name: `name ${commits++}` })).then(done);
    };
    await backUpLedger({ from: path, to, accept, onProgress });
    await pace;
    await store.close();
    expect(looks).toBeGreaterThan(5);
    expect(looks).toBeLessThan(20);
    expect(await reading(to, (copy) => copy.head())).toBe('0000000000000013');
  });

  it('is not kept where the ledger is not sound, and the older one stays', async () => {
    const { path, url } = await smallLedger();
    tamper(path, `UPDATE events SET data = replace(data, 'L2', 'L3') WHERE position = 3`);
    const folder = await temporaryFolder();
    const to = join(folder, 'copy.db');
    await writeFile(to, 'the copy of yesterday');
    const { code, stderr } = await run(['backup', '--store', url, '--to', to, '--force']);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('2 faults found in the copy') });
    expect(await readdir(folder)).toEqual(['copy.db']);
  });

  it.each<[string, (path: string, folder: string) => { from: string; to: string }, string]>([
    ['onto itself', (path) => ({ from: path, to: path }), 'it is the ledger itself'],
    ['of nothing', (_path, folder) => ({ from: join(folder, 'no.db'), to: join(folder, 'copy.db') }), 'no such file'],
    ['over another file', (path) => ({ from: path, to: import.meta.filename }), 'add --force'],
    ['into nowhere', (path, folder) => ({ from: path, to: join(folder, 'no', 'copy.db') }), 'no such folder'],
  ])('%s is refused', async (_what, places, reason) => {
    const { path } = await smallLedger();
    const attempt = backUpLedger({ ...places(path, await temporaryFolder()), accept });
    await expect(attempt).rejects.toThrow(reason);
    expect(existsSync(path)).toBe(true);
  });

  it('takes the place of a ledger that was lost', async () => {
    const { path, url } = await smallLedger();
    const to = join(await temporaryFolder(), 'copy.db');
    await backUpLedger({ from: path, to, accept });
    await rm(path);
    await rename(to, path);
    const { execute, store } = await openLedger({}, url);
    expect(done(await execute('port', db, 'UpdatePort', { name: 'again' })).revision).toBe(7);
    await store.close();
    expect(await reading(path, (copy) => verifyLedger(copy, aggregates, null))).toMatchObject({ findingCount: 0 });
  });
});

describe('snapshots that nobody will read again', () => {
  it('go when the ledger is compacted beside its writer; the others stay, and no answer changes', async () => {
    const { path, url } = await smallLedger();
    const { execute, store, runtime } = await openLedger({ snapshotEvery: 2 }, url);
    const [gone, back, old] = [nthId(11), nthId(12), nthId(13)];
    for (const id of [gone, back, old]) {
      done(await execute('port', id, 'CreatePort'));
      for (const name of ['a', 'b', 'c']) done(await execute('port', id, 'UpdatePort', { name }));
    }
    done(await execute('port', gone, 'DeletePort'));
    await expect.poll(async () => (await collect(store.readSnapshots())).length).toBe(5);
    tamper(
      path,
      `UPDATE snapshots SET fold_version = 0 WHERE stream = (SELECT id FROM streams WHERE name = 'port-${old}')`,
    );
    const states = () =>
      Promise.all(
        [gone, back, old, web, db].map(async (id) => (await runtime.current({ kind: 'port', id }))?.stateText),
      );
    const before = await states();

    const { code, stdout } = await run(['compact', '--store', url, '--json']);
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, kept: 3, ofOtherFolds: 1, ofDeletedResources: 1 });
    expect((await collect(store.readSnapshots())).map(({ stream }) => stream).sort()).toEqual(
      [web, db, back].map((id) => `port-${id}`).sort(),
    );
    expect(await states()).toEqual(before);
    done(await execute('port', old, 'UpdatePort', { name: 'd' }));
    await store.close();

    const again = await openLedger({}, url);
    const { stateText } = (await again.runtime.current({ kind: 'port', id: gone }))!;
    expect(stateText).toBe(before[0]);
    await again.store.close();
    expect(await reading(path, (file) => verifyLedger(file, aggregates, null))).toMatchObject({ findingCount: 0 });
  });

  it('are only in files', () => {
    expect(() => ledgerFile('esdb://localhost:2113')).toThrow('works on the file of a ledger');
  });
});
