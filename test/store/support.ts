import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach } from 'vitest';
import type { EventStore } from '../../src/store/event-store.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../../src/store/sqlite/sqlite-store.ts';

/** Ledger files in a folder that goes when the tests of this file are done; stores are closed after each test. */
export function ledgerFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-store-'));
  const open: EventStore[] = [];
  let files = 0;
  afterEach(() => Promise.all(open.splice(0).map((store) => store.close())));
  afterAll(() => rmSync(folder, { recursive: true }));
  return {
    folder,
    newPath: (): string => join(folder, `ledger-${++files}.db`),
    async open(path: string, options: Omit<SqliteStoreOptions, 'path'> = {}): Promise<EventStore> {
      const store = await openSqliteStore({ path, ...options });
      open.push(store);
      return store;
    },
  };
}

export interface Child {
  readonly pid: number;
  readonly lines: Interface;
  kill(): Promise<void>;
}

/** Runs one of the programs in `children/` in a process of its own. */
export function startChild(name: string, path: string): Child {
  const script = fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url));
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), script, path],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  return {
    pid: child.pid!,
    lines: createInterface({ input: child.stdout }),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Transactions in the write-ahead log of a ledger, counted by the frames that end one. */
export function committedTransactions(path: string): number {
  const wal = readFileSync(`${path}-wal`);
  const frameBytes = 24 + wal.readUInt32BE(8);
  const generation = wal.subarray(16, 24);
  let transactions = 0;
  for (let frame = 32; frame + frameBytes <= wal.length; frame += frameBytes) {
    if (!wal.subarray(frame + 8, frame + 16).equals(generation)) break;
    if (wal.readUInt32BE(frame + 4) > 0) transactions += 1;
  }
  return transactions;
}
