/**
 * Reads: the read models built anew, a thousand subscribers of one port, the past of a port with a long history, and why.
 * The ledger has 200,000 events, or as many as `BENCH_EVENTS` says.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../src/store/open-store.ts';
import { projectionLines } from './projections.ts';
import { type Line, median, percentile, timed } from './support/measure.ts';
import { type ServerProcess, startServer } from './support/processes.ts';
import { fillLedger, portId } from './support/sample-ledger.ts';
import { whyLines } from './why.ts';

const events = Number(process.env.BENCH_EVENTS ?? 200_000);
const eventsAPort = 10;
const longHistory = 10_000;
const subscribers = 1000;
const commands = 100;
const samples = 200;

/** Longer than the server takes at most from one answer of a question to the next. */
const pauseMs = 250;

export async function readLines(): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-bench-'));
  const ledger = `sqlite:${join(folder, 'ledger.db')}`;
  await fill(ledger);
  const server = await startServer(['--store', ledger]);
  try {
    await ready(server.url);
    return [
      ...(await projectionLines(Math.ceil(events / 7))),
      ...(await pastLines(server.url)),
      ...(await whyLines(`${server.url}/v1/ports/${portId(0)}`, longHistory, events)),
      ...(await subscriptionLines(server)),
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Many ports, the first of which with a long history. */
async function fill(ledger: string): Promise<void> {
  const store = await openStore(ledger);
  await fillLedger(store, { ports: 1, events: longHistory });
  const others = events - longHistory;
  await fillLedger(store, { ports: Math.ceil(others / eventsAPort), events: others, first: 1 });
  await store.close();
}

async function ready(url: string): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(100);
}

async function pastLines(url: string): Promise<Line[]> {
  const path = `${url}/v1/ports/${portId(0)}`;
  const [past, present]: [number[], number[]] = [[], []];
  for (let n = 0; n < samples; n++) {
    past.push(await timed(`${path}?at=${(n * 7919) % longHistory}`));
    present.push(await timed(path));
  }
  const baseline = { what: 'ms, the present', value: median(present) };
  const what = `?at= among ${longHistory} events of a port, ${events} of the ledger`;
  return [
    { what: `${what}, p50`, unit: 'ms', ours: median(past), baseline },
    { what: `${what}, p99`, unit: 'ms', ours: percentile(past, 0.99) },
  ];
}

async function subscriptionLines(server: ServerProcess): Promise<Line[]> {
  const id = portId(1);
  const before = server.residentMiB();
  const crowd = new Crowd();
  await crowd.join(server.url, `/v1/ports/${id}`);
  await rename(server.url, id, 'the first of all');
  await crowd.everybodyHeard();
  const kilobytes = ((server.residentMiB() - before) * 1024) / subscribers;

  const delays: number[] = [];
  for (let n = 0; n < commands; n++) {
    await sleep(pauseMs);
    crowd.listenAnew();
    await rename(server.url, id, `name ${n}`);
    const acknowledged = performance.now();
    delays.push(Math.max((await crowd.everybodyHeard()) - acknowledged, 0));
  }
  crowd.leave();
  const what = `acknowledged command to the last of ${subscribers} subscribers`;
  return [
    { what: `${what}, p50`, unit: 'ms', ours: median(delays) },
    { what: `${what}, p99`, unit: 'ms', ours: percentile(delays, 0.99) },
    { what: 'memory a subscriber', unit: 'kB', ours: kilobytes, atMost: 50 },
  ];
}

async function rename(url: string, id: string, name: string): Promise<void> {
  const response = await fetch(`${url}/v1/ports/${id}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'UpdatePort', data: { name } }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
}

/** Many who read one event stream each, as cheaply as can be: what they cost here is part of what is measured. */
class Crowd {
  readonly #sockets: Socket[] = [];
  #heard = 0;
  #lastAt = 0;
  #all: () => void = () => {};

  async join(url: string, path: string): Promise<void> {
    const { port, hostname } = new URL(url);
    for (let n = 0; n < subscribers; n++) {
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/event-stream\r\n\r\n`);
      await new Promise<void>((resolve) => {
        socket.on('data', (chunk: Buffer) => {
          if (chunk.includes('event: snapshot')) resolve();
          if (chunk.includes('event: patch')) this.#hear();
        });
      });
      this.#sockets.push(socket);
    }
  }

  listenAnew(): void {
    this.#heard = 0;
  }

  /** When the last one got its message. */
  async everybodyHeard(): Promise<number> {
    if (this.#heard < subscribers) await new Promise<void>((resolve) => (this.#all = resolve));
    return this.#lastAt;
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #hear(): void {
    this.#heard += 1;
    this.#lastAt = performance.now();
    if (this.#heard === subscribers) this.#all();
  }
}
