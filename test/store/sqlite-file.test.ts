import { copyFileSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import {
  all,
  faultOf,
  freshStream,
  idsOf,
  iterate,
  nextIds,
  someEvents,
  untilCaughtUp,
  write,
} from '../contract/support.ts';
import { ledgerFolder } from './support.ts';

const ledgers = ledgerFolder();

describe('a ledger file that is opened again', () => {
  it('holds everything: events, receipts, snapshots and what it is known by', async () => {
    const path = ledgers.newPath();
    const before = await ledgers.open(path, { now: () => 0 });
    const stream = freshStream();
    const events = someEvents(3);
    const receipt = { commandId: 'command-1', bodyHash: 'hash-1' };
    const none = { commandId: 'command-2', bodyHash: 'hash-2' };
    const { position } = await before.append({ stream, expectedRevision: -1, events, receipt });
    await before.append({ stream, expectedRevision: 2, events: [], receipt: none });
    const snapshot = { stream, revision: 2, foldVersion: 4, state: '{}' };
    await before.saveSnapshot(snapshot);
    await before.close();

    const after = await ledgers.open(path);
    expect(after.info).toEqual(before.info);
    expect(after.info.createdAt).toBe('1970-01-01T00:00:00.000Z');
    expect(await after.head()).toBe(position);
    expect(idsOf(await all(after.readStream(stream)))).toEqual(idsOf(events));
    expect(await after.findReceipt(stream, 'command-1')).toEqual({
      ...receipt,
      eventCount: 3,
      lastRevision: 2,
      position,
    });
    expect(await after.findReceipt(stream, 'command-2')).toEqual({ ...none, eventCount: 0, lastRevision: 2, position });
    expect(await after.loadSnapshot(stream)).toEqual(snapshot);
  });

  it('still knows a retry, with events or with a receipt alone', async () => {
    const path = ledgers.newPath();
    const stream = freshStream();
    const append = { stream, expectedRevision: -1, events: someEvents(2) };
    const none = { stream, expectedRevision: 1, events: [], receipt: { commandId: 'command-1', bodyHash: 'h' } };
    const before = await ledgers.open(path);
    const answers = [await before.append(append), await before.append(none)];
    await before.close();
    const after = await ledgers.open(path);
    expect([await after.append(append), await after.append(none)]).toEqual(answers);
  });

  it('goes on counting where it stopped', async () => {
    const path = ledgers.newPath();
    const stream = freshStream();
    for (let opening = 0; opening < 3; opening++) {
      const store = await ledgers.open(path);
      await write(store, stream, someEvents(2));
      await store.close();
    }
    const store = await ledgers.open(path);
    const places = (await all(store.readAll())).map(({ revision, position }) => [revision, Number(position)]);
    expect(places).toEqual([0, 1, 2, 3, 4, 5].map((revision) => [revision, revision + 1]));
  });

  it('is one file once it is closed', async () => {
    const path = ledgers.newPath();
    const store = await ledgers.open(path);
    await write(store, freshStream(), someEvents(10));
    await store.close();
    const copyPath = ledgers.newPath();
    copyFileSync(path, copyPath);
    const copy = await ledgers.open(copyPath, { readOnly: true });
    expect(await all(copy.readAll())).toHaveLength(10);
  });
});

describe('the seam between the file and the events in memory', () => {
  it('is passed without loss or repeat while others write', async () => {
    const path = ledgers.newPath();
    const stream = freshStream();
    const before = await ledgers.open(path);
    for (let page = 0; page < 5; page++) await write(before, stream, someEvents(1000));
    await before.close();

    const store = await ledgers.open(path);
    const starts = [0, 1, 2499, 4998, 4999, 5000];
    const reads = starts.map((after) => nextIds(iterate(store.subscribe({ after: String(after) })), 6000 - after));
    for (let revision = 5000; revision < 6000; revision += 10)
      await store.append({ stream, expectedRevision: revision - 1, events: someEvents(10) });
    const ids = idsOf(await all(store.readStream(stream)));
    expect(await Promise.all(reads)).toEqual(starts.map((after) => ids.slice(after)));
  });

  it('is passed backwards by a reader who falls behind what memory holds', async () => {
    const store = await ledgers.open(ledgers.newPath());
    const stream = freshStream();
    const slow = iterate(store.subscribe());
    await untilCaughtUp(slow);
    const first = nextIds(slow, 1);
    for (let page = 0; page < 20; page++) await write(store, stream, someEvents(1000));
    const seen = [...(await first), ...(await nextIds(slow, 19_999))];
    expect(seen).toEqual(idsOf(await all(store.readStream(stream))));
    expect(await untilCaughtUp(slow)).toBe(await store.head());
  });

  it('leaves room for others while a rare type is looked for', async () => {
    const path = ledgers.newPath();
    const before = await ledgers.open(path);
    const stream = freshStream();
    for (let page = 0; page < 20; page++) await write(before, stream, someEvents(1000));
    await write(before, stream, someEvents(1, { type: 'Rare' }));
    await before.close();
    const store = await ledgers.open(path);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    expect(await all(store.readAll({ filter: { types: ['Rare'] } }))).toHaveLength(1);
    expect(await all(store.readAll({ filter: { stream, types: ['Rare'] }, after: '777' }))).toHaveLength(1);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });
});

describe('a ledger file in the hands of an operator', () => {
  it('is readable with plain SQL', async () => {
    const path = ledgers.newPath();
    const store = await ledgers.open(path);
    const stream = freshStream();
    await write(store, stream, someEvents(2, { type: 'PortBound', data: '{"host":"compute-1"}' }));
    const shell = new Database(path, { readonly: true });
    const rows = shell.prepare(`SELECT position, stream, revision, type, data ->> 'host' AS host FROM ledger`).all();
    const row = { stream, type: 'PortBound', host: 'compute-1' };
    expect(rows).toEqual([
      { position: 1, revision: 0, ...row },
      { position: 2, revision: 1, ...row },
    ]);
    expect(shell.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(shell.pragma('foreign_key_check')).toEqual([]);
    shell.close();
  });

  it('may lose its snapshots while it is in use', async () => {
    const path = ledgers.newPath();
    const store = await ledgers.open(path);
    const stream = freshStream();
    await write(store, stream, someEvents(2));
    await store.saveSnapshot({ stream, revision: 1, foldVersion: 1, state: '{}' });
    const shell = new Database(path);
    shell.exec('DELETE FROM snapshots');
    shell.close();
    expect(await store.loadSnapshot(stream)).toBeNull();
    expect(await store.append({ stream, expectedRevision: 1, events: someEvents(1) })).toMatchObject({ revision: 2 });
  });
});

describe('a file that is no ledger for us', () => {
  const refusal = async (path: string, options = {}) => faultOf(ledgers.open(path, options));

  it('is refused: a text', async () => {
    const path = ledgers.newPath();
    writeFileSync(path, 'Dear diary, '.repeat(100));
    expect(await refusal(path)).toMatchObject({
      code: 'unusable-ledger',
      reason: expect.stringContaining('not an SQLite'),
    });
  });

  it('is refused: a database of something else', async () => {
    const path = ledgers.newPath();
    new Database(path).exec('CREATE TABLE recipes (name TEXT)').close();
    expect(await refusal(path)).toMatchObject({
      code: 'unusable-ledger',
      reason: expect.stringContaining('not a ledger'),
    });
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('is refused: a ledger of a newer version', async () => {
    const path = ledgers.newPath();
    await (await ledgers.open(path)).close();
    new Database(path).exec(`UPDATE meta SET value = '3' WHERE key = 'schema_version'`).close();
    expect(await refusal(path)).toMatchObject({ code: 'unusable-ledger', reason: expect.stringContaining('newer') });
  });

  it('is refused: a folder', async () => {
    expect(await refusal(ledgers.folder)).toMatchObject({
      code: 'unusable-ledger',
      reason: expect.stringContaining('folder'),
    });
  });

  it('is refused: a place below a file', async () => {
    const path = ledgers.newPath();
    writeFileSync(path, 'x');
    expect(await refusal(join(path, 'ledger.db'))).toMatchObject({ code: 'unusable-ledger' });
  });

  it('is refused: a name for memory', async () => {
    expect(await refusal(':memory:')).toMatchObject({
      code: 'unusable-ledger',
      reason: expect.stringContaining('memory:'),
    });
  });

  it('is refused: one made under the other clock', async () => {
    const [real, simulated] = [ledgers.newPath(), ledgers.newPath()];
    await (await ledgers.open(real)).close();
    await (await ledgers.open(simulated, { clock: 'manual' })).close();
    expect(await refusal(real, { clock: 'manual' })).toMatchObject({ reason: expect.stringContaining('real clock') });
    expect(await refusal(simulated)).toMatchObject({ reason: expect.stringContaining('manual clock') });
    expect((await ledgers.open(simulated, { clock: 'manual' })).info.clock).toBe('manual');
    expect((await ledgers.open(real, { readOnly: true })).info.clock).toBe('system');
  });
});

describe('a place where there is no ledger yet', () => {
  it('gets one, with the folders above it', async () => {
    const store = await ledgers.open(join(ledgers.folder, 'a', 'b', 'ledger.db'));
    expect(await write(store, freshStream(), someEvents(1))).toBe(await store.head());
  });

  it('gets one where an empty file was put', async () => {
    const path = ledgers.newPath();
    writeFileSync(path, '');
    expect((await ledgers.open(path)).info.engine).toBe('sqlite');
  });

  it('has nothing to be read', async () => {
    const fault = await faultOf(ledgers.open(ledgers.newPath(), { readOnly: true }));
    expect(fault).toMatchObject({ code: 'unusable-ledger', reason: 'there is no such file' });
  });
});

describe('a ledger that is opened to be read only', () => {
  it('sees what the server beside it commits, and cannot append', async () => {
    const path = ledgers.newPath();
    const server = await ledgers.open(path);
    const stream = freshStream();
    await write(server, stream, someEvents(3));
    const reader = await ledgers.open(path, { readOnly: true });
    expect(await all(reader.readStream(stream))).toHaveLength(3);

    const messages = iterate(reader.subscribe());
    await untilCaughtUp(messages);
    const live = nextIds(messages, 2);
    const events = someEvents(2);
    const position = await write(server, stream, events);
    expect(await live).toEqual(idsOf(events));
    expect(await reader.head()).toBe(position);
    expect(await all(reader.readAll())).toHaveLength(5);

    const refused = { code: 'not-writable', reason: 'it was opened to be read only' };
    expect(await faultOf(reader.append({ stream, expectedRevision: 4, events: someEvents(1) }))).toEqual(refused);
    const snapshot = { stream, revision: 0, foldVersion: 1, state: '{}' };
    expect(await faultOf(reader.saveSnapshot(snapshot))).toEqual(refused);
  });
});

describe('a ledger with two names', () => {
  it('is one ledger', async () => {
    const path = ledgers.newPath();
    const link = ledgers.newPath();
    await ledgers.open(path);
    symlinkSync(path, link);
    expect(await faultOf(ledgers.open(link))).toMatchObject({ code: 'ledger-locked' });
  });
});
