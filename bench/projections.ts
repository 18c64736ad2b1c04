/**
 * Read models built from a ledger of ports coming to life, beside what bare SQLite takes to read and parse the same ledger
 * and to write the same models.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { aggregates } from '../src/domain/aggregates.ts';
import type { Actor } from '../src/domain/kernel/actor.ts';
import { ModelClient } from '../src/projections/host/model-client.ts';
import { inThread } from '../src/projections/host/start-model.ts';
import { openViews } from '../src/projections/views.ts';
import { SystemClock } from '../src/runtime/clock.ts';
import { Runtime } from '../src/runtime/runtime.ts';
import type { EventStore } from '../src/store/event-store.ts';
import { openStore } from '../src/store/open-store.ts';
import { type Line, printTable, rate, sideBySide } from './support/measure.ts';
import { ModelRows } from './support/same-rows.ts';
import { portId } from './support/sample-ledger.ts';

const wanted = 0.5;
const rounds = 5;
const defaultPorts = 20_000;

export async function projectionLines(ports = defaultPorts): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-bench-'));
  const ledger = join(folder, 'ledger.db');
  const store = await openStore(`sqlite:${ledger}`);
  try {
    await fill(store, ports);
    const events = Number(await store.head());
    const views = join(folder, 'views.db');
    const { ledgerId } = store.info;
    await rebuild({ ledger, ledgerId, views, events });
    const models = new ModelRows(views);
    const readAndWritten = () =>
      rate(events, () => {
        readBare(ledger);
        models.write(join(folder, 'bare.db'));
      });
    const built = await sideBySide(rounds, () => rebuild({ ledger, ledgerId, views, events }), readAndWritten);
    const read = () => rate(events, () => readBare(ledger));
    const fed = await sideBySide(1, () => catchUp(store, views, events), read);
    const bare = 'SELECT and JSON.parse';
    return [
      {
        what: `rebuild of all read models, ${events} events`,
        unit: 'events/s',
        ours: built.ours,
        baseline: { what: `${bare}, and the same rows written`, value: built.baseline },
        ratio: built.ratio,
        wanted,
      },
      {
        what: '  the same',
        unit: 'events/s',
        ours: built.ours,
        baseline: { what: bare, value: fed.baseline },
      },
      {
        what: 'catching up through the store, every event on another port',
        unit: 'events/s',
        ours: fed.ours,
        baseline: { what: bare, value: fed.baseline },
        ratio: fed.ratio,
      },
    ];
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

const actor: Actor = { type: 'agent', id: 'ovs@compute-1' };
const lifeOfAPort: readonly (readonly [type: string, data: object])[] = [
  ['CreatePort', { name: 'eth0', deviceId: '22222222-2222-4222-8222-222222222222', deviceOwner: 'compute:nova' }],
  ['SetPortStatus', { status: 'BUILD' }],
  ['AddProvisioningComponent', { entity: 'L2', host: 'compute-1' }],
  ['AddProvisioningComponent', { entity: 'DHCP', host: 'compute-1' }],
  ['ProvisioningComplete', { entity: 'DHCP', host: 'compute-1' }],
  ['ProvisioningComplete', { entity: 'L2', host: 'compute-1' }],
  ['UpdatePort', { name: 'eth1' }],
];

/** All ports take each step before any takes the next one: no two events that follow each other are of one port. */
async function fill(store: EventStore, ports: number): Promise<void> {
  const runtime = new Runtime({ aggregates, clock: new SystemClock(), store, cachedResources: ports });
  for (const [type, given] of lifeOfAPort) {
    const data = aggregates.port.commands[type]!.parse(given) as object;
    let next = 0;
    const worker = async () => {
      for (let n = next++; n < ports; n = next++) {
        await runtime.execute({ resource: { kind: 'port', id: portId(n) }, type, data, actor });
      }
    };
    await Promise.all(Array.from({ length: 512 }, worker));
  }
}

function readBare(ledger: string): void {
  const db = new Database(ledger, { readonly: true });
  const rows = db.prepare('SELECT position, stream, revision, id, type, v, time, data, metadata FROM events').raw();
  for (const row of rows.iterate() as IterableIterator<unknown[]>) {
    JSON.parse(row[7] as string);
    JSON.parse(row[8] as string);
  }
  db.close();
}

interface Rebuild {
  readonly ledger: string;
  readonly ledgerId: string;
  readonly views: string;
  readonly events: number;
}

/** In a thread, as a server does it; the start of the thread is not part of it. */
export async function rebuild({ ledger, ledgerId, views, events }: Rebuild): Promise<number> {
  rmSync(views, { force: true });
  const options = { path: views, ledgerId, ledgerFile: ledger, purpose: 'build', cachedResources: 10_000 } as const;
  const client = new ModelClient(inThread, options);
  await client.opened;
  const perSecond = await rate(events, () => client.call('load', null));
  await client.close();
  return perSecond;
}

async function catchUp(store: EventStore, path: string, events: number): Promise<number> {
  rmSync(path, { force: true });
  const views = await openViews({ store, path });
  const perSecond = await rate(events, async () => views.waitFor(await store.head(), 600_000));
  await views.close();
  return perSecond;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) printTable(await projectionLines());
