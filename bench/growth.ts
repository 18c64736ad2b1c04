/**
 * What the same work costs on ledgers of ten thousand to ten million events, in turns. What is measured is the program; the
 * files of all sizes are in the memory of the operating system, as far as it has enough.
 */

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { aggregates } from '../src/domain/aggregates.ts';
import { SystemClock } from '../src/runtime/clock.ts';
import { Runtime } from '../src/runtime/runtime.ts';
import type { EventStore } from '../src/store/event-store.ts';
import { openStore } from '../src/store/open-store.ts';
import { BareLedger } from './support/bare-ledger.ts';
import { buildLargeLedger, isLong } from './support/large-ledger.ts';
import { type Line, median, printTable, timed } from './support/measure.ts';
import { type ServerProcess, startServer } from './support/processes.ts';
import { portId } from './support/sample-ledger.ts';
import { cpuOf, mainThread, threads } from './support/thread-cpu.ts';

const sizes = [10_000, 100_000, 1_000_000, 10_000_000];
const atMost = 1.2;
const rounds = 3;
const inFlight = 64;
const commands = 4_096;
const hotPorts = 256;
/** Ledgers larger than this do not mind the events that are written while they are measured. */
const keptAsItIs = 100_000;
/** As many as the runtime keeps by default. */
const cachedResources = 10_000;
const reads = 200;

interface Ledger {
  readonly events: number;
  readonly ports: number;
  readonly file: string;
}
interface Cost {
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  /** What bare SQLite costs, of which nothing is wanted. */
  readonly isFloor?: true;
}

/** @param largest of the ledgers */
export async function growthLines(largest = sizes.at(-1)!): Promise<Line[]> {
  if (!(largest >= sizes[1]!)) throw new Error(`--events has to be at least ${sizes[1]}, to compare two ledgers`);
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-bench-'));
  try {
    const ledgers: Ledger[] = [];
    for (const events of sizes.filter((size) => size <= largest)) {
      console.error(`  building a ledger of ${events.toLocaleString('en')} events ...`);
      const file = join(folder, `${events}.db`);
      ledgers.push({ events, file, ports: await buildLargeLedger(file, events) });
    }
    const commandLines = await inTurns(ledgers, commandCosts);
    for (const ledger of ledgers) {
      console.error(`  building the read models of ${ledger.events.toLocaleString('en')} events ...`);
      await buildReadModels(ledger);
    }
    const serverLines = await inTurns(ledgers, serverCosts);
    // Last: its rows have no chain.
    return [...commandLines, ...serverLines, ...(await inTurns(ledgers, bareCosts))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The costs on each ledger beside those on the smallest, of the same rounds. */
async function inTurns(
  ledgers: readonly Ledger[],
  measure: (ledger: Ledger) => Promise<readonly Cost[]>,
): Promise<Line[]> {
  const measured = ledgers.map(() => [] as (readonly Cost[])[]);
  for (let round = 0; round < rounds; round++) {
    const order = [...ledgers.keys()];
    for (const index of round % 2 ? order.toReversed() : order) measured[index]!.push(await measure(ledgers[index]!));
  }
  const values = (ledger: number, cost: number): number[] => measured[ledger]!.map((costs) => costs[cost]!.value);
  return measured[0]![0]!.flatMap(({ what, unit, isFloor }, cost) => {
    const smallest = values(0, cost);
    return ledgers.slice(1).map(({ events }, index): Line => {
      const larger = values(index + 1, cost);
      return {
        what: `${what}, ${events.toLocaleString('en')} events`,
        unit,
        ours: median(larger),
        baseline: { what: `with ${ledgers[0]!.events.toLocaleString('en')}`, value: median(smallest) },
        ratio: median(larger.map((value, round) => value / smallest[round]!)),
        ...(!isFloor && { atMost }),
      };
    });
  });
}

/** The nth of the ports that are asked for: all over the ledger, none with a long history, few twice. */
function portOf({ ports }: Ledger, n: number): string {
  const number = (n * 7919) % ports;
  return portId(isLong(number) ? (number + 1) % ports : number);
}

async function commandCosts(ledger: Ledger): Promise<readonly Cost[]> {
  const measured = { ...ledger, file: `${ledger.file}.copy` };
  // What is measured writes: the ledgers that this would make larger by much are measured on a copy.
  if (ledger.events > keptAsItIs) measured.file = ledger.file;
  else copyFileSync(ledger.file, measured.file);

  const hot = new Spending(`on ${hotPorts} hot resources`);
  const spread = new Spending('on resources all over the ledger');
  const site = await Site.open(measured, cachedResources);
  await site.give({ count: 4 * hotPorts, among: hotPorts });
  await site.give({ count: commands, among: hotPorts }, hot);
  const warmUp = Math.min(ledger.ports, cachedResources);
  await site.give({ count: warmUp });
  await site.give({ first: warmUp, count: commands }, spread);
  await site.close();

  const notInMemory = new Spending('on resources all over the ledger, loaded each time');
  const forgetful = await Site.open(measured, inFlight);
  await forgetful.give({ count: 4 * hotPorts });
  await forgetful.give({ first: warmUp + commands, count: commands }, notInMemory);
  await forgetful.close();
  if (measured.file !== ledger.file) rmSync(measured.file);
  return [hot, spread, notInMemory].flatMap((spending) => spending.costs());
}

/** What commands of one sort took: on the clock, of the main thread and of the writer. */
class Spending {
  readonly #sort: string;
  #commands = 0;
  #elapsed = 0;
  #main = 0;
  #writer = 0;

  constructor(sort: string) {
    this.#sort = sort;
  }

  add(commands: number, { elapsed, main, writer }: Record<'elapsed' | 'main' | 'writer', number>): void {
    this.#commands += commands;
    this.#elapsed += elapsed;
    this.#main += main;
    this.#writer += writer;
  }

  costs(): Cost[] {
    const each = (what: string, microseconds: number): Cost => ({
      what: `${what} ${this.#sort}`,
      unit: 'µs',
      value: microseconds / this.#commands,
    });
    return [
      each('command', this.#elapsed),
      each('CPU of the main thread, command', this.#main),
      each('CPU of the writer, command', this.#writer),
    ];
  }
}

/** The resources of commands: the ports asked for from `first` on, or the same few again and again. */
interface Picks {
  readonly first?: number;
  readonly count: number;
  readonly among?: number;
}

/** The runtime on one opening of a ledger. */
class Site {
  readonly #ledger: Ledger;
  readonly #store: EventStore;
  readonly #writer: readonly string[];
  readonly #runtime: Runtime;

  private constructor(ledger: Ledger, store: EventStore, writer: readonly string[], cachedResources: number) {
    this.#ledger = ledger;
    this.#store = store;
    this.#writer = writer;
    this.#runtime = new Runtime({ store, aggregates, clock: new SystemClock(), cachedResources });
  }

  static async open(ledger: Ledger, cachedResources: number): Promise<Site> {
    const before = new Set(threads());
    const store = await openStore(`sqlite:${ledger.file}`);
    const writer = threads().filter((thread) => !before.has(thread));
    return new Site(ledger, store, writer, cachedResources);
  }

  async give({ first = 0, count, among = Number.POSITIVE_INFINITY }: Picks, spending?: Spending): Promise<void> {
    const [main, writer] = [cpuOf([mainThread]), cpuOf(this.#writer)];
    const start = performance.now();
    await manyAtOnce(count, (n) => this.#rename(portOf(this.#ledger, (first + n) % among)));
    spending?.add(count, {
      elapsed: (performance.now() - start) * 1000,
      main: cpuOf([mainThread]) - main,
      writer: cpuOf(this.#writer) - writer,
    });
  }

  async #rename(id: string): Promise<void> {
    const data = aggregates.port.commands.UpdatePort!.parse({ name: nextName() }) as object;
    const actor = { type: 'user', id: 'bench' } as const;
    const outcome = await this.#runtime.execute({ resource: { kind: 'port', id }, type: 'UpdatePort', data, actor });
    if (outcome.outcome === 'refused') throw outcome.refusal;
  }

  async close(): Promise<void> {
    this.#runtime.close();
    await this.#store.close();
  }
}

let names = 0;
/** No port has this name yet, so that giving it changes something. */
const nextName = (): string => `name ${process.pid} ${names++}`;

async function manyAtOnce(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

const serve = ({ file }: Ledger): Promise<ServerProcess> => startServer(['--store', `sqlite:${file}`]);

async function buildReadModels(ledger: Ledger): Promise<void> {
  const server = await serve(ledger);
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await sleep(200);
  await server.stop();
}

async function serverCosts(ledger: Ledger): Promise<readonly Cost[]> {
  const start = performance.now();
  const server = await serve(ledger);
  await rename(server.url, portOf(ledger, 0));
  const started = performance.now() - start;

  const [cold, pages]: [number[], number[]] = [[], []];
  for (let n = 0; n < reads; n++) {
    cold.push(await timed(`${server.url}/v1/ports/${portOf(ledger, n + 1)}`));
    pages.push(await timed(`${server.url}/v1/events?after=${(ledger.events >> 1) + n}&limit=100`));
  }
  await manyAtOnce(commands, (n) => rename(server.url, portOf(ledger, n)));
  const resident = server.residentMiB();
  await server.stop();
  return [
    { what: 'start to first command answered', unit: 'ms', value: started },
    { what: 'a resource read for the first time', unit: 'ms', value: median(cold) },
    { what: 'a page of 100 events from the middle', unit: 'ms', value: median(pages) },
    { what: `resident memory after ${commands.toLocaleString('en')} commands`, unit: 'MiB', value: resident },
  ];
}

/** The floor of the writer: what the file costs whoever writes all over it. */
async function bareCosts(ledger: Ledger): Promise<readonly Cost[]> {
  const bare = await BareLedger.open(ledger.file);
  bare.append(commands, inFlight);
  const appended = bare.append(commands, inFlight);
  bare.close();
  return [{ what: 'bare SQLite: CPU of a row for a stream anywhere', unit: 'µs', value: appended, isFloor: true }];
}

async function rename(url: string, id: string): Promise<void> {
  const response = await fetch(`${url}/v1/ports/${id}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'UpdatePort', data: { name: nextName() } }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  printTable(await growthLines(Number(process.argv[2] ?? sizes.at(-1))));
