import { randomUUID } from 'node:crypto';
import type { EventStore, RecordedEvent } from '../../src/store/event-store.ts';
import { openEventStoreDb } from '../../src/store/eventstoredb/eventstoredb-store.ts';
import { isStoreError } from '../../src/store/store-error.ts';
import { all, someEvent } from '../contract/support.ts';
import { TestCluster } from '../support/eventstoredb/cluster.ts';
import type { Mischief } from '../support/eventstoredb/mischief.ts';

/** What befalls the cluster while it is written. */
export type Fault = (cluster: TestCluster) => void;

const loses =
  (mischief: Mischief): Fault =>
  (cluster) => {
    let left = 20;
    cluster.misbehave = (call) => (call === 'append' && left-- > 0 ? mischief : undefined);
  };

export const faults: Readonly<Record<string, Fault>> = {
  'leader killed': (cluster) => cluster.kill(cluster.leader()!),
  'leader frozen': (cluster) => cluster.freeze(cluster.leader()!),
  'leader cut off': (cluster) => cluster.cutOff(cluster.leader()!),
  'answers dropped after the write': loses({ kind: 'dropped' }),
  'answers that never come': loses({ kind: 'unanswered' }),
};

export interface TrialResult {
  readonly acknowledged: number;
  readonly refused: number;
  /** What must never be: acknowledged and not there once, refused and there, seen in another order or number. */
  readonly flaws: readonly string[];
  /** The longest time without an acknowledged append, from the fault on. */
  readonly pausedMs: number;
}

const streams = 16;
const limits = { callMs: 300, patienceMs: 30_000 };

/** Many writers on a few streams, a subscriber beside them, and one fault in the middle of it. */
export async function trial(fault: Fault, writers: number, appendsPerWriter: number): Promise<TrialResult> {
  const cluster = await TestCluster.start({ nodes: 3, electionMs: 50, writeTimeoutMs: 250 });
  const store = await openEventStoreDb({ url: cluster.url, limits });
  try {
    const subscriber = follow(store);
    const writing = new Writing(store);
    const half = writing.reached((writers * appendsPerWriter) / 2);
    const work = Promise.all(Array.from({ length: writers }, (_, n) => writing.write(n, appendsPerWriter)));
    await half;
    const node = cluster.leader()!;
    const began = performance.now();
    fault(cluster);
    await writing.reached(writing.acknowledged.size + 1);
    cluster.misbehave = () => undefined;
    if (node.condition !== 'running') await cluster.heal(node);
    await work;
    const stored = await all(store.readAll());
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
    cluster.stop();
  }
}

/** Appends that say where they rest; whoever loses a race looks again. */
class Writing {
  readonly #store: EventStore;
  readonly acknowledged = new Set<string>();
  readonly refused = new Set<string>();
  readonly #revisions = new Map<string, number>();
  readonly #answeredAt: number[] = [];
  readonly #waiting: { count: number; go: () => void }[] = [];

  constructor(store: EventStore) {
    this.#store = store;
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
      const stream = `port-${(writer + n) % streams}`;
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

function follow(store: EventStore) {
  const seen: RecordedEvent[] = [];
  const stop = new AbortController();
  const reached = { position: '', go: () => {} };
  const following = (async () => {
    for await (const message of store.subscribe({ signal: stop.signal })) {
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
