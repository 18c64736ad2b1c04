import {
  copyFileSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { findArchive, prepareArchive } from '../../src/store/sqlite/archive-file.ts';
import { all, faultOf, freshStream, idsOf, revisionOf, someEvent, someEvents, write } from '../contract/support.ts';
import { archive, archiverOf } from './archived-store.ts';
import { ledgerFolder, startChild } from './support.ts';

const ledgers = ledgerFolder();

/** Everything that a reader can ask for. */
async function contents(store: EventStore, streams: readonly string[]) {
  return {
    head: await store.head(),
    events: await all(store.readAll()),
    some: await all(store.readAll({ after: '5', filter: { types: ['Odd'], streamPrefixes: ['port-'] }, limit: 20 })),
    receipts: await all(store.readReceipts()),
    forwards: await Promise.all(streams.map((stream) => all(store.readStream(stream, { from: 1 })))),
    backwards: await Promise.all(streams.map((stream) => all(store.readStream(stream, { direction: 'backwards' })))),
    alone: await Promise.all(streams.map((stream) => all(store.readAll({ after: '7', filter: { stream } })))),
    found: await Promise.all(streams.map((stream) => store.findReceipt(stream, `command-${stream}`))),
  };
}

async function reading<T>(path: string, read: (store: EventStore) => Promise<T>): Promise<T> {
  const store = await ledgers.open(path, { readOnly: true });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

/** A ledger whose streams were written in turns, each with a receipt. Ends with an event of the last stream. */
async function ledgerOf(count: number, length: number, size = 100) {
  const key = [count, length, size].join();
  const made = templates.get(key) ?? makeLedger(count, length, size);
  templates.set(key, made);
  const template = await made;
  const path = ledgers.newPath();
  copyFileSync(template.path, path);
  return { ...template, path };
}

type Template = Awaited<ReturnType<typeof makeLedger>>;
const templates = new Map<string, Promise<Template>>();

async function makeLedger(count: number, length: number, size: number) {
  const path = ledgers.newPath();
  const store = await ledgers.open(path);
  const streams = Array.from({ length: count }, () => freshStream());
  const data = JSON.stringify({ filler: 'x'.repeat(size) });
  for (let revision = 0; revision < length; revision++) {
    const type = revision % 2 ? 'Odd' : 'Even';
    const append = (stream: string) => {
      const receipt = revision === 0 ? { receipt: { commandId: `command-${stream}`, bodyHash: 'hash' } } : {};
      return store.append({ stream, expectedRevision: revision - 1, events: [someEvent({ type, data })], ...receipt });
    };
    await Promise.all(streams.map(append));
  }
  await store.close();
  const ends = streams.map((stream) => ({ stream, revision: length - 1 }));
  return { path, streams, ends, before: await reading(path, (ledger) => contents(ledger, streams)) };
}

/** The positions of the events that a file itself holds. */
function positionsIn(file: string): number[] {
  const db = new Database(file, { readonly: true });
  const positions = db.prepare('SELECT position FROM events ORDER BY position').pluck().all() as number[];
  db.close();
  return positions;
}

describe('archiving that breaks off', () => {
  it('between the two files leaves each event to be read once, and is finished by the next run', async () => {
    const { path, streams, ends, before } = await ledgerOf(3, 4);
    const broken = archiverOf(path);
    broken.copy(ends.slice(0, 2));
    broken.close();
    expect(positionsIn(path)).toHaveLength(12);
    expect(positionsIn(`${path}.archive`)).toHaveLength(8);
    expect(await reading(path, (store) => contents(store, streams))).toEqual(before);

    archive(path, ends);
    expect(positionsIn(path)).toEqual([12]);
    expect(positionsIn(`${path}.archive`)).toHaveLength(11);
    expect(await reading(path, (store) => contents(store, streams))).toEqual(before);
  });

  it('by SIGKILL, anywhere and again and again, loses nothing and tells nothing twice', async () => {
    const { path, streams, before } = await ledgerOf(100, 3);
    prepareArchive(path);
    for (const kill of [
      { after: 'copied', at: 7 },
      { after: 'released', at: 20 },
    ]) {
      const child = startChild('archive-steps', path);
      let seen = 0;
      for await (const line of child.lines) if (line.startsWith(kill.after) && ++seen === kill.at) await child.kill();
      expect(await reading(path, (store) => contents(store, streams))).toEqual(before);
    }
    const left = archiverOf(path);
    const { ends } = left.idle({ from: '', before: '9999' }, 0);
    expect(ends.length).toBeLessThan(100);
    left.close();
    archive(path, ends);
    expect(positionsIn(path)).toEqual([300]);
    expect(await reading(path, (store) => contents(store, streams))).toEqual(before);
  });

  it('takes out nothing that the archive does not give back as it was', async () => {
    const { path, streams, ends, before } = await ledgerOf(3, 4);
    const archiver = archiverOf(path);
    const copied = archiver.copy(ends.slice(0, 2));
    new Database(`${path}.archive`).exec(`UPDATE events SET data = '{}' WHERE revision = 2`).close();
    expect(() => archiver.release(copied)).toThrow('holds other events than 0 to 3 of');
    archiver.close();
    expect(positionsIn(path)).toHaveLength(12);
    expect(await reading(path, (store) => contents(store, streams))).toEqual(before);
  });

  it.each([
    ['while it copies', `CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.revision = 2 BEGIN`, '.archive'],
    ['while it takes out', `CREATE TRIGGER full AFTER DELETE ON events WHEN OLD.revision = 2 BEGIN`, ''],
    ['while it notes what it took out', `CREATE TRIGGER full BEFORE INSERT ON archived BEGIN`, ''],
  ])('%s has done nothing, and goes on when the trouble is over', async (_when, trigger, file) => {
    const { path, streams, ends, before } = await ledgerOf(3, 4);
    const archiver = archiverOf(path);
    new Database(`${path}${file}`).exec(`${trigger} SELECT RAISE(ABORT, 'the disk is full'); END`).close();
    expect(() => archiver.move(ends)).toThrow('the disk is full');
    expect(positionsIn(path)).toHaveLength(12);
    expect(await reading(path, (store) => contents(store, streams))).toEqual(before);

    new Database(`${path}${file}`).exec('DROP TRIGGER full').close();
    expect(archiver.move(ends)).toEqual({ streams: 2, events: 11, receipts: 3, done: true });
    archiver.close();
    expect(await reading(path, (store) => contents(store, streams))).toEqual(before);
  });
});

describe('a stream that is archived', () => {
  it('goes on in the ledger with the next revision, and is archived again', async () => {
    const { path, streams, ends } = await ledgerOf(3, 4);
    archive(path, ends);
    const store = await ledgers.open(path);
    const [stream] = streams as [string];
    const late = someEvent({ type: 'Late' });
    const appended = await store.append({ stream, expectedRevision: 3, events: [late] });
    expect(appended.revision).toBe(4);
    archive(path, [{ stream, revision: 4 }]);
    expect(await revisionOf(store, stream)).toBe(4);
    await write(store, freshStream(), someEvents(1));
    archive(path, [{ stream, revision: 4 }]);
    expect(await revisionOf(store, stream)).toBe(4);
    expect(positionsIn(`${path}.archive`)).toContain(Number(appended.position));
    expect((await all(store.readStream(stream))).at(-1)!.id).toBe(late.id);
  });

  it('stays where something came after it was chosen', async () => {
    const { path, streams, ends } = await ledgerOf(3, 4);
    const store = await ledgers.open(path);
    const [stream] = streams as [string];
    const archiver = archiverOf(path);
    const copied = archiver.copy(ends);
    await write(store, stream, someEvents(1));
    expect(archiver.release(copied)).toEqual({ streams: 1, events: 7, receipts: 2 });
    archiver.close();
    const revisions = (await all(store.readStream(stream))).map(({ revision }) => revision);
    expect(revisions).toEqual([0, 1, 2, 3, 4]);
    expect(positionsIn(path)).toEqual(expect.arrayContaining([1, 4, 7, 10]));
  });

  it('takes no id twice, knows its retries, and refuses what expects another end', async () => {
    const path = ledgers.newPath();
    const stream = freshStream();
    const receipt = { commandId: 'command-1', bodyHash: 'hash-1' };
    const first = { stream, expectedRevision: -1, events: someEvents(3), receipt };
    const before = await ledgers.open(path);
    const answer = await before.append(first);
    await write(before, freshStream(), someEvents(1));
    await before.close();
    archive(path, [{ stream, revision: 2 }]);
    expect(positionsIn(path)).toEqual([4]);

    const store = await ledgers.open(path);
    const append = (expectedRevision: number, more: object) =>
      store.append({ stream, expectedRevision, events: someEvents(1), ...more });
    expect(await store.append(first)).toEqual(answer);
    expect(await faultOf(append(2, { events: [first.events[1]!] }))).toMatchObject({ code: 'duplicate-event-id' });
    expect(await faultOf(append(-1, {}))).toMatchObject({ code: 'wrong-expected-revision', actual: 2 });
    expect(await faultOf(append(2, { receipt }))).toMatchObject({ code: 'duplicate-event-id', eventId: 'command-1' });
    expect(await faultOf(append(2, { expectedEventId: first.events[0]!.id }))).toMatchObject({ actual: 2 });
    expect(await append(2, { expectedEventId: first.events[2]!.id })).toMatchObject({ revision: 3 });
  });

  it('may have more events than one step moves', async () => {
    const path = ledgers.newPath();
    const store = await ledgers.open(path);
    const stream = freshStream();
    for (let page = 0; page < 3; page++) await write(store, stream, someEvents(500));
    await write(store, freshStream(), someEvents(1));
    const ids = idsOf(await all(store.readAll()));
    const archiver = archiverOf(path);
    const moved = archiver.move([{ stream, revision: 1499 }]);
    expect(moved).toMatchObject({ streams: 0, done: false });
    await store.close();
    const half = await ledgers.open(path);
    expect(idsOf(await all(half.readAll()))).toEqual(ids);
    expect(idsOf(await all(half.readStream(stream, { from: moved.events - 2, limit: 4 })))).toEqual(
      ids.slice(moved.events - 2, moved.events + 2),
    );
    while (!archiver.move([{ stream, revision: 1499 }]).done);
    archiver.close();
    expect(positionsIn(path)).toEqual([1501]);
    expect(idsOf(await all(half.readAll()))).toEqual(ids);
  });

  it('is read by whoever had opened the ledger before there was an archive', async () => {
    const { path, streams, ends, before } = await ledgerOf(3, 4);
    const reader = await ledgers.open(path, { readOnly: true });
    const scan = reader.readAll();
    const first = await scan[Symbol.asyncIterator]().next();
    archive(path, ends);
    expect(first.value.position).toBe(before.events[0]!.position);
    expect(await contents(reader, streams)).toEqual(before);
  });
});

describe('the room that archived events leave', () => {
  it('is used for what is recorded next; VACUUM gives it back, and changes nothing else', async () => {
    const { path, ends } = await ledgerOf(60, 10, 1000);
    archive(path, ends);
    const archiver = archiverOf(path);
    const { freeBytes, ledgerBytes } = archiver.sizes();
    archiver.close();
    expect(freeBytes).toBeGreaterThan(0.8 * ledgerBytes);
    const store = await ledgers.open(path);
    await write(store, freshStream(), someEvents(100, { data: `{"filler":"${'y'.repeat(1000)}"}` }));
    const recorded = await all(store.readAll());
    await store.close();
    expect(statSync(path).size).toBeLessThanOrEqual(ledgerBytes);
    new Database(path).exec('VACUUM').close();
    expect(statSync(path).size).toBeLessThan(0.4 * ledgerBytes);
    expect(await reading(path, (ledger) => all(ledger.readAll()))).toEqual(recorded);
  });
});

describe('a ledger whose archive', () => {
  const trouble: readonly [what: string, spoil: (file: string) => Promise<unknown> | unknown, reason: RegExp][] = [
    ['is missing', (file) => rmSync(file), /ledger.*archive is not there, and 8 of its events are. Put the file back/],
    ['is some other file', (file) => copyFileSync(file.replace(/\.archive$/, ''), file), /is some other file/],
    ['is no database', (file) => writeFileSync(file, 'Dear diary, '.repeat(100)), /not an SQLite database/],
    [
      'is that of another ledger',
      async (file) => {
        const other = await ledgerOf(2, 2);
        copyFileSync(prepareArchive(other.path), file);
      },
      /is that of the ledger .*; this one is /,
    ],
    [
      'is an older copy',
      (file) => new Database(file).exec(`UPDATE meta SET value = '5' WHERE key = 'archive_events'`).close(),
      /is an older copy: it holds 5 events, and the ledger left 8 to it. Put the newest one/,
    ],
  ];
  it.each(trouble)('%s is not opened, and says so', async (_what, spoil, reason) => {
    const { path, ends } = await ledgerOf(3, 4);
    archive(path, ends.slice(0, 2));
    await spoil(`${path}.archive`);
    for (const options of [{}, { readOnly: true }]) {
      const fault = await faultOf(ledgers.open(path, options));
      expect(fault).toMatchObject({ code: 'unusable-ledger', reason: expect.stringMatching(reason) });
    }
  });

  it('was moved elsewhere remembers where', async () => {
    const { path, streams, ends, before } = await ledgerOf(3, 4);
    archive(path, ends);
    const elsewhere = join(ledgers.folder, `cheap-${streams[0]}`);
    renameSync(`${path}.archive`, elsewhere);
    expect(await faultOf(ledgers.open(path))).toMatchObject({ reason: expect.stringContaining('ARCHIVE_FILE') });
    await (await ledgers.open(path, { archiveFile: elsewhere })).close();
    expect(await reading(path, (store) => contents(store, streams))).toEqual(before);
  });

  it('is that of a later moment, of which other things are told now, is left as it is', async () => {
    const { path, ends } = await ledgerOf(3, 4);
    const earlier = ledgers.newPath();
    prepareArchive(path);
    copyFileSync(path, earlier);
    new Database(earlier).exec(`UPDATE meta SET value = '${path}.archive' WHERE key = 'archive_file'`).close();
    const told = async (ledger: string, others: number) => {
      const store = await ledgers.open(ledger);
      await write(store, freshStream(), someEvents(others));
      const { stream } = ends[0]!;
      await store.append({ stream, expectedRevision: 3, events: someEvents(1) });
      await write(store, freshStream(), someEvents(1));
      await store.close();
      return { stream, revision: 4 };
    };
    const end = await told(path, 1);
    archive(path, [end]);
    const before = positionsIn(`${path}.archive`);

    await told(earlier, 2);
    expect(() => archive(earlier, [end])).toThrow('holds other events than 0 to 4 of');
    expect(positionsIn(`${path}.archive`)).toEqual(before);
    const store = await ledgers.open(earlier, { readOnly: true });
    expect((await all(store.readStream(end.stream))).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
    expect((await all(store.readAll())).map(({ position }) => Number(position))).toEqual(
      Array.from({ length: 16 }, (_, index) => index + 1),
    );
  });

  it('holds nothing yet may be missing, and is made again', async () => {
    const { path, streams, ends, before } = await ledgerOf(3, 4);
    rmSync(prepareArchive(path));
    expect(await reading(path, (store) => contents(store, streams))).toEqual(before);
    archive(path, ends);
    expect(positionsIn(path)).toEqual([12]);
  });

  it('lies beside it is found by any name that the ledger has', async () => {
    const { path } = await ledgerOf(3, 4);
    const archive = prepareArchive(path);
    const link = join(mkdtempSync(join(ledgers.folder, 'link-')), 'ledger.db');
    symlinkSync(path, link);
    expect(findArchive(link)).toBe(realpathSync(archive));
  });

  it('is restored with an older copy of it goes on from there', async () => {
    const { path, streams, ends, before } = await ledgerOf(3, 4);
    archive(path, ends.slice(0, 1));
    const copy = ledgers.newPath();
    copyFileSync(path, copy);
    archive(path, ends);
    renameSync(`${path}.archive`, `${copy}.archive`);
    new Database(copy).exec(`UPDATE meta SET value = '${copy}.archive' WHERE key = 'archive_file'`).close();
    expect(await reading(copy, (store) => contents(store, streams))).toEqual(before);
    archive(copy, ends);
    expect(positionsIn(copy)).toEqual([12]);
    expect(await reading(copy, (store) => contents(store, streams))).toEqual(before);
  });

  it('is named in its place says that it is one', async () => {
    const { path } = await ledgerOf(3, 4);
    const fault = await faultOf(ledgers.open(prepareArchive(path)));
    expect(fault).toMatchObject({ reason: expect.stringContaining('it is the archive of a ledger') });
  });

  it('is not looked into by older programs, which refuse; without one they still read it', async () => {
    const { path } = await ledgerOf(3, 4);
    const format = (): unknown => {
      const db = new Database(path, { readonly: true });
      const version = db.prepare(`SELECT value FROM meta WHERE key = 'schema_version'`).pluck().get();
      db.close();
      return version;
    };
    expect(format()).toBe('1');
    prepareArchive(path);
    expect(format()).toBe('2');
  });
});
