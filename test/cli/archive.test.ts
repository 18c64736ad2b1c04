import { generateKeyPairSync } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { verifyLedger } from '../../src/cli/verify/verify-ledger.ts';
import { loadConfig } from '../../src/config.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { startStackledger } from '../../src/main.ts';
import { inProcess } from '../../src/projections/host/start-model.ts';
import { openViews } from '../../src/projections/views.ts';
import { anchorLines } from '../../src/runtime/anchors/anchor-keeper.ts';
import { backUpLedger } from '../../src/store/sqlite/backup.ts';
import { clientOf } from '../api/support.ts';
import { contents } from '../projections/models/support.ts';
import { done, nthId, openLedger } from '../support/ledger.ts';
import { reading, temporaryFolder } from './ledger-file.ts';
import { patient, run } from './run.ts';
import { exported } from './transfer-support.ts';

vi.setConfig(patient);

const aDay = 86_400_000;
const [gone, late, recent, alive, back] = [1, 2, 3, 4, 5].map(nthId) as [string, string, string, string, string];

/** What people are told: the export, what `verify` finds, and read models made anew from the file. */
const told = (path: string) =>
  reading(path, async (store) => {
    const file = join(await temporaryFolder(), 'views.db');
    const views = await openViews({ store, path: file, ledgerFile: path, start: inProcess(aggregates) });
    try {
      expect(await views.waitFor(await store.head(), 25_000)).toBe(true);
      const { findingCount, events, streams, receipts } = await verifyLedger(store, aggregates, null);
      expect({ findingCount }).toEqual({ findingCount: 0 });
      return { file: await exported(store), events, streams, receipts, models: await contents(views, []) };
    } finally {
      await views.close();
    }
  });

const liveStreams = (path: string): string[] => {
  const db = new Database(path, { readonly: true });
  const names = db.prepare('SELECT DISTINCT stream FROM ledger ORDER BY stream').pluck().all() as string[];
  db.close();
  return names;
};

describe('a ledger of which the old is archived', () => {
  it('keeps what lives, what was deleted lately, and what was heard of since; and tells all of it as before', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'ledger.db');
    const { store, clock, execute } = await openLedger({ snapshotEvery: 3 }, `sqlite:${path}`);
    const observed = { source: 'neutron', observedAt: '2025-12-31T00:00:00.000Z' };
    for (const id of [gone, late, alive, recent, back]) {
      done(await execute('port', id, 'CreatePort', {}, { key: `create ${id}` }));
      for (const name of ['a', 'b']) done(await execute('port', id, 'UpdatePort', { name }));
    }
    for (const id of [gone, late, back]) done(await execute('port', id, 'DeletePort', {}, { key: `delete ${id}` }));
    await clock.advance(40 * aDay);
    done(await execute('port', late, 'ObservePort', { ...observed, status: 'ACTIVE' }));
    done(await execute('port', recent, 'DeletePort'));
    await clock.advance(aDay);
    done(await execute('port', alive, 'UpdatePort', { name: 'still here' }));
    await store.close();
    const before = await told(path);

    const cutoff = new Date(clock.now() - 30 * aDay).toISOString();
    const args = ['archive', '--store', `sqlite:${path}`, '--deleted-before', cutoff];
    const { code, stdout, stderr } = await run([...args, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ streams: 2, events: 8, receipts: 4, archive: `${path}.archive` });
    expect(liveStreams(path)).toEqual([late, recent, alive].map((id) => `port-${id}`).sort());
    expect(liveStreams(`${path}.archive`)).toEqual([gone, back].map((id) => `port-${id}`).sort());
    expect(await told(path)).toEqual(before);

    const copy = join(folder, 'copy.db');
    await backUpLedger({ from: path, to: copy, accept: async () => {} });
    await rename(`${path}.archive`, join(folder, 'gone'));
    expect(await told(copy)).toEqual(before);
  });

  it('takes all of a stream but the last event of the ledger, and says what went', async () => {
    const path = join(await temporaryFolder(), 'ledger.db');
    const { store, execute } = await openLedger({}, `sqlite:${path}`);
    for (const type of ['CreatePort', 'DeletePort']) done(await execute('port', gone, type, {}, { key: type }));
    await store.close();
    const args = ['archive', '--store', `sqlite:${path}`, '--deleted-before', '2027-01-01T00:00:00Z'];
    expect((await run(args)).stdout).toMatch(/^1 event and 1 receipt moved to .*ledger\.db\.archive \(/);
    expect((await run(args)).stdout).toMatch(/^0 events and 0 receipts moved/);
  });

  it.each([
    ['memory:', 'P1D', 'memory: has no archive: it is gone with its process'],
    [
      'esdb://admin:s3cret@localhost:2113',
      'P1D',
      'esdb://admin:***@localhost:2113 has no archive: a cluster keeps every event of a resource. docs/archive.md says',
    ],
    ['sqlite:./no-such-ledger.db', 'P1D', 'there is no such file'],
    ['sqlite:./no-such-ledger.db', 'yesterday', 'It must be a time'],
  ])('is none of %s before %s', async (store, before, reason) => {
    const args = ['archive', '--store', store, '--deleted-before', before];
    const program = createProgram();
    const errors: string[] = [];
    for (const command of [program, ...program.commands])
      command.configureOutput({ writeErr: (text) => errors.push(text) });
    await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow(reason);
  });
});

describe('a server that archives by itself', () => {
  it('answers about what it archived as it did before, also to those who repeat a command', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'ledger.db');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const keyFile = join(folder, 'key.pem');
    await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const anchors = join(folder, 'anchors.ndjson');
    const flags = ['--store', `sqlite:${path}`, '--port', '0', '--log-level', 'silent', '--anchors-file', anchors];
    const args = [...flags, '--anchor-key-file', keyFile, '--archive-deleted-after', 'PT1S'];
    const ledger = await startStackledger(loadConfig(args, {}));
    onTestFinished(() => ledger.stop());
    const { ask, post } = clientOf(ledger.url);
    const at = (id: string): string => `/v1/ports/${id}`;
    const remove = () => post(`${at(gone)}/commands`, { type: 'DeletePort', data: {} }, { 'idempotency-key': 'once' });
    for (const id of [gone, alive]) await post(`${at(id)}/commands`, { type: 'CreatePort', data: { name: id } });
    await post(`${at(gone)}/commands`, { type: 'AddProvisioningComponent', data: { entity: 'L2' } });
    const removed = await remove();
    await post(`${at(alive)}/commands`, { type: 'UpdatePort', data: { name: 'still here' } });

    const questions = [
      `${at(gone)}/history`,
      `${at(gone)}?at=1`,
      `${at(gone)}?at=${removed.body.position}`,
      `${at(gone)}/why?at=1`,
      at(gone),
      '/v1/events?limit=100',
    ];
    const answers = () =>
      Promise.all(questions.map(async (question) => (await ask(question)).text.replace(/"requestId":"[^"]*"/, '')));
    const before = await answers();
    await expect
      .poll(async () => (await ask('/metrics')).text, { timeout: 25_000 })
      .toContain('stackledger_archived_streams_total 1\n');
    expect(liveStreams(path)).toEqual([`port-${alive}`]);
    expect(await answers()).toEqual(before);
    const again = await remove();
    expect({ status: again.status, body: again.body }).toEqual({ status: removed.status, body: removed.body });
    const refused = await post(`${at(gone)}/commands`, { type: 'UpdatePort', data: { name: 'too late' } });
    expect({ status: refused.status, type: refused.body.type }).toEqual({
      status: 410,
      type: '/problems/port-deleted',
    });

    await ledger.stop();
    const verification = await reading(path, async (store) =>
      verifyLedger(store, aggregates, null, undefined, { lines: anchorLines(anchors), key: publicKey }),
    );
    expect(verification).toMatchObject({ events: 5, streams: 2, findingCount: 0 });
    expect(verification.anchors).toBeGreaterThan(0);
  });

  it('needs a ledger in a file', () => {
    for (const asked of [
      ['--archive-deleted-after', 'P90D'],
      ['--archive-file', 'a.db'],
    ]) {
      const start = () => loadConfig(['--store', 'memory:', ...asked], {});
      expect(start).toThrow('needs a ledger in a file');
    }
    expect(() => loadConfig(['--archive-deleted-after', '90 days'], {})).toThrow('must be an ISO 8601 duration');
  });
});
