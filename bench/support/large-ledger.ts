import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { aggregates } from '../../src/domain/aggregates.ts';
import type { Actor } from '../../src/domain/kernel/actor.ts';
import { streamOf } from '../../src/domain/kernel/resource.ts';
import { chainLink, chainStart, withChain } from '../../src/runtime/chain.ts';
import { SystemClock } from '../../src/runtime/clock.ts';
import { checkpointName } from '../../src/runtime/flows.ts';
import { Runtime } from '../../src/runtime/runtime.ts';
import { openStore } from '../../src/store/open-store.ts';
import { portId } from './sample-ledger.ts';

/** So many ports live at the same time: their events take turns, so that no two neighbours are of one port. */
const neighbours = 1_000;
/** The first of so many ports that follow each other has a long history. */
const longEvery = 1_000;
const longHistory = 1_000;
const averageEvents = 15;
const firstTime = Date.UTC(2026, 0, 1);

const actor: Actor = { type: 'agent', id: 'ovs@compute-1' };
const actorText = JSON.stringify(actor);
const device = { deviceId: '22222222-2222-4222-8222-222222222222', deviceOwner: 'compute:nova' };
const life: readonly (readonly [commandType: string, data: object])[] = [
  ['CreatePort', { name: 'eth0', ...device }],
  ['SetPortStatus', { status: 'BUILD' }],
  ['AddProvisioningComponent', { entity: 'L2', host: 'compute-1' }],
  ['AddProvisioningComponent', { entity: 'DHCP', host: 'compute-1' }],
  ['ProvisioningComplete', { entity: 'DHCP', host: 'compute-1' }],
  ['ProvisioningComplete', { entity: 'L2', host: 'compute-1' }],
];
/** What follows, again and again. */
const renames: typeof life = [
  ['UpdatePort', { name: 'eth1' }],
  ['UpdatePort', { name: 'eth0' }],
];

interface SampleEvent {
  readonly commandType: string;
  readonly type: string;
  readonly v: number;
  readonly data: string;
}

/** From 10 to 20 events, but for the ports with a long history. */
export const isLong = (port: number): boolean => port % longEvery === 0;
const eventsOf = (port: number): number => (isLong(port) ? longHistory : 10 + ((port * 7919) % 11));

/**
 * A ledger of about so many events, as if a site had worked for months: the decisions of one port's life are taken once
 * and written for every port straight into the file, with ids, times and chains of their own. Gives the number of ports.
 */
export async function buildLargeLedger(file: string, events: number): Promise<number> {
  await (await openStore(`sqlite:${file}`)).close();
  const sample = await sampleLife();
  const db = new Database(file);
  db.pragma('journal_mode = MEMORY');
  db.pragma('synchronous = OFF');
  const insertStream = db.prepare('INSERT INTO streams (id, name) VALUES (?, ?)');
  const insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  let position = 0;

  const writeNeighbours = db.transaction((from: number, until: number): void => {
    const numbers = Array.from({ length: until - from }, (_, index) => from + index);
    let alive = numbers.map((port) => ({
      port,
      stream: streamOf({ kind: 'port', id: portId(port) }),
      chain: chainStart,
    }));
    for (const { port, stream } of alive) insertStream.run(port + 1, stream);
    for (let revision = 0; alive.length > 0; revision++) {
      const time = new Date(firstTime + position).toISOString();
      const { commandType, type, v, data } = sample(revision);
      for (const living of alive) {
        const [id, commandId] = [randomUUID(), randomUUID()];
        const ids = `"$correlationId":"${commandId}","$causationId":"${commandId}"`;
        const own = `{${ids},"actor":${actorText},"commandId":"${commandId}","commandType":"${commandType}"}`;
        const { port, stream, chain } = living;
        const link = { id, stream, revision, type, v, time, dataText: data, metadataText: own };
        living.chain = chainLink(chain, link);
        position += 1;
        insertEvent.run(position, port + 1, revision, id, type, v, time, data, withChain(own, living.chain));
      }
      alive = alive.filter(({ port }) => eventsOf(port) > revision + 1);
    }
  });

  let ports = 0;
  while (position < events) {
    const until = ports + Math.min(neighbours, Math.ceil((events - position) / averageEvents));
    writeNeighbours(ports, until);
    ports = until;
  }
  db.pragma('journal_mode = WAL');
  db.close();
  await leaveNothingToDo(file);
  return ports;
}

/** A site that has worked for months has acted on what happened: its process managers do not begin at the first event. */
async function leaveNothingToDo(file: string): Promise<void> {
  const store = await openStore(`sqlite:${file}`);
  await store.saveCheckpoint({ name: checkpointName, position: await store.head() });
  await store.close();
}

/** The event of a port's life at a revision, as the program records it. */
async function sampleLife(): Promise<(revision: number) => SampleEvent> {
  const store = await openStore('memory:');
  const runtime = new Runtime({ store, aggregates, clock: new SystemClock() });
  const resource = { kind: 'port', id: portId(0) } as const;
  for (const [type, given] of [...life, ...renames]) {
    const data = aggregates.port.commands[type]!.parse(given) as object;
    await runtime.execute({ resource, type, data, actor });
  }
  const events: SampleEvent[] = [];
  for await (const { type, v, dataText, metadata } of store.readStream(streamOf(resource)))
    events.push({ commandType: String(metadata.commandType), type, v, data: dataText });
  runtime.close();
  await store.close();
  const once = events.length - renames.length;
  if (events.slice(once).some(({ commandType }) => commandType !== 'UpdatePort'))
    throw new Error('a rename made more than one event');
  return (revision) => events[revision < once ? revision : once + ((revision - once) % renames.length)]!;
}
