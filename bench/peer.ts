/**
 * Emmett on SQLite, the event store that a Node program would take instead, beside the runtime on its embedded store: the
 * same commands on as many streams with the same durability, in turns. It is installed and runs apart, from `bench/peer`.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { aggregates } from '../src/domain/aggregates.ts';
import { streamOf } from '../src/domain/kernel/resource.ts';
import { SystemClock } from '../src/runtime/clock.ts';
import { Runtime } from '../src/runtime/runtime.ts';
import { openStore } from '../src/store/open-store.ts';
import { rebuild } from './projections.ts';
import { type Line, printTable, rate, sideBySide } from './support/measure.ts';
import { type Connections, installPeer, PeerFailed, PeerProcess } from './support/peer-process.ts';
import { fillLedger, portId } from './support/sample-ledger.ts';

const wanted = 10;
const rounds = 3;
/** What a way to give the peer commands is tried with, of a round's, and how long. */
const trialShare = 4;
const trialMs = 15_000;
const longStream = 10_000;
const loadings = 20;
const shown = { ports: 2_000, eventsAPort: 10 };

interface Load {
  readonly streams: number;
  readonly commands: number;
  readonly inFlight: number;
}
const loads: readonly Load[] = [
  { streams: 64, commands: 1_920, inFlight: 64 },
  { streams: 1, commands: 200, inFlight: 64 },
  { streams: 1, commands: 200, inFlight: 1 },
];

export async function peerLines(): Promise<Line[]> {
  installPeer();
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-bench-'));
  try {
    return [...(await commandLines(folder)), ...(await longStreamLines(folder)), await rebuildLine(folder)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function commandLines(folder: string): Promise<Line[]> {
  const store = await openStore(`sqlite:${join(folder, 'commands.db')}`);
  const runtime = new Runtime({ store, aggregates, clock: new SystemClock() });
  const lines: Line[] = [];
  let ports = 0;
  for (const load of loads) {
    const { streams, inFlight } = load;
    const { way, remark } = await bestWay(folder, load);
    const peer = await startPeer(join(folder, `peer-${lines.length}.db`), way.connections);
    lines.push(
      await contest({
        what: `commands on ${streams} stream${streams > 1 ? 's' : ''}, ${inFlight} in flight`,
        unit: 'commands/s',
        ours: () => {
          ports += streams;
          return giveCommands(runtime, load, ports);
        },
        theirs: peer,
        task: ['commands', { ...load, inFlight: way.inFlight }],
        how: way.inFlight === 1 ? 'one at a time' : `${way.inFlight} in flight`,
        remark,
      }),
    );
    peer.stop();
  }
  runtime.close();
  await store.close();
  return lines;
}

/** Commands on ports that are new, numbered up to `end`. How many a second. */
async function giveCommands(runtime: Runtime, { streams, commands, inFlight }: Load, end: number): Promise<number> {
  const give = async (n: number, type: string, name: string): Promise<void> => {
    const data = aggregates.port.commands[type]!.parse({ name }) as object;
    const resource = { kind: 'port', id: portId(end - 1 - (n % streams)) } as const;
    const outcome = await runtime.execute({ resource, type, data, actor: { type: 'user', id: 'bench' } });
    if (outcome.outcome === 'refused') throw outcome.refusal;
  };
  for (let n = 0; n < streams; n++) await give(n, 'CreatePort', 'new');
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < commands; n = next++) await give(n, 'UpdatePort', `name ${n}`);
  };
  return rate(commands, () => Promise.all(Array.from({ length: inFlight }, worker)));
}

/** A way to give the peer commands: one after the other, or as many in flight as we are given. */
interface Way {
  readonly inFlight: number;
  readonly connections: Connections;
}

/**
 * The peer's best way to carry out a load. Where transactions get into each other's way, one at a time is what remains: many
 * in flight on one connection would share a transaction, and be answered before it is durable.
 */
async function bestWay(folder: string, load: Load): Promise<{ way: Way; remark: string }> {
  const single: Way = { inFlight: 1, connections: 'shared' };
  if (load.inFlight === 1) return { way: single, remark: '' };
  const many: Way = { inFlight: load.inFlight, connections: 'own' };
  const [one, other] = [await tryOut(folder, load, single), await tryOut(folder, load, many)];
  if (other.perSecond > one.perSecond) return { way: many, remark: `one at a time there: ${one.remark}` };
  return { way: single, remark: `${load.inFlight} in flight there: ${other.remark}` };
}

async function tryOut(folder: string, load: Load, { inFlight, connections }: Way) {
  const peer = await startPeer(join(folder, `trial-${load.streams}-${inFlight}.db`), connections);
  try {
    const given = { ...load, commands: load.commands / trialShare, inFlight, prefix: 'trial' };
    const { answer, retried } = await peer.ask('commands', given, trialMs);
    const perSecond = answer as number;
    return { perSecond, remark: `${Math.round(perSecond)}/s${retries(retried)}` };
  } catch (error) {
    if (!(error instanceof PeerFailed)) throw error;
    return { perSecond: 0, remark: `${error.message}${retries(error.retried)}` };
  } finally {
    peer.stop();
  }
}

/** A stream with a long history: all its events, and the state they lead to where nothing is in memory yet. */
async function longStreamLines(folder: string): Promise<Line[]> {
  const resource = { kind: 'port', id: portId(0) } as const;
  const store = await openStore(`sqlite:${join(folder, 'long.db')}`);
  await fillLedger(store, { ports: 1, events: longStream });
  const peer = await startPeer(join(folder, 'peer-long.db'));
  await peer.ask('fill', { prefix: 'long', streams: 1, eventsAStream: longStream });
  const history = { stream: 'port-long-0', events: longStream };

  const read = async (): Promise<void> => {
    let parsed = 0;
    for await (const event of store.readStream(streamOf(resource))) if (event.data && event.metadata) parsed += 1;
    if (parsed !== longStream) throw new Error(`${parsed} events were read`);
  };
  const load = async (): Promise<void> => {
    for (let n = 0; n < loadings; n++) {
      const runtime = new Runtime({ store, aggregates, clock: new SystemClock() });
      const { revision } = (await runtime.current(resource))!;
      runtime.close();
      if (revision !== longStream - 1) throw new Error(`the state is that of revision ${revision}`);
    }
  };
  const what = longStream.toLocaleString('en');
  const lines = [
    await contest({
      what: `all of a stream of ${what} events, parsed`,
      unit: 'events/s',
      ours: () => rate(longStream, read),
      theirs: peer,
      task: ['read', history],
    }),
    await contest({
      what: `the state after ${what} events, not in memory`,
      unit: 'loads/s',
      ours: () => rate(loadings, load),
      theirs: peer,
      task: ['load', { ...history, times: loadings }],
    }),
  ];
  peer.stop();
  await store.close();
  return lines;
}

/** All our read models beside one table of the peer's, with a row a port. */
async function rebuildLine(folder: string): Promise<Line> {
  const ledger = join(folder, 'shown.db');
  const store = await openStore(`sqlite:${ledger}`);
  const { ports, eventsAPort } = shown;
  const events = ports * eventsAPort;
  await fillLedger(store, { ports, events });
  const peer = await startPeer(join(folder, 'peer-shown.db'));
  await peer.ask('fill', { prefix: 'shown', streams: ports, eventsAStream: eventsAPort });
  const { ledgerId } = store.info;
  const line = await contest({
    what: `all read models rebuilt from ${events.toLocaleString('en')} events`,
    unit: 'events/s',
    ours: () => rebuild({ ledger, ledgerId, views: join(folder, 'views.db'), events }),
    theirs: peer,
    task: ['rebuild', {}],
    how: 'one table',
  });
  peer.stop();
  await store.close();
  return line;
}

interface Contest {
  readonly what: string;
  readonly unit: string;
  /** Things done a second. */
  readonly ours: () => Promise<number>;
  readonly theirs: PeerProcess;
  readonly task: readonly [name: string, given: object];
  readonly how?: string;
  readonly remark?: string;
}

/** Ours and theirs in turns. Where the peer fails there is no figure of its, and the note says what failed. */
async function contest({ what, unit, ours, theirs, task: [name, given], how, remark }: Contest): Promise<Line> {
  const retried: Record<string, number> = {};
  const note = (...failure: string[]): string =>
    [...failure, remark, retries(retried).slice(2)].filter((part) => part).join('; ');
  let round = 0;
  try {
    const measured = await sideBySide(rounds, ours, async () => {
      const { answer, retried: again } = await theirs.ask(name, { ...given, prefix: `round-${round++}` });
      for (const [message, times] of Object.entries(again)) retried[message] = (retried[message] ?? 0) + times;
      return answer as number;
    });
    const baseline = { what: `Emmett on SQLite${how ? `, ${how}` : ''}`, value: measured.baseline };
    return { what, unit, ours: measured.ours, baseline, ratio: measured.ratio, wanted, note: note() };
  } catch (error) {
    if (!(error instanceof PeerFailed)) throw error;
    return { what, unit, ours: await ours(), note: note(`Emmett failed: ${error.message}${retries(error.retried)}`) };
  }
}

const retries = (retried: Readonly<Record<string, number>>): string =>
  Object.entries(retried)
    .map(([message, times]) => `, ${times} tried again after ${message}`)
    .join('');

/** A peer whose answers are as durable as ours. */
async function startPeer(file: string, connections: Connections = 'shared'): Promise<PeerProcess> {
  const peer = new PeerProcess(file, connections);
  const { journalMode, synchronous } = (await peer.ask('settings')).answer as Record<string, unknown>;
  if (journalMode !== 'wal' || synchronous !== 2)
    throw new Error(`the peer runs with journal_mode=${journalMode}, synchronous=${synchronous} rather than wal and 2`);
  return peer;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) printTable(await peerLines());
