import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../support/random.ts';
import { audit } from './audit.ts';
import { Customer } from './customers.ts';
import { Victim } from './victim.ts';

export interface DiskReport {
  /** Times at which the disk took nothing more. */
  readonly rounds: number;
  readonly acknowledged: number;
  readonly events: number;
  readonly faults: readonly string[];
}

const patienceMs = 60_000;

/** How a disk comes to take nothing more, and to have room again. */
interface Trouble {
  readonly folder: string;
  begin(pid: number, ledger: string): void;
  end(pid: number): void;
  remove(): void;
}

/** Every write beyond where the files end fails with an I/O error, by a limit that the system keeps for the process. */
export function limitedFiles(): Trouble {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-disk-'));
  const limit = (pid: number, bytes: string): void => run('prlimit', '--pid', String(pid), `--fsize=${bytes}:`);
  return {
    folder,
    begin: (pid, ledger) => limit(pid, String(statSync(`${ledger}-wal`).size)),
    end: (pid) => limit(pid, 'unlimited'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A file system of its own that is filled to the last byte. @throws Error where nobody may mount one */
export function smallFileSystem(): Trouble & { makeReadOnly(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-disk-'));
  run('mount', '-t', 'tmpfs', '-o', 'size=16m', 'none', folder);
  const filler = join(folder, 'filler');
  return {
    folder,
    begin() {
      const file = openSync(filler, 'w');
      for (const bytes of [65_536, 4_096, 1]) while (takes(file, bytes));
      closeSync(file);
    },
    end: () => rmSync(filler),
    remove() {
      run('umount', folder);
      rmSync(folder, { recursive: true, force: true });
    },
    makeReadOnly: () => run('mount', '-o', 'remount,ro', folder),
  };
}

function takes(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes;
  } catch {
    return false;
  }
}

function run(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args);
  if (status !== 0) throw error ?? new Error(`${command}: ${stderr}`);
}

/**
 * A server whose disk takes nothing more, again and again, in the middle of its work. Meanwhile it must say so, and go on
 * to answer what can be answered; afterwards it must go on as if nothing had been.
 */
export async function fillDisk(options: { rounds: number; seed: number; trouble: Trouble }): Promise<DiskReport> {
  const { rounds, seed, trouble } = options;
  const { folder } = trouble;
  const random = new Random(seed);
  const ledger = join(folder, 'ledger.db');
  const customers = ['port', 'port', 'node', 'network'].map((kind) => new Customer(kind, randomUUID(), random));
  const victim = new Victim(['--store', `sqlite:${ledger}`, '--snapshot-every', '3']);
  const faults: string[] = [];
  try {
    const url = await victim.url;
    if (!url) throw new Error(`the server did not start: ${victim.complaints}`);
    const known = randomUUID();
    await createPort(url, known);
    const stop = new AbortController();
    setMaxListeners(0, stop.signal); // every request of every customer listens to it
    const working = Promise.all(customers.map((customer) => customer.work(url, stop.signal)));
    for (let round = 0; round < rounds && faults.length === 0; round++) {
      await pause(100 + random.below(300));
      trouble.begin(victim.pid, ledger);
      faults.push(...(await faultsMeanwhile(url, known)));
      trouble.end(victim.pid);
      faults.push(...(await faultsAfterwards(url)));
    }
    stop.abort();
    await working;
    const patience = AbortSignal.timeout(patienceMs);
    for (const customer of customers) await customer.settle(url, patience);
    victim.terminate();
    await victim.ended();
    const found = await audit(`sqlite:${ledger}`, customers);
    return { rounds, acknowledged: found.acknowledged, events: found.events, faults: [...faults, ...found.faults] };
  } finally {
    await victim.kill();
  }
}

/** What is wrong with how a server takes it that it may not write at all. */
export async function startReadOnly(folder: string): Promise<string[]> {
  const victim = new Victim(['--store', `sqlite:${join(folder, 'ledger.db')}`]);
  const url = await victim.url;
  await victim.kill();
  if (url) return ['the server started on a disk that is read-only'];
  return /read-only|cannot be opened/.test(victim.complaints) ? [] : [`it said only: ${victim.complaints}`];
}

async function faultsMeanwhile(url: string, known: string): Promise<string[]> {
  const refused = await until(async () => {
    const answer = await createPort(url, randomUUID());
    const { type } = (await answer.json()) as { type?: string };
    return answer.status === 503 && type === '/problems/not-writable' && answer.headers.has('retry-after');
  });
  const served = await Promise.all(
    ['/livez', `/v1/ports/${known}`, '/v1/events?limit=10'].map(async (path) => {
      const { status } = await fetch(`${url}${path}`);
      return status === 200 ? [] : [`${path} was answered ${status} while the disk was full`];
    }),
  );
  const ready = await fetch(`${url}/readyz`);
  return [
    ...(refused ? [] : ['writes were not refused while the disk was full']),
    ...(ready.status === 503 ? [] : ['/readyz did not say that the disk was full']),
    ...served.flat(),
  ];
}

async function faultsAfterwards(url: string): Promise<string[]> {
  let said = '';
  const isReady = await until(async () => {
    await createPort(url, randomUUID());
    const ready = await fetch(`${url}/readyz`);
    said = await ready.text();
    return ready.ok;
  });
  return isReady ? [] : [`the server did not become ready again: ${said}`];
}

const createPort = (url: string, id: string): Promise<Response> =>
  fetch(`${url}/v1/ports/${id}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'CreatePort', data: {} }),
  });

async function until(condition: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await pause(50)) {
    if (await condition()) return true;
  }
  return false;
}
