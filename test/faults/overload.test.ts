import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { expect, it, onTestFinished } from 'vitest';
import { Victim } from '../soak/victim.ts';
import { nthId } from '../support/ledger.ts';

const maxInFlight = 128;
/** Ten times what is worked on at a time, all the time: the server is never without somebody to turn away. */
const offered = { connections: 64, pipelining: 20, duration: 4 };
const command = (name: string): string => JSON.stringify({ type: 'UpdatePort', data: { name } });
const headers = { 'content-type': 'application/json' };

/** Memory that the process holds now, in megabytes. */
function residentMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return (pages * 4096) / 1e6;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Somebody who keeps a connection, as a load balancer does that asks how a server is. */
class Neighbour {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** One request, and how long its answer took. */
  ask(url: string, body?: string): Promise<{ status: number; ms: number }> {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const asked = request(url, { method, headers, agent: this.#agent }, (response) => {
        response.resume().on('end', () => resolve({ status: response.statusCode!, ms: performance.now() - began }));
      });
      asked.on('error', reject).end(body);
    });
  }
}

// Sampling needs /proc; what is sampled is the built server.
it('a server that is asked for ten times what it can turns the rest away, stays within its memory, is there for others, and is itself again at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-overload-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const victim = new Victim(['--store', `sqlite:${join(folder, 'ledger.db')}`, '--max-in-flight', String(maxInFlight)]);
  onTestFinished(() => victim.kill());
  const url = (await victim.url)!;
  const port = `${url}/v1/ports/${nthId(1)}`;
  const [neighbour, reader] = [new Neighbour(), new Neighbour()];
  const created = await neighbour.ask(`${port}/commands`, '{"type":"CreatePort","data":{}}');
  expect([created.status, (await reader.ask(port)).status]).toEqual([200, 200]);

  const flood = autocannon({
    ...offered,
    url: `${port}/commands`,
    requests: Array.from({ length: 64 }, (_, n) => ({ method: 'POST', headers, body: command(`name ${n}`) })),
  });
  await pause(500); // the heap finds its size
  const atFirst = residentMb(victim.pid);
  const [memory, health, reads]: [number[], number[], number[]] = [[], [], []];
  let flooding = true;
  const watching = (async () => {
    while (flooding) {
      memory.push(residentMb(victim.pid));
      const [alive, read] = await Promise.all([neighbour.ask(`${url}/livez`), reader.ask(port)]);
      expect([alive.status, read.status]).toEqual([200, 200]);
      health.push(alive.ms);
      reads.push(read.ms);
      await pause(100);
    }
  })();
  const answers = await flood;
  flooding = false;
  await watching;

  expect(Object.keys(answers.statusCodeStats ?? {}).sort()).toEqual(['200', '429']);
  expect(answers.errors).toBe(0);
  expect(answers['4xx']).toBeGreaterThan(answers['2xx']);
  expect(answers['2xx']).toBeGreaterThanOrEqual(maxInFlight);
  expect(Math.max(...memory) - atFirst).toBeLessThan(250);
  for (const waits of [health, reads]) {
    expect(median(waits)).toBeLessThan(2_000);
    expect(Math.max(...waits)).toBeLessThan(8_000);
  }

  // What still lies in its sockets is turned away first.
  const calm = performance.now();
  while ((await neighbour.ask(`${port}/commands`, command('calm'))).status !== 200) await pause(20);
  expect(performance.now() - calm).toBeLessThan(5_000);
  expect((await neighbour.ask(`${port}/commands`, command('as ever'))).ms).toBeLessThan(1_000);
}, 60_000);
