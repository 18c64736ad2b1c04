import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { aggregates } from '../src/domain/aggregates.ts';
import type { Actor } from '../src/domain/kernel/actor.ts';
import { Model } from '../src/projections/models/model.ts';
import { SystemClock } from '../src/runtime/clock.ts';
import { Runtime } from '../src/runtime/runtime.ts';
import { openStore } from '../src/store/open-store.ts';

export interface ProjectionsFigures {
  readonly events: number;
  readonly resources: number;
  /** SELECT and JSON.parse of every event of the ledger, in the order of the ledger. */
  readonly bareEventsPerSecond: number;
  readonly rebuildEventsPerSecond: number;
  readonly rebuildShareOfBare: number;
}

/**
 * Builds the read models of a ledger from nothing, and reads the same ledger bare, in one run: a round of each in turn,
 * the best of each counts.
 *
 * @example
 * const { rebuildShareOfBare } = await benchProjections({ resources: 20_000 });
 */
export async function benchProjections({ resources = 20_000, rounds = 3 } = {}): Promise<ProjectionsFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'stackledger-bench-'));
  try {
    const ledger = join(folder, 'ledger.db');
    const { ledgerId, events } = await fill(ledger, resources);
    let bareMs = Number.POSITIVE_INFINITY;
    let rebuildMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      bareMs = Math.min(bareMs, await timed(() => readBare(ledger)));
      rebuildMs = Math.min(rebuildMs, await timed(() => rebuild(ledger, ledgerId, join(folder, 'views.db'))));
    }
    return {
      events,
      resources,
      bareEventsPerSecond: Math.round((events / bareMs) * 1000),
      rebuildEventsPerSecond: Math.round((events / rebuildMs) * 1000),
      rebuildShareOfBare: bareMs / rebuildMs,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const actor: Actor = { type: 'agent', id: 'ovs@compute-1' };

/** Ports and servers that come to life as they do at a site, all of them at the same time. */
async function fill(path: string, resources: number): Promise<{ ledgerId: string; events: number }> {
  const store = await openStore(`sqlite:${path}`);
  const runtime = new Runtime({ aggregates, clock: new SystemClock(), store, cachedResources: resources });
  for (const [type, data] of lifeOfAPort) {
    let next = 0;
    const worker = async () => {
      for (let n = next++; n < resources; n = next++) {
        const id = `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
        const parsed = aggregates.port.commands[type]!.parse(data) as object;
        await runtime.execute({ resource: { kind: 'port', id }, type, data: parsed, actor });
      }
    };
    await Promise.all(Array.from({ length: 512 }, worker));
  }
  const events = Number(await store.head());
  await store.close();
  return { ledgerId: store.info.ledgerId, events };
}

const networkId = '11111111-1111-4111-8111-111111111111';
const deviceId = '22222222-2222-4222-8222-222222222222';

const lifeOfAPort: readonly (readonly [type: string, data: object])[] = [
  ['CreatePort', { name: 'eth0', networkId, deviceId, deviceOwner: 'compute:nova' }],
  ['SetPortStatus', { status: 'BUILD' }],
  ['AddProvisioningComponent', { entity: 'L2', host: 'compute-1' }],
  ['AddProvisioningComponent', { entity: 'DHCP', host: 'compute-1' }],
  ['ProvisioningComplete', { entity: 'DHCP' }],
  ['ProvisioningComplete', { entity: 'L2' }],
  ['UpdatePort', { name: 'eth1' }],
];

function readBare(path: string): void {
  const db = new Database(path, { readonly: true });
  const rows = db.prepare('SELECT position, stream, revision, id, type, v, time, data, metadata FROM events').raw();
  for (const row of rows.iterate() as IterableIterator<unknown[]>) {
    JSON.parse(row[7] as string);
    JSON.parse(row[8] as string);
  }
  db.close();
}

async function rebuild(ledgerFile: string, ledgerId: string, path: string): Promise<void> {
  await rm(path, { force: true });
  const options = { path, ledgerId, ledgerFile, purpose: 'build', cachedResources: 10_000 } as const;
  const model = new Model(options, aggregates);
  await model.load(() => {});
  model.close();
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await benchProjections());
