/** What a long ledger costs: replaying it, starting on it, keeping it open. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { aggregates } from '../src/domain/aggregates.ts';
import { type Aggregate, fold, type Lifetime } from '../src/domain/kernel/aggregate.ts';
import { resourceOf } from '../src/domain/kernel/resource.ts';
import { openStore } from '../src/store/open-store.ts';
import { type Line, median, rate, sideBySide } from './support/measure.ts';
import { startServer } from './support/processes.ts';
import { fillLedger, portId } from './support/sample-ledger.ts';

const rounds = 5;
const ports = 5_000;
const [short, long] = [100_000, 1_000_000];

export async function ledgerLines(): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-bench-'));
  try {
    const files = new Map<number, string>();
    for (const events of [short, long]) {
      const file = join(folder, `${events}.db`);
      const store = await openStore(`sqlite:${file}`);
      await fillLedger(store, { ports, events });
      await store.close();
      files.set(events, file);
    }
    return [
      await replayLine(files.get(short)!),
      await startLine(files.get(long)!),
      await memoryLine(files.get(short)!, files.get(long)!),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Every event of the ledger folded into its resource's state, beside reading and parsing the same rows. */
async function replayLine(file: string): Promise<Line> {
  const store = await openStore(`sqlite:${file}`, { readOnly: true });
  const raw = new Database(file, { readonly: true });
  const rows = raw.prepare(
    'SELECT position, stream, revision, id, type, v, time, data, metadata FROM events ORDER BY position',
  );
  const replay = async (): Promise<void> => {
    const lives = new Map<string, Life>();
    for await (const event of store.readAll()) {
      const life = lives.get(event.stream) ?? unborn(event.stream);
      if (life.state === null) lives.set(event.stream, life);
      life.state = fold(life.aggregate, life.id, life.state, event);
    }
    if (lives.size !== ports) throw new Error(`${lives.size} resources were replayed`);
  };
  const bare = (): void => {
    let read = 0;
    for (const row of rows.iterate()) if (JSON.parse((row as { data: string }).data)) read += 1;
    if (read !== short) throw new Error(`${read} rows were read`);
  };
  const { ours, baseline, ratio } = await sideBySide(
    rounds,
    () => rate(short, replay),
    () => rate(short, bare),
  );
  await store.close();
  raw.close();
  const beside = { what: 'SELECT and JSON.parse', value: baseline };
  return { what: 'replay of the whole ledger', unit: 'events/s', ours, baseline: beside, ratio, wanted: 0.8 };
}

interface Life {
  readonly aggregate: Aggregate;
  readonly id: string;
  state: Lifetime | null;
}

function unborn(stream: string): Life {
  const { kind, id } = resourceOf(stream)!;
  return { aggregate: aggregates[kind], id, state: null };
}

/** From the start of the process to the answer of the first command, on a resource with a long past. */
async function startLine(file: string): Promise<Line> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const server = await startServer(['--store', `sqlite:${file}`]);
    const answer = await rename(server.url, 4321, `start ${round}`);
    if (!answer.ok) throw new Error(`the first command was answered ${answer.status}`);
    times.push(performance.now() - start);
    await server.stop();
  }
  const note = `${long.toLocaleString('en')} events; the read models are built meanwhile in the first round`;
  return { what: 'start to first command answered', unit: 'ms', ours: median(times), atMost: 1000, note };
}

/** Resident memory after the same work, on a long ledger beside a short one with as many resources. */
async function memoryLine(shortFile: string, longFile: string): Promise<Line> {
  const residentAfterWork = async (file: string): Promise<number> => {
    const server = await startServer(['--store', `sqlite:${file}`]);
    while ((await fetch(`${server.url}/readyz`)).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 200));
    for (let n = 0; n < ports; n++) await (await rename(server.url, n, `work ${n}`)).text();
    const resident = server.residentMiB();
    await server.stop();
    return resident;
  };
  const { ours, baseline, ratio } = await sideBySide(
    3,
    () => residentAfterWork(longFile),
    () => residentAfterWork(shortFile),
  );
  const beside = { what: `with ${short.toLocaleString('en')} events`, value: baseline };
  const note = `${long.toLocaleString('en')} events`;
  return { what: 'resident memory after work', unit: 'MiB', ours, baseline: beside, ratio, atMost: 1.2, note };
}

const rename = (url: string, n: number, name: string): Promise<Response> =>
  fetch(`${url}/v1/ports/${portId(n)}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'UpdatePort', data: { name } }),
  });
