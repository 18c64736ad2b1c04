import { describe, expect, it } from 'vitest';
import { type Verification, verifyLedger } from '../../src/cli/verify/verify-ledger.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { openStore } from '../../src/store/open-store.ts';
import { db, smallLedger, tamper, web } from './ledger-file.ts';

async function verify(url: string): Promise<Verification> {
  const store = await openStore(url, { readOnly: true });
  try {
    return await verifyLedger(store, aggregates, null);
  } finally {
    await store.close();
  }
}

async function findingsAfter(...statements: string[]) {
  const { path, url } = await smallLedger();
  tamper(path, ...statements);
  const { findings } = await verify(url);
  return findings.map(({ check, stream, revision, position }) => {
    const name = stream === `port-${web}` ? 'web' : stream === `port-${db}` ? 'db' : stream;
    return `${check} ${name} ${revision}${position && ` @${Number(position)}`}`;
  });
}

describe('a ledger nobody laid hands on', () => {
  it('has no findings, and everything in it was looked at', async () => {
    const { url } = await smallLedger();
    expect(await verify(url)).toMatchObject({
      position: '0000000000000013',
      events: 13,
      streams: 2,
      receipts: 6,
      snapshots: { compared: 2, ignored: 0 },
      unknownTypes: {},
      findingCount: 0,
      findings: [],
    });
  });

  it('of a later program is read as far as this one knows it', async () => {
    const { path, url } = await smallLedger();
    tamper(path, `UPDATE snapshots SET fold_version = 99, state = '{}'`);
    expect(await verify(url)).toMatchObject({ findingCount: 0, snapshots: { compared: 0, ignored: 2 } });
  });

  it('is verified while a server writes it, as far as it was at the beginning', async () => {
    const { url } = await smallLedger();
    const writer = await openStore(url, { clock: 'manual' });
    const { findingCount, events } = await verify(url);
    await writer.close();
    expect({ findingCount, events }).toEqual({ findingCount: 0, events: 13 });
  });
});

// Positions 1 3 5 8 10 11 are revisions 0 to 5 of web; 2 4 6 7 9 12 13 are revisions 0 to 6 of db.
describe('somebody who writes into the file', () => {
  it.each<[string, string[], string[]]>([
    [
      'and changes what happened',
      [`UPDATE events SET data = replace(data, 'L2', 'L3') WHERE position = 3`],
      ['chain-broken web 1 @3', 'snapshot-differs web 5 @11'],
    ],
    [
      'and changes who did it',
      [`UPDATE events SET metadata = replace(metadata, 'someone', 'nobody') WHERE position = 9`],
      ['chain-broken db 4 @9'],
    ],
    [
      'and changes when it happened, out of order',
      [`UPDATE events SET time = '2026-01-01T00:00:07.500Z' WHERE position = 5`],
      ['chain-broken web 2 @5'],
    ],
    [
      'and sets the clock back',
      [`UPDATE events SET time = '2025-01-01T00:00:00.000Z' WHERE position = 5`],
      ['time-goes-back web 2 @5', 'chain-broken web 2 @5'],
    ],
    [
      'and takes an event away',
      ['DELETE FROM events WHERE position = 7'],
      ['position-missing web 3 @8', 'revision-missing db 4 @9'],
    ],
    [
      'and takes one away and closes the ranks',
      ['DELETE FROM events WHERE position = 12', 'UPDATE events SET position = 12, revision = 5 WHERE position = 13'],
      ['chain-broken db 5 @12'],
    ],
    [
      'and exchanges two events',
      [
        'UPDATE events SET position = 99 WHERE position = 6',
        'UPDATE events SET position = 6 WHERE position = 7',
        'UPDATE events SET position = 7 WHERE position = 99',
      ],
      ['revision-missing db 3 @6', 'revision-order db 2 @7', 'time-goes-back db 2 @7'],
    ],
    [
      'and exchanges what two events say',
      [
        `UPDATE events SET data = CASE position WHEN 4 THEN '{"changes":{"name":"db-2"}}' ELSE '{"changes":{"name":"db-1"}}' END WHERE position IN (4, 6)`,
      ],
      ['chain-broken db 1 @4', 'chain-broken db 2 @6'],
    ],
    [
      'and slips an event in at the end, with a link that looks right',
      [
        `INSERT INTO events SELECT 14, stream, 7, '11111111-1111-4111-8111-111111111111', type, v, time, data, metadata FROM events WHERE position = 13`,
      ],
      ['chain-broken db 7 @14'],
    ],
    [
      'and slips one in that has the id of another',
      [
        `INSERT INTO events SELECT 14, (SELECT stream FROM events WHERE position = 11), 6, id, type, v, time, data, metadata FROM events WHERE position = 13`,
      ],
      ['chain-broken web 6 @14', 'event-id-repeated web 6 @14'],
    ],
    [
      'and cuts the metadata off',
      [`UPDATE events SET metadata = '{"actor":{"type":"user","id":"someone"}}' WHERE position = 4`],
      ['chain-missing db 1 @4'],
    ],
    [
      'and cuts them in the middle',
      ['UPDATE events SET metadata = substr(metadata, 1, 60) WHERE position = 4'],
      ['chain-missing db 1 @4', 'unreadable db 1 @4'],
    ],
    [
      'and makes data of it that no schema knows',
      [`UPDATE events SET data = '{"entity":7}' WHERE position = 3`],
      ['chain-broken web 1 @3', 'data-invalid web 1 @3', 'snapshot-differs web 5 @11'],
    ],
    [
      'and gives a receipt other events',
      ['UPDATE receipts SET last_revision = 3 WHERE position = 3'],
      ['receipt-without-events web 3 @3'],
    ],
    [
      'and takes away the end of a stream, which its receipts remember',
      ['DELETE FROM events WHERE position = 11', 'UPDATE events SET position = position - 1 WHERE position > 11'],
      ['receipt-without-events web 5 @11', 'snapshot-differs web 5'],
    ],
    [
      'and changes what a command was said to have made',
      ['UPDATE receipts SET event_count = 3 WHERE position = 11'],
      ['receipt-without-events web 5 @11'],
    ],
    [
      'and takes away the end of the ledger, which a reader inside the server remembers',
      ['DELETE FROM events WHERE position > 8', 'DELETE FROM receipts WHERE position > 8', 'DELETE FROM snapshots'],
      ['checkpoint-ahead  -1 @9'],
    ],
    [
      'and changes a snapshot',
      [`UPDATE snapshots SET state = replace(state, 'db-4', 'db-0')`],
      ['snapshot-differs db 4 @9'],
    ],
  ])('%s', async (_, statements, expected) => {
    expect(await findingsAfter(...statements)).toEqual(expected);
  });

  it('is told what differs', async () => {
    const { path, url } = await smallLedger();
    tamper(path, 'DELETE FROM events WHERE position IN (6, 7)');
    const [first, second] = (await verify(url)).findings;
    expect(first).toMatchObject({ check: 'position-missing', detail: 'Events 6 to 7 are missing.' });
    expect(second).toMatchObject({
      check: 'revision-missing',
      stream: `port-${db}`,
      detail: 'Revisions 2 to 3 are missing before revision 4.',
    });
  });
});

describe('events of a program that knows more', () => {
  it('are counted, not judged, where their type is not known', async () => {
    const { path, url } = await smallLedger();
    tamper(path, `UPDATE events SET type = 'PortPainted' WHERE position = 13`);
    const { unknownTypes, findings } = await verify(url);
    expect(unknownTypes).toEqual({ PortPainted: 1 });
    expect(findings.map(({ check }) => check)).toEqual(['chain-broken']);
  });

  it('are counted where their version is not known, and the state is not judged by them', async () => {
    const { path, url } = await smallLedger();
    tamper(path, `UPDATE events SET v = 7, data = '{}' WHERE position = 7`);
    const { unknownTypes, findings } = await verify(url);
    expect(unknownTypes).toEqual({ 'PortUpdated v7': 1 });
    expect(findings.map(({ check }) => check)).toEqual(['chain-broken']);
  });
});

it('a ledger that is all wrong is counted through, and the first thousand findings are kept', async () => {
  const { path, url } = await smallLedger();
  const many = Array.from(
    { length: 1200 },
    (_, n) =>
      `INSERT INTO events VALUES (${14 + n}, 1, ${6 + n}, '00000000-0000-4000-8000-${String(n).padStart(12, '0')}', 'PortUpdated', 1, '2026-01-01T00:01:00.000Z', '{"changes":{}}', '{}')`,
  );
  tamper(path, `BEGIN; ${many.join(';')}; COMMIT`);
  const { findingCount, findings, events } = await verify(url);
  expect({ findingCount, kept: findings.length, events }).toEqual({ findingCount: 1200, kept: 1000, events: 1213 });
});
