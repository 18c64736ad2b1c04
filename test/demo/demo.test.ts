import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/cli/verify/verify-ledger.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { openStore } from '../../src/store/open-store.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const aMinute = 60_000;

let folder: string;
const temporary = (): string => join(folder, 'tmp');
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-test-'));
  await mkdir(temporary());
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the demo as a process of its own, with a temporary folder of its own. */
const demo = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const line = ['--import', 'tsx', 'src/cli/main.ts', 'demo', ...args];
    const env = {
      ...process.env,
      TMPDIR: temporary(),
      STACKLEDGER_PORT: '1',
      STACKLEDGER_TOKENS_FILE: '/none',
    };
    execFile(process.execPath, line, { cwd: root, env, maxBuffer: 64_000_000 }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });

interface Chain {
  reaper: string[];
  resources: { kind: string; timeline: { state: string; command: string; by: string }[] }[];
  bystanders: { timeline: { state: string; by: string }[] }[];
}

/** From a request to the machine: who did what to whom, in the course of one request. */
function tellsTheChain({ reaper, resources, bystanders }: Chain): void {
  const told = resources.map(({ kind, timeline }) => [kind, timeline.map(({ state, by }) => `${state} / ${by}`)]);
  expect(Object.fromEntries(told)).toEqual({
    server: [
      'BUILD (scheduling) / alice',
      'PENDING / nova-scheduler',
      'PENDING / reaper-1',
      'BUILD (scheduling) / reaper-1',
      'BUILD / nova-scheduler',
      'BUILD (spawning) / nova-compute:rack-7',
      'BUILD (spawning) / the ledger',
      'ACTIVE / the ledger',
      'ACTIVE / the ledger',
    ],
    node: [
      'available / the ledger',
      'deploying → active / the ledger',
      'wait call-back → active / conductor-1',
      'deploying → active / ramdisk',
      'active / conductor-1',
    ],
    port: [
      'DOWN / alice',
      'DOWN, waits for L2 / the ledger',
      'BUILD, waits for L2 / ovs-agent:rack-7',
      'ACTIVE / ovs-agent:rack-7',
    ],
  });
  expect(resources[0]!.timeline.at(-2)).toMatchObject({ command: 'external event timeout' });
  expect(reaper).toContainEqual(expect.stringContaining('has room, rebuild'));
  expect(bystanders.map(({ timeline }) => timeline.at(-1)!.state)).toEqual(['DELETED', 'alive']);
}

describe('stackledger demo', () => {
  test('plays its five acts in lines that fit, replays them, and leaves nothing behind', {
    timeout: aMinute,
  }, async () => {
    const { code, stdout, stderr } = await demo();
    expect(stderr).toBe('');
    expect(code).toBe(0);
    for (const act of [1, 2, 3, 4, 5]) expect(stdout).toContain(`Act ${act}: `);
    expect(stdout).toContain('✓ 200 of 200 ports whose reports raced are ACTIVE.');
    expect(stdout).toMatch(/✓ (\d+) states of \1 the same, byte for byte\./);
    expect(stdout).toContain('All of it is as it should be.');
    expect(stdout).not.toContain('✗');
    expect(stdout).not.toContain('\u001b[');
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
    const left = await readdir(temporary());
    expect(left.filter((name) => name.startsWith('stackledger'))).toEqual([]);
  });

  test('tells programs all of it, and keeps the ledger where it is asked to', { timeout: aMinute }, async () => {
    const ledger = join(folder, 'kept.db');
    const { code, stdout } = await demo('--json', '--keep', ledger);
    expect(code).toBe(0);
    const { ok, ledger: kept, scenes } = JSON.parse(stdout);
    expect({ ok, kept }).toEqual({ ok: true, kept: ledger });
    expect(scenes.map(({ act }: { act: string }) => act)).toEqual([
      ...Array(14).fill('nova'),
      'bare-metal',
      'ports',
      'chain',
      'replay',
    ]);
    tellsTheChain(scenes.find(({ act }: { act: string }) => act === 'chain'));

    const store = await openStore(`sqlite:${ledger}`, { readOnly: true });
    const { events, findingCount } = await verifyLedger(store, aggregates, null);
    await store.close();
    expect({ events, findingCount }).toEqual({ events: scenes.at(-1).events, findingCount: 0 });

    const again = await demo('--keep', ledger);
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toContain(`${ledger} is there already`);
  });

  test('fails where a recording says otherwise, and says what', { timeout: aMinute }, async () => {
    const recordings = join(folder, 'recordings');
    const name = 'stock/no_valid_host_filtered';
    for (const file of [`${name}.json`, `${name}.notifications.json`])
      await cp(join(root, 'demo/recordings/nova', file), join(recordings, file));
    const text = await readFile(join(recordings, `${name}.json`), 'utf8');
    await writeFile(join(recordings, `${name}.json`), text.replace('"status": "ERROR"', '"status": "SHUTOFF"'));

    const { code, stdout } = await demo('--recordings', recordings);
    expect(code).toBe(1);
    expect(stdout).toContain('"about":"status"');
    expect(stdout).toContain('Not all of it is as it should be.');
  });
});
