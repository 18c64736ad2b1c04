import { exec } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { EventStore, RecordedEvent, SubscribeOptions } from '../../src/store/event-store.ts';
import { openEventStoreDb } from '../../src/store/eventstoredb/eventstoredb-store.ts';
import { isStoreError } from '../../src/store/store-error.ts';
import { all, freshPrefix, someEvent } from '../contract/support.ts';
import { TestCluster } from '../support/eventstoredb/cluster.ts';
import type { Mischief } from '../support/eventstoredb/mischief.ts';

/** A database with something that can befall it. */
export interface Site {
  readonly store: EventStore;
  strike(): unknown;
  heal(): unknown;
  stop(): unknown;
}

type Fault = (cluster: TestCluster) => void;

const loses =
  (mischief: Mischief): Fault =>
  (cluster) => {
    let left = 20;
    cluster.misbehave = (call) => (call === 'append' && left-- > 0 ? mischief : undefined);
  };

const faults: Readonly<Record<string, Fault>> = {
  'leader killed': (cluster) => cluster.kill(cluster.leader()!),
  'leader frozen': (cluster) => cluster.freeze(cluster.leader()!),
  'leader cut off': (cluster) => cluster.cutOff(cluster.leader()!),
  'answers dropped after the write': loses({ kind: 'dropped' }),
  'answers that never come': loses({ kind: 'unanswered' }),
};

/** What the test server can be made to do, by name. */
export const testSites = Object.fromEntries(
  Object.entries(faults).map(([name, fault]) => [name, () => startTestSite(fault)]),
);

async function startTestSite(fault: Fault): Promise<Site> {
  const cluster = await TestCluster.start({ nodes: 3, electionMs: 50, writeTimeoutMs: 250 });
  const store = await openEventStoreDb({ url: cluster.url, limits: { callMs: 800 } });
  const leader = cluster.leader()!;
  return {
    store,
    strike: () => fault(cluster),
    heal: async () => {
      cluster.misbehave = () => undefined;
      if (leader.condition !== 'running') await cluster.heal(leader);
    },
    stop: () => cluster.stop(),
  };
}

/** A database from outside, and the shell commands that do something to it and undo it again. */
export async function openNamedSite(url: string, strike = 'true', heal = 'true'): Promise<Site> {
  const run = promisify(exec);
  return {
    store: await openEventStoreDb({ url }),
    strike: () => run(strike),
    heal: () => run(heal),
    stop: () => {},
  };
}

export interface TrialResult {
  readonly acknowledged: number;
  readonly refused: number;
  /** What must never be: acknowledged and not there once, refused and there, seen in another order or number. */
  readonly flaws: readonly string[];
  /** The longest time without an acknowledged append, from the fault on. */
  readonly pausedMs: number;
}

const streams = 16;

/** Many writers on a few streams, a subscriber beside them, and something that befalls the database in the middle of it. */
export async function trial(
  { store, strike, heal, stop }: Site,
  writers: number,
  appends: number,
): Promise<TrialResult> {
  try {
    const prefix = freshPrefix();
    const part = { after: await store.head(), filter: { streamPrefixes: [prefix] } };
    const subscriber = follow(store, part);
    const writing = new Writing(store, prefix);
    const half = writing.reached((writers * appends) / 2);
    const work = Promise.all(Array.from({ length: writers }, (_, n) => writing.write(n, appends)));
    await half;
    const began = performance.now();
    await strike();
    await Promise.race([writing.reached(writing.acknowledged.size + 1), work]);
    await heal();
    await work;
    const stored = await all(store.readAll(part));
    const seen = await subscriber.until(stored.at(-1)!.position);
    const { acknowledged, refused } = writing;
    return {
      acknowledged: acknowledged.size,
      refused: refused.size,
      flaws: flawsOf(writing, stored, seen),
      pausedMs: writing.longestPauseAfter(began),
    };
  } finally {
    await store.close();
    await stop();
  }
}

/** Appends that say where they rest; whoever loses a race looks again. */
class Writing {
  readonly #store: EventStore;
  readonly #prefix: string;
  readonly acknowledged = new Set<string>();
  readonly refused = new Set<string>();
  readonly #revisions = new Map<string, number>();
  readonly #answeredAt: number[] = [];
  readonly #waiting: { count: number; go: () => void }[] = [];

  constructor(store: EventStore, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  longestPauseAfter(began: number): number {
    const times = [began, ...this.#answeredAt.filter((at) => at > began)];
    return Math.max(...times.slice(1).map((at, index) => at - times[index]!));
  }

  reached(count: number): Promise<void> {
    return new Promise((go) => this.#waiting.push({ count, go }));
  }

  async write(writer: number, appends: number): Promise<void> {
    for (let n = 0; n < appends; n++) {
      const stream = `${this.#prefix}${(writer + n) % streams}`;
      while (!(await this.#append(stream))) {}
    }
  }

  /** False where another writer was faster. */
  async #append(stream: string): Promise<boolean> {
    const event = someEvent({ id: randomUUID() });
    const expectedRevision = this.#revisions.get(stream) ?? -1;
    try {
      const { revision } = await this.#store.append({ stream, expectedRevision, events: [event] });
      this.#revisions.set(stream, Math.max(revision, this.#revisions.get(stream) ?? -1));
      this.acknowledged.add(event.id);
      this.#answeredAt.push(performance.now());
      for (const { count, go } of this.#waiting) if (this.acknowledged.size >= count) go();
      return true;
    } catch (error) {
      if (!isStoreError(error, 'wrong-expected-revision')) throw error;
      this.#revisions.set(stream, Math.max(error.fault.actual, this.#revisions.get(stream) ?? -1));
      this.refused.add(event.id);
      return false;
    }
  }
}

function follow(store: EventStore, part: SubscribeOptions) {
  const seen: RecordedEvent[] = [];
  const stop = new AbortController();
  const reached = { position: '', go: () => {} };
  const following = (async () => {
    for await (const message of store.subscribe({ ...part, signal: stop.signal })) {
      if (message.kind === 'event') seen.push(message.event);
      if ((seen.at(-1)?.position ?? '') >= reached.position) reached.go();
    }
  })();
  return {
    async until(position: string): Promise<readonly RecordedEvent[]> {
      await new Promise<void>((go) => {
        Object.assign(reached, { position, go });
        if ((seen.at(-1)?.position ?? '') >= position) go();
      });
      stop.abort();
      await following;
      return seen;
    },
  };
}

function flawsOf(
  { acknowledged, refused }: Writing,
  stored: readonly RecordedEvent[],
  seen: readonly RecordedEvent[],
): string[] {
  const times = new Map<string, number>();
  for (const { id } of stored) times.set(id, (times.get(id) ?? 0) + 1);
  const lost = [...acknowledged]
    .filter((id) => times.get(id) !== 1)
    .map((id) => `${id} was acknowledged, and is there ${times.get(id) ?? 0} times`);
  const kept = [...refused].filter((id) => times.has(id)).map((id) => `${id} was refused, and is there`);
  const place = ({ position, id }: RecordedEvent): string => `${position} ${id}`;
  const sameOrder = stored.map(place).join('\n') === seen.map(place).join('\n');
  return [...lost, ...kept, ...(sameOrder ? [] : ['the subscriber saw something else than what is stored'])];
}
