import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { type EventStore, formatPosition, startPosition } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { done, nthId, openLedger } from '../support/ledger.ts';

/** A folder that goes when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stackledger-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Does something with a ledger's file that is only to be read. */
export async function reading<T>(path: string, read: (store: EventStore) => Promise<T>): Promise<T> {
  const store = await openStore(`sqlite:${path}`, { readOnly: true });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

export const web = nthId(1);
export const db = nthId(2);

/**
 * A ledger of two ports whose events alternate: `web` is blocked and provisioned under keys, two of which find their work
 * done; `db` is renamed often enough to have a snapshot.
 */
export async function smallLedger(): Promise<{ path: string; url: string }> {
  template ??= makeTemplate();
  const path = join(await temporaryFolder(), 'ledger.db');
  await writeFile(path, await template);
  return { path, url: `sqlite:${path}` };
}

let template: Promise<Buffer> | undefined;

async function makeTemplate(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'stackledger-'));
  const path = join(folder, 'ledger.db');
  const { store, clock, execute } = await openLedger({ snapshotEvery: 5 }, `sqlite:${path}`);
  for (const [id, type, data, key] of steps) {
    done(await execute('port', id, type, data, key === undefined ? {} : { key }));
    await clock.advance(1500);
  }
  await store.saveCheckpoint({ name: 'flows', position: formatPosition(9) });
  await store.saveCheckpoint({ name: 'new', position: startPosition });
  await store.close();
  const bytes = await readFile(path);
  await rm(folder, { recursive: true });
  return bytes;
}

const steps: readonly [id: string, type: string, data: object, key?: string][] = [
  [web, 'CreatePort', { name: 'web' }, 'create web'],
  [db, 'CreatePort', { name: 'db' }],
  [web, 'AddProvisioningComponent', { entity: 'L2' }, 'block L2'],
  [db, 'UpdatePort', { name: 'db-1' }],
  [web, 'AddProvisioningComponent', { entity: 'DHCP' }],
  [db, 'UpdatePort', { name: 'db-2' }],
  [web, 'AddProvisioningComponent', { entity: 'DHCP' }, 'again'],
  [web, 'AddProvisioningComponent', { entity: 'DHCP' }, 'and again'],
  [db, 'UpdatePort', { name: 'db-3' }],
  [web, 'ProvisioningComplete', { entity: 'DHCP' }, 'DHCP is done'],
  [db, 'UpdatePort', { name: 'db-4' }],
  [web, 'ProvisioningComplete', { entity: 'L2' }, 'L2 is done'],
  [db, 'UpdatePort', { name: 'db-5' }],
  [db, 'UpdatePort', { name: 'db-6' }],
];

/** Does to a ledger's file what nobody should. */
export function tamper(path: string, ...statements: string[]): void {
  const file = new Database(path);
  try {
    file.pragma('foreign_keys = OFF');
    for (const statement of statements) file.exec(statement);
  } finally {
    file.close();
  }
}
