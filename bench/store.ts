/**
 * The embedded store, and the runtime on top of it, beside the same inserts and selects done straight in better-sqlite3,
 * same schema, same batches. Commands stand beside the very rows they wrote; events appended without a command, beside
 * others of the same size.
 */

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { aggregates } from '../src/domain/aggregates.ts';
import { SystemClock } from '../src/runtime/clock.ts';
import { Runtime } from '../src/runtime/runtime.ts';
import type { EventStore, NewEvent } from '../src/store/event-store.ts';
import { openStore } from '../src/store/open-store.ts';
import { type Line, printTable, rate, sideBySide } from './support/measure.ts';
import { rawLedger } from './support/raw-ledger.ts';
import { EventRows } from './support/same-rows.ts';
import { portId } from './support/sample-ledger.ts';

const wanted = 0.6;
const rounds = 5;
const eventsPerStream = 10;

const newEvent = (): NewEvent => ({
  id: randomUUID(),
  type: 'PortStatusChanged',
  v: 1,
  time: '2026-01-01T00:00:00.000Z',
  data: '{"from":"DOWN","to":"BUILD","reason":"the agent asked for its wiring","host":"compute-17.example.net"}',
  metadata: `{"$correlationId":"${randomUUID()}","actor":{"type":"agent","id":"compute-17"},"chain":"${'f'.repeat(43)}"}`,
});

export async function storeLines(): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-bench-'));
  try {
    const store = await openStore(`sqlite:${join(folder, 'ours.db')}`);
    const raw = await rawLedger(join(folder, 'raw.db'));
    const lines = [
      ...(await appendLines(store, raw)),
      await commandLine(store, await EventRows.of(join(folder, 'ours.db'), join(folder, 'same.db'))),
      ...(await readLines(store, new Database(join(folder, 'ours.db'), { readonly: true }))),
    ];
    await store.close();
    raw.close();
    return lines;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function appendLines(store: EventStore, raw: Database.Database): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [inFlight, count] of [
    [1, 2000],
    [64, 32_000],
    [256, 64_000],
  ] as const) {
    const { ours, baseline } = await sideBySide(
      rounds,
      () => rate(count, () => appendThroughStore(store, count, inFlight)),
      () => rate(count, async () => appendRaw(raw, count, inFlight)),
    );
    lines.push({
      what: `append, ${inFlight} in flight`,
      unit: 'events/s',
      ours,
      baseline: { what: `raw inserts, ${inFlight} a transaction`, value: baseline },
      wanted,
    });
  }
  return lines;
}

/** Decided, recorded, folded and answered with the new state, each once it is durable. */
async function commandLine(store: EventStore, same: EventRows): Promise<Line> {
  const inFlight = 64;
  const count = 32_000;
  const runtime = new Runtime({ store, aggregates, clock: new SystemClock() });
  const give = (port: number, type: string, given: object) =>
    runtime.execute({
      resource: { kind: 'port', id: portId(port) },
      type,
      data: aggregates.port.commands[type]!.parse(given) as object,
      actor: { type: 'user', id: 'bench' },
    });
  await Promise.all(Array.from({ length: inFlight }, (_, port) => give(port, 'CreatePort', {})));

  let change = 0;
  const change64Ports = () =>
    Promise.all(
      Array.from({ length: inFlight }, async (_, port) => {
        for (let left = count / inFlight; left > 0; left--)
          await give(port, 'UpdatePort', { name: `change ${change++}` });
      }),
    );
  await change64Ports();
  await same.write(Number(await store.head()) - count, count);
  const { ours, baseline, ratio } = await sideBySide(
    rounds,
    () => rate(count, change64Ports),
    () => same.write(count, inFlight),
  );
  runtime.close();
  same.close();
  return {
    what: `commands through the runtime, ${inFlight} in flight`,
    unit: 'commands/s',
    ours,
    baseline: { what: `the same rows, raw, ${inFlight} a transaction`, value: baseline },
    ratio,
    wanted: 0.5,
  };
}

async function readLines(store: EventStore, raw: Database.Database): Promise<Line[]> {
  const stream = 'node-long';
  const length = 50_000;
  for (let revision = 0; revision < length; revision += 1000) {
    await store.append({ stream, expectedRevision: revision - 1, events: Array.from({ length: 1000 }, newEvent) });
  }
  const total = Number(await store.head());
  const columns = 'e.position, s.name, e.revision, e.id, e.type, e.v, e.time, e.data, e.metadata';
  const all = `SELECT ${columns} FROM events e JOIN streams s ON s.id = e.stream ORDER BY e.position`;
  const one = `SELECT ${columns} FROM streams s JOIN events e ON e.stream = s.id WHERE s.name = '${stream}' ORDER BY e.revision`;

  const reads = [
    { what: 'readAll, data parsed', count: total, events: () => store.readAll(), sql: all },
    { what: 'readStream, data parsed', count: length, events: () => store.readStream(stream), sql: one },
  ];
  const lines: Line[] = [];
  for (const { what, count, events, sql } of reads) {
    const { ours, baseline } = await sideBySide(
      rounds,
      () =>
        rate(count, async () => {
          for await (const event of events()) keep(event.data);
        }),
      () =>
        rate(count, async () => {
          for (const row of raw.prepare(sql).iterate()) keep(JSON.parse((row as { data: string }).data));
        }),
    );
    lines.push({ what, unit: 'events/s', ours, baseline: { what: 'SELECT and JSON.parse', value: baseline }, wanted });
  }
  raw.close();
  return lines;
}

async function appendThroughStore(store: EventStore, count: number, inFlight: number): Promise<void> {
  let left = count;
  const writeStreams = async (): Promise<void> => {
    while (left > 0) {
      const stream = `port-${randomUUID()}`;
      for (let revision = 0; revision < eventsPerStream && left-- > 0; revision++) {
        await store.append({ stream, expectedRevision: revision - 1, events: [newEvent()] });
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, writeStreams));
}

function appendRaw(db: Database.Database, count: number, batch: number): void {
  const insertStream = db.prepare('INSERT INTO streams (name) VALUES (?)');
  const insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  let position = (db.prepare('SELECT max(position) FROM events').pluck().get() as number | null) ?? 0;
  const streams: { id: number; revision: number }[] = Array.from({ length: batch }, () => ({ id: 0, revision: 9 }));
  const writeBatch = db.transaction((size: number) => {
    for (const stream of streams.slice(0, size)) {
      if (stream.revision === eventsPerStream - 1) {
        stream.id = Number(insertStream.run(`port-${randomUUID()}`).lastInsertRowid);
        stream.revision = -1;
      }
      const { id, type, v, time, data, metadata } = newEvent();
      insertEvent.run(++position, stream.id, ++stream.revision, id, type, v, time, data, metadata);
    }
  });
  for (let left = count; left > 0; left -= batch) writeBatch.immediate(Math.min(batch, left));
}

let kept: unknown;
const keep = (value: unknown): void => {
  kept = value;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  printTable(await storeLines());
  if (kept === undefined) throw new Error('nothing was read');
}
