/**
 * Commands through the runtime on EventStoreDB beside the bare client doing the same appends: same streams, same expected
 * revisions, same bytes. The database is the one named by STACKLEDGER_TEST_ESDB, else a test server for each side in a process
 * of its own, which costs about as much as the client; a real one is faster, and both sides then have more of the machine.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { aggregates } from '../src/domain/aggregates.ts';
import { SystemClock } from '../src/runtime/clock.ts';
import { Runtime } from '../src/runtime/runtime.ts';
import { openStore } from '../src/store/open-store.ts';
import { type Line, printTable, rate, sideBySide } from './support/measure.ts';

const streams = 64;
const rounds = 5;
const commands = 2000;

export async function esdbLines(): Promise<Line[]> {
  const named = process.env.STACKLEDGER_TEST_ESDB;
  // One each: the ledger follows its database, and would hear of every append of the bare client.
  const servers = named ? [] : [startTestServer(), startTestServer()];
  try {
    const [ours = named!, bare = named!] = await Promise.all(servers.map(firstLine));
    const urls = { ours, bare };
    return [await commandLine(urls, 64, true), await commandLine(urls, 1, true), await commandLine(urls, 64, false)];
  } finally {
    for (const server of servers) server.kill();
  }
}

/** @param unary the client's path of one call an append, the one of its two on which errors belong to the append */
async function commandLine(
  urls: { readonly ours: string; readonly bare: string },
  inFlight: number,
  unary: boolean,
): Promise<Line> {
  const store = await openStore(urls.ours);
  const runtime = new Runtime({ store, aggregates, clock: new SystemClock() });
  const count = inFlight === 1 ? commands / 4 : commands;
  const ids = Array.from({ length: streams }, () => randomUUID());
  const actor = { type: 'user', id: 'bench' } as const;
  const give = (id: string, type: string, data: object) =>
    runtime.execute({ resource: { kind: 'port', id }, type, data, actor });
  const create = aggregates.port.commands.CreatePort!.parse({}) as object;
  for (const id of ids) await give(id, 'CreatePort', create);
  const bare = await Bare.open(urls.bare, ids, unary);
  const measured = await sideBySide(
    rounds,
    () =>
      rate(count, () => inTurns(count, inFlight, (n) => give(ids[n % streams]!, 'UpdatePort', { name: `name ${n}` }))),
    () => rate(count, () => inTurns(count, inFlight, (n) => bare.append(n % streams))),
  );
  runtime.close();
  await bare.close();
  await store.close();
  return {
    what: `commands on EventStoreDB, ${inFlight} in flight`,
    unit: 'commands/s',
    ours: measured.ours,
    baseline: {
      what: `bare client, ${unary ? 'a call an append' : 'all appends on one call of its own'}`,
      value: measured.baseline,
    },
    ratio: measured.ratio,
    ...(unary ? { wanted: 0.8 } : { note: 'there an error of one append is the answer to all' }),
  };
}

async function inTurns(count: number, inFlight: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** The client alone: a stream of its own for each of ours, each append at the revision it expects. */
class Bare {
  readonly #client: EventStoreDBClient;
  readonly #streams: readonly { name: string; revision: bigint; last: Promise<unknown> }[];

  private constructor(client: EventStoreDBClient, names: readonly string[]) {
    this.#client = client;
    this.#streams = names.map((name) => ({ name, revision: -1n, last: Promise.resolve() }));
  }

  static async open(url: string, ids: readonly string[], unary: boolean): Promise<Bare> {
    const client = EventStoreDBClient.connectionString(url);
    if (unary) (client as unknown as { supports: () => Promise<boolean> }).supports = async () => false;
    return new Bare(
      client,
      ids.map((id) => `bare-${id}`),
    );
  }

  /** What waits on one stream waits for the append before it, as it does with us. */
  append(index: number): Promise<unknown> {
    const stream = this.#streams[index]!;
    stream.last = stream.last.then(async () => {
      const { nextExpectedRevision } = await this.#client.appendToStream(stream.name, sameEvent(stream.name), {
        expectedRevision: stream.revision < 0n ? 'no_stream' : stream.revision,
        requiresLeader: true,
      });
      stream.revision = nextExpectedRevision;
    });
    return stream.last;
  }

  close(): Promise<void> {
    return this.#client.dispose();
  }
}

const sameEvent = (name: string) =>
  jsonEvent({
    type: 'PortUpdated',
    data: { name },
    metadata: {
      $correlationId: randomUUID(),
      $causationId: randomUUID(),
      actor: { type: 'user', id: 'bench' },
      commandId: randomUUID(),
      commandType: 'UpdatePort',
      chain: 'f'.repeat(43),
      stackledger: { v: 1, time: new Date().toISOString() },
    },
  });

function startTestServer(): ChildProcess {
  const entry = fileURLToPath(new URL('../test/support/eventstoredb/main.ts', import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', entry], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error(`the test server ended with ${child.exitCode} before it listened`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) printTable(await esdbLines());
