import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { verifyLedger } from '../../src/cli/verify/verify-ledger.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { parseAnchor } from '../../src/runtime/anchors/anchor.ts';
import { AnchorKeeper, AnchorsRefused, anchorLines } from '../../src/runtime/anchors/anchor-keeper.ts';
import { chainLink, withChain, withoutChain } from '../../src/runtime/chain.ts';
import { SystemClock } from '../../src/runtime/clock.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { nthId } from '../support/ledger.ts';
import { db, smallLedger, tamper, web } from './ledger-file.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** Keeps anchors of a ledger until that is done. */
async function anchorUntil(
  path: string,
  file: string,
  key: KeyObject,
  done: (store: EventStore) => unknown,
): Promise<{ halfLines: number }> {
  const store = await openStore(`sqlite:${path}`, { readOnly: true });
  const failures: unknown[] = [];
  let halfLines = 0;
  const everyMs = 10;
  const keeper = new AnchorKeeper({
    store,
    path: file,
    key,
    everyMs,
    clock: new SystemClock(),
    onFailure: (error) => failures.push(error),
    onHalfLine: () => halfLines++,
  });
  try {
    await keeper.start();
    await done(store);
    await keeper.stop();
  } finally {
    await store.close();
  }
  expect(failures).toEqual([]);
  return { halfLines };
}

/** Anchors a ledger up to its end. */
const anchor = (path: string, file: string, key: KeyObject = privateKey) =>
  anchorUntil(path, file, key, (store) =>
    vi.waitFor(async () => expect(await anchoredPosition(file)).toBe(await store.head())),
  );

/** Where the last whole anchor stands. */
async function anchoredPosition(file: string): Promise<string | undefined> {
  const last = (await readFile(file, 'utf8')).split('\n').findLast((line) => line.endsWith('"}'));
  return last === undefined ? undefined : parseAnchor(last).position;
}

async function findings(path: string, file: string, key = publicKey) {
  const store = await openStore(`sqlite:${path}`, { readOnly: true });
  try {
    const given = { lines: anchorLines(file), key };
    const verification = await verifyLedger(store, aggregates, null, () => {}, given);
    const name = (stream: string) => stream.replace(`port-${web}`, 'web').replace(`port-${db}`, 'db');
    return verification.findings.map(({ check, stream, revision }) => `${check} ${name(stream)} ${revision}`);
  } finally {
    await store.close();
  }
}

async function anchoredLedger() {
  const { path } = await smallLedger();
  const file = `${path}.anchors`;
  await anchor(path, file);
  return { path, file };
}

/** Writes the chain of a stream anew, as somebody would who has read how it is made. */
function relink(path: string, name: string): void {
  const file = new Database(path);
  const rows = file.prepare('SELECT * FROM ledger WHERE stream = ? ORDER BY revision').all(name) as {
    position: number;
    revision: number;
    id: string;
    type: string;
    v: number;
    time: string;
    data: string;
    metadata: string;
  }[];
  let chain = '';
  for (const { position, data: dataText, metadata, ...event } of rows) {
    const { metadataText } = withoutChain(metadata)!;
    chain = chainLink(chain, { ...event, stream: name, dataText, metadataText });
    file.prepare('UPDATE events SET metadata = ? WHERE position = ?').run(withChain(metadataText, chain), position);
  }
  file.close();
}

/** One more event, of a port of its own. */
function record(path: string): void {
  const columns = 'position, stream, revision, id, type, v, time, data, metadata';
  tamper(
    path,
    `INSERT INTO streams (name) VALUES ('port-${nthId(3)}')`,
    `INSERT INTO events (${columns}) SELECT 14, (SELECT max(id) FROM streams), 0, id, type, v, time, data, metadata
       FROM events WHERE position = 1`,
  );
}

/** What else remembers the end of a stream. */
const forget = ['DELETE FROM snapshots', 'DELETE FROM receipts', 'DELETE FROM checkpoints'];

describe('a ledger that was anchored', () => {
  it('is what it was', async () => {
    const { path, file } = await anchoredLedger();
    expect(await findings(path, file)).toEqual([]);
    const [line] = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(line!)).toMatchObject({ position: '0000000000000013', previous: '' });
  });

  it('gets no anchor where nothing was recorded since, and goes on with the next one', async () => {
    const { path, file } = await anchoredLedger();
    await anchor(path, file);
    expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toHaveLength(1);
    expect(await findings(path, file)).toEqual([]);
  });
});

describe('somebody with the database in hand, who covers the traces inside it', () => {
  it('cuts off the end of a stream', async () => {
    const { path, file } = await anchoredLedger();
    tamper(
      path,
      ...forget,
      'DELETE FROM events WHERE position = 11',
      'UPDATE events SET position = position - 1 WHERE position > 11',
    );
    expect(await findings(path, file)).toEqual(['anchor-ahead  -1', 'anchor-differs web 5']);
  });

  it('cuts off the end of the ledger', async () => {
    const { path, file } = await anchoredLedger();
    tamper(path, ...forget, 'DELETE FROM events WHERE position > 8');
    expect(await findings(path, file)).toEqual(['anchor-ahead  -1', 'anchor-differs web 4', 'anchor-differs db 4']);
  });

  it('changes an event and writes every link after it anew', async () => {
    const { path, file } = await anchoredLedger();
    tamper(path, ...forget, `UPDATE events SET data = replace(data, 'db-2', 'db-9') WHERE position = 6`);
    relink(path, `port-${db}`);
    expect(await findings(path, file)).toEqual(['anchor-differs db 0']);
  });

  it('puts two events of different streams into another order', async () => {
    const { path, file } = await anchoredLedger();
    tamper(
      path,
      ...forget,
      'UPDATE events SET position = 99 WHERE position = 4',
      'UPDATE events SET position = 4 WHERE position = 5',
      'UPDATE events SET position = 5 WHERE position = 99',
    );
    expect(await findings(path, file)).toEqual(['anchor-order  -1']);
  });

  it('gives two streams the names of each other', async () => {
    const { path, file } = await anchoredLedger();
    tamper(
      path,
      ...forget,
      `UPDATE streams SET name = 'x' WHERE name = 'port-${web}'`,
      `UPDATE streams SET name = 'port-${web}' WHERE name = 'port-${db}'`,
      `UPDATE streams SET name = 'port-${db}' WHERE name = 'x'`,
    );
    const found = await findings(path, file);
    expect(found).toContain('chain-broken web 0');
    expect(found).toContain('chain-broken db 0');
  });

  it('changes an anchor as well', async () => {
    const { path, file } = await anchoredLedger();
    await writeFile(file, (await readFile(file, 'utf8')).replace('[5,', '[4,'));
    expect(await findings(path, file)).toEqual(['anchor-forged  -1']);
  });

  it('signs anchors with a key of their own', async () => {
    const { path } = await smallLedger();
    const file = `${path}.anchors`;
    await anchor(path, file, generateKeyPairSync('ed25519').privateKey);
    expect(await findings(path, file, createPublicKey(privateKey))).toEqual(['anchor-forged  -1']);
  });
});

describe('an anchor that broke off, since the disk was full', () => {
  /** A file whose last anchor has so many characters left. */
  async function brokenOff(length: number) {
    const ledger = await anchoredLedger();
    const whole = await readFile(ledger.file, 'utf8');
    await writeFile(ledger.file, whole.slice(0, length));
    return { ...ledger, whole };
  }

  it.each([2, 40, 200])(
    'after %d characters is kept apart, and what it would have said is said again',
    async (length) => {
      const { path, file, whole } = await brokenOff(length);
      expect(await anchor(path, file)).toEqual({ halfLines: 1 });
      const lines = (await readFile(file, 'utf8')).split('\n');
      expect(lines).toEqual([
        whole.slice(0, length),
        expect.stringMatching(/"previous":"","signature":"[\w-]+"}$/),
        '',
      ]);
      expect(await findings(path, file)).toEqual([]);
    },
  );

  it('before its line break is whole: the next one follows on it', async () => {
    const { path, file } = await brokenOff(-1);
    record(path);
    expect(await anchor(path, file)).toEqual({ halfLines: 1 });
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => parseAnchor(line).position)).toEqual(['0000000000000013', '0000000000000014']);
    expect(await findings(path, file)).not.toContain('anchor-forged  -1');
  });

  it('does not cover up for one that was cut off later', async () => {
    const { path, file } = await anchoredLedger();
    record(path);
    await anchor(path, file);
    const [first, second] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, `${first!.slice(0, 200)}\n${second}\n`);
    expect(await findings(path, file)).toContain('anchor-forged  -1');
  });
});

describe('an anchors file of a ledger that is old', () => {
  it('is read from its end', async () => {
    const { path, file } = await anchoredLedger();
    const line = await readFile(file, 'utf8');
    await truncate(file, 2 ** 36);
    await appendFile(file, `\n${line}`);
    expect(await anchorUntil(path, file, privateKey, () => {})).toEqual({ halfLines: 0 });
  });
});

describe('a server that starts on a ledger whose end is gone', () => {
  it('is told so', async () => {
    const { path, file } = await anchoredLedger();
    tamper(path, ...forget, 'DELETE FROM events WHERE position > 8');
    await expect(anchor(path, file)).rejects.toThrow(AnchorsRefused);
  });

  it('or on another ledger', async () => {
    const { file } = await anchoredLedger();
    const other = await smallLedger();
    tamper(other.path, `UPDATE meta SET value = '11111111-1111-4111-8111-111111111111' WHERE key = 'ledger_id'`);
    await expect(anchor(other.path, file)).rejects.toThrow('holds the anchors of the ledger');
  });
});
