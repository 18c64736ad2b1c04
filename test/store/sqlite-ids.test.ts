import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { all, faultOf, freshStream, idsOf, someEvent, someEvents, write } from '../contract/support.ts';
import { ledgerFolder } from './support.ts';

const ledgers = ledgerFolder();

describe('two ids with the same last four bytes', () => {
  const first = '0b7e6d3a-95ce-4a51-8f0e-1c2d3e4f5a6b';
  const second = '7f1c2b3d-6a4e-4c8b-9d0f-00003e4f5a6b';

  it('are two ids', async () => {
    const store = await ledgers.open(ledgers.newPath());
    const stream = freshStream();
    await write(store, stream, [someEvent({ id: first })]);
    await store.append({ stream, expectedRevision: 0, events: [someEvent({ id: second })] });
    expect(idsOf(await all(store.readStream(stream)))).toEqual([first, second]);
  });
});

describe('an id that a stream took long ago', () => {
  it('is refused after a restart, behind hundreds of others', async () => {
    const path = ledgers.newPath();
    const stream = freshStream();
    const events = someEvents(400);
    const before = await ledgers.open(path);
    for (let revision = -1; revision < 399; revision += 100)
      await before.append({ stream, expectedRevision: revision, events: events.slice(revision + 1, revision + 101) });
    await before.close();

    const store = await ledgers.open(path);
    const again = store.append({ stream, expectedRevision: 399, events: [someEvent({ id: events[7]!.id })] });
    expect(await faultOf(again)).toMatchObject({ code: 'duplicate-event-id', eventId: events[7]!.id });
    await store.append({ stream, expectedRevision: 399, events: someEvents(1) });
  });
});

describe('a ledger with the two indexes of the first ones', () => {
  it('is read and written like any other', async () => {
    const path = ledgers.newPath();
    const stream = freshStream();
    const [one, two, three] = someEvents(3) as [
      ReturnType<typeof someEvent>,
      ReturnType<typeof someEvent>,
      ReturnType<typeof someEvent>,
    ];
    const made = await ledgers.open(path);
    await write(made, stream, [one]);
    await made.close();
    giveFormerIndexes(path);

    const store = await ledgers.open(path);
    await store.append({ stream, expectedRevision: 0, events: [two] });
    expect(await faultOf(store.append({ stream, expectedRevision: 1, events: [one] }))).toMatchObject({
      code: 'duplicate-event-id',
    });
    await store.append({ stream, expectedRevision: 1, events: [three] });
    expect(idsOf(await all(store.readStream(stream)))).toEqual(idsOf([one, two, three]));
    expect(idsOf(await all(store.readStream(stream, { direction: 'backwards', limit: 2 })))).toEqual(
      idsOf([three, two]),
    );
  });
});

function giveFormerIndexes(path: string): void {
  const db = new Database(path);
  db.exec(`
    DROP VIEW ledger;
    ALTER TABLE events RENAME TO now;
    CREATE TABLE events (
      position INTEGER PRIMARY KEY, stream INTEGER NOT NULL REFERENCES streams (id), revision INTEGER NOT NULL,
      id TEXT NOT NULL, type TEXT NOT NULL, v INTEGER NOT NULL, time TEXT NOT NULL, data TEXT NOT NULL,
      metadata TEXT NOT NULL, UNIQUE (stream, revision), UNIQUE (stream, id)
    ) STRICT;
    INSERT INTO events SELECT * FROM now;
    DROP TABLE now;
  `);
  db.close();
}
