import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyLedger } from '../../src/cli/verify/verify-ledger.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { fold, type Lifetime } from '../../src/domain/kernel/aggregate.ts';
import { type ResourceRef, resourceOf } from '../../src/domain/kernel/resource.ts';
import { viewText } from '../../src/runtime/head.ts';
import type { EventStore, RecordedEvent } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { collect, done, nthId, openLedger } from '../support/ledger.ts';
import { Random } from '../support/random.ts';

export interface DamageReport {
  /** How often what became of it: `refused` at the opening, `named` by verify, or `whole`, up to some moment. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** What a disk holds after a power cut: the file, and the log with what was not copied into it yet. */
interface Disk {
  readonly file: Buffer;
  readonly log: Buffer | null;
}

/** The same ledger in two conditions: stopped in order, and cut off at work. */
interface Original {
  readonly stopped: Disk;
  readonly cutOff: Disk;
  readonly events: readonly RecordedEvent[];
}

const pageBytes = 4096;

/** What can happen to a disk. Each entry damages what it is given. */
const damages: Readonly<Record<string, (original: Original, random: Random) => Disk>> = {
  'a log that was cut off': ({ cutOff: { file, log } }, random) => ({
    file,
    log: log!.subarray(0, random.below(log!.length)),
  }),
  'flipped bits in the log': ({ cutOff: { file, log } }, random) => ({ file, log: flipped(log!, random) }),
  'a log that was lost': ({ cutOff: { file } }) => ({ file, log: null }),
  'flipped bits in the file': ({ stopped: { file } }, random) => ({ file: flipped(file, random), log: null }),
  'flipped bits in the file below a log': ({ cutOff: { file, log } }, random) => ({ file: flipped(file, random), log }),
  'a file that was cut off': ({ stopped: { file } }, random) => ({
    file: file.subarray(0, random.below(file.length)),
    log: null,
  }),
  'a page of zeros': ({ stopped: { file } }, random) => {
    const damaged = Buffer.from(file);
    const page = random.below(file.length / pageBytes);
    return { file: damaged.fill(0, page * pageBytes, (page + 1) * pageBytes), log: null };
  },
};

function flipped(bytes: Buffer, random: Random): Buffer {
  const damaged = Buffer.from(bytes);
  for (let flips = 1 + random.below(3); flips > 0; flips--) {
    const at = random.below(damaged.length);
    damaged[at] = damaged[at]! ^ (1 << random.below(8));
  }
  return damaged;
}

/**
 * Damages a ledger's files again and again and opens what is left: it is refused, or `verify` names what is wrong, or what
 * is there is what was recorded, up to some moment, and can be gone on with.
 */
export async function damage({ trials, seed }: { trials: number; seed: number }): Promise<DamageReport> {
  const random = new Random(seed);
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-damage-'));
  const outcomes: Record<string, number> = {};
  const faults: string[] = [];
  try {
    const original = await makeOriginal(join(folder, 'original.db'));
    for (let trial = 0; trial < trials; trial++) {
      const kinds = Object.keys(damages);
      const kind = kinds[trial % kinds.length]!;
      const path = join(folder, `trial-${trial}.db`);
      const { file, log } = damages[kind]!(original, random);
      writeFileSync(path, file);
      if (log) writeFileSync(`${path}-wal`, log);
      const { outcome, wrong } = await outcomeOf(path, original.events);
      outcomes[`${kind}: ${outcome}`] = (outcomes[`${kind}: ${outcome}`] ?? 0) + 1;
      faults.push(...wrong.map((each) => `trial ${trial}, ${kind}: ${each}`));
      for (const end of ['', '-wal', '-shm', '.lock']) rmSync(`${path}${end}`, { force: true });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { outcomes, faults };
}

async function makeOriginal(path: string): Promise<Original> {
  const url = `sqlite:${path}`;
  const work = async (round: number): Promise<EventStore> => {
    const { store, clock, execute } = await openLedger({ snapshotEvery: 3 }, url);
    for (let n = 0; n < 40; n++) {
      const id = nthId(n % 8);
      const command = round === 0 && n < 8 ? 'CreatePort' : 'UpdatePort';
      done(await execute('port', id, command, { name: `name ${round}-${n}` }, { key: `${round}-${n}` }));
      await clock.advance(1000);
    }
    return store;
  };
  await (await work(0)).close();
  const store = await work(1);
  const cutOff = { file: readFileSync(path), log: readFileSync(`${path}-wal`) };
  const events = await collect(store.readAll());
  await store.close();
  return { stopped: { file: readFileSync(path), log: null }, cutOff, events };
}

interface Found {
  readonly outcome: 'refused' | 'named' | 'whole';
  readonly wrong: readonly string[];
}

async function outcomeOf(path: string, recorded: readonly RecordedEvent[]): Promise<Found> {
  let store: EventStore;
  try {
    store = await openStore(`sqlite:${path}`, { clock: 'manual' });
  } catch (error) {
    return { outcome: 'refused', wrong: unclear(error) };
  }
  try {
    const { findingCount } = await verifyLedger(store, aggregates, null);
    if (findingCount > 0) return { outcome: 'named', wrong: [] };
    return { outcome: 'whole', wrong: [...(await differences(store, recorded)), ...(await goOn(store))] };
  } catch (error) {
    return { outcome: 'named', wrong: unclear(error) };
  } finally {
    await store.close();
  }
}

/** An error that does not say, to whoever started the server, what is the matter with which file. */
const unclear = (error: unknown): string[] =>
  error instanceof StoreError && /damaged|not an SQLite|not a ledger|is empty|newer|disk|clock/.test(error.message)
    ? []
    : [`${(error as Error).stack}`];

async function differences(store: EventStore, recorded: readonly RecordedEvent[]): Promise<string[]> {
  const events = await collect(store.readAll());
  const wrong = events.flatMap((event, index) =>
    sameEvent(event, recorded[index]) ? [] : [`event ${event.position}`],
  );
  const { runtime } = await openLedger({ store });
  for (const stream of new Set(events.map((event) => event.stream))) {
    const resource = resourceOf(stream)!;
    const shown = (await runtime.current(resource))?.stateText;
    if (shown !== stateTextOf(resource, events)) wrong.push(`the state of ${stream}`);
  }
  return wrong;
}

const sameEvent = (a: RecordedEvent, b: RecordedEvent | undefined): boolean =>
  a.id === b?.id && a.stream === b.stream && a.dataText === b.dataText && a.metadataText === b.metadataText;

function stateTextOf(resource: ResourceRef, events: readonly RecordedEvent[]): string | null {
  const aggregate = aggregates[resource.kind];
  const own = events.filter(({ stream }) => stream === `${resource.kind}-${resource.id}`);
  const state = own.reduce<Lifetime | null>((folded, event) => fold(aggregate, resource.id, folded, event), null);
  return state && viewText(aggregate, state);
}

/** Work goes on where the ledger ends now, and leaves it sound; where it cannot, it says so. */
async function goOn(store: EventStore): Promise<string[]> {
  const { execute } = await openLedger({ store });
  try {
    done(await execute('port', nthId(99), 'CreatePort', { name: 'new' }));
  } catch (error) {
    return unclear(error);
  }
  const { findings } = await verifyLedger(store, aggregates, null);
  return findings.map(({ check, stream }) => `afterwards, ${check} in ${stream}`);
}
