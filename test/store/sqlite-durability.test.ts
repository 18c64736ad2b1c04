import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { all, faultOf, freshStream, idsOf, revisionOf, someEvents, write } from '../contract/support.ts';
import { committedTransactions, ledgerFolder, startChild } from './support.ts';

const ledgers = ledgerFolder();

describe('a process that is killed under load, again and again', () => {
  it('loses nothing it has answered, and leaves no hole', async () => {
    const path = ledgers.newPath();
    const answered: { stream: string; revision: number; id: string }[] = [];
    for (const appends of [50, 400, 1500]) {
      const child = startChild('append-load', path);
      let seen = 0;
      for await (const line of child.lines) {
        const [stream, revision, id] = line.split(' ');
        if (id?.length === 36) answered.push({ stream: stream!, revision: Number(revision), id });
        if (++seen === appends) await child.kill();
      }
    }

    const store = await ledgers.open(path);
    const recorded = new Map<string, string>();
    let positions = 0;
    for await (const { stream, revision, id, position } of store.readAll()) {
      recorded.set(`${stream}@${revision}`, id);
      positions += 1;
      if (Number(position) !== positions) expect.fail(`there is a hole before ${position}`);
    }
    expect(answered.length).toBeGreaterThan(1900);
    for (const { stream, revision, id } of answered) expect(recorded.get(`${stream}@${revision}`)).toBe(id);
  });
});

describe('appends that arrive together', () => {
  it('share a transaction', async () => {
    const path = ledgers.newPath();
    const store = await ledgers.open(path);
    await write(store, freshStream(), someEvents(1));
    const before = committedTransactions(path);
    const appends = Array.from({ length: 1000 }, () =>
      store.append({ stream: freshStream(), expectedRevision: -1, events: someEvents(1) }),
    );
    await Promise.all(appends);
    expect(committedTransactions(path) - before).toBeLessThanOrEqual(2);
  });

  it('have one each where each waits for the one before', async () => {
    const path = ledgers.newPath();
    const store = await ledgers.open(path);
    const stream = freshStream();
    await write(store, stream, someEvents(1));
    const before = committedTransactions(path);
    for (let revision = 0; revision < 20; revision++)
      await store.append({ stream, expectedRevision: revision, events: someEvents(1) });
    expect(committedTransactions(path) - before).toBe(20);
  });

  it('cost no write where all of them are refused', async () => {
    const path = ledgers.newPath();
    const store = await ledgers.open(path);
    const stream = freshStream();
    await write(store, stream, someEvents(1));
    const before = committedTransactions(path);
    await faultOf(store.append({ stream, expectedRevision: 7, events: someEvents(1) }));
    expect(committedTransactions(path)).toBe(before);
  });
});

/** Fills what is left of a ledger that may grow no further; the number of appends that were taken. */
async function fillUp(store: EventStore, stream: string): Promise<number> {
  const large = { data: `{"x":"${'y'.repeat(20_000)}"}` };
  for (let taken = 0; ; taken++) {
    const outcome = await store.append({ stream, expectedRevision: taken - 1, events: someEvents(1, large) }).then(
      () => null,
      (error: unknown) => error,
    );
    if (outcome) return taken;
  }
}

describe('a ledger whose disk is full', () => {
  const maxBytes = 600_000;
  async function openFullLedger() {
    const path = ledgers.newPath();
    await (await ledgers.open(path)).close();
    new Database(path).exec('CREATE TABLE filler AS SELECT zeroblob(300000)').close();
    const store = await ledgers.open(path, { maxBytes });
    const stream = freshStream();
    const taken = await fillUp(store, stream);
    return { path, store, stream, taken };
  }

  it('refuses appends and says why, keeps what it has, and can be read', async () => {
    const { store, stream, taken } = await openFullLedger();
    expect(taken).toBeGreaterThan(3);
    const large = { data: `{"x":"${'y'.repeat(100_000)}"}` };
    const append = store.append({ stream, expectedRevision: taken - 1, events: someEvents(1, large) });
    const fault = await faultOf(append);
    expect(fault).toMatchObject({ code: 'not-writable', reason: expect.stringContaining('no space left') });
    expect(await append.catch(({ cause }) => cause)).toMatchObject({ code: 'SQLITE_FULL' });
    expect(await revisionOf(store, stream)).toBe(taken - 1);
  });

  it('refuses all that arrived together, the small ones too, and stores none of them', async () => {
    const { store, stream, taken } = await openFullLedger();
    const others = Array.from({ length: 10 }, () => freshStream());
    const head = await store.head();
    const large = { data: `{"x":"${'y'.repeat(100_000)}"}` };
    const outcomes = await Promise.allSettled([
      ...others.map((other) => store.append({ stream: other, expectedRevision: -1, events: someEvents(1) })),
      store.append({ stream, expectedRevision: taken - 1, events: someEvents(1, large) }),
    ]);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    for (const other of others) expect(await revisionOf(store, other)).toBe(-1);
    expect(await store.head()).toBe(head);
  });

  it('takes appends again by itself once there is space, without a hole', async () => {
    const { path, store, stream, taken } = await openFullLedger();
    new Database(path).exec('DROP TABLE filler').close();
    const events = someEvents(3);
    await store.append({ stream, expectedRevision: taken - 1, events });
    const recorded = await all(store.readAll());
    expect(idsOf(recorded).slice(-3)).toEqual(idsOf(events));
    expect(recorded.map(({ position }) => Number(position))).toEqual(recorded.map((_, index) => index + 1));
  });
});

describe('a ledger that somebody has locked with the sqlite3 shell', () => {
  it('refuses appends after a while, and takes them again when the shell is done', async () => {
    const path = ledgers.newPath();
    const store = await ledgers.open(path);
    const stream = freshStream();
    await write(store, stream, someEvents(1));
    const shell = new Database(path);
    shell.exec('BEGIN IMMEDIATE');
    const fault = await faultOf(store.append({ stream, expectedRevision: 0, events: someEvents(1) }));
    expect(fault).toMatchObject({ code: 'not-writable', reason: expect.stringContaining('another program') });
    shell.exec('COMMIT');
    shell.close();
    expect(await store.append({ stream, expectedRevision: 0, events: someEvents(1) })).toMatchObject({ revision: 1 });
  });
});
