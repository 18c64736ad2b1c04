import { EventLog } from './event-log.ts';
import { timedOut } from './messages.ts';
import type { CallKind, Mischief, Mischievous } from './mischief.ts';
import { ClusterNode, type Membership } from './node.ts';
import type { AppendOutcome } from './record.ts';

export interface ClusterOptions {
  readonly nodes?: 1 | 3;
  readonly version?: string;
  /** How long the others wait for a leader that is gone before they elect another. */
  readonly electionMs?: number;
  /** How long a write waits for a majority. */
  readonly writeTimeoutMs?: number;
}

const maxAppendBytes = 1024 * 1024;

/**
 * A test server that speaks EventStoreDB's protocol: one node, or three that elect a leader. Everything is in memory, and
 * any call can be made to go wrong. A tool for tests, nothing to keep data in.
 *
 * @example
 * const cluster = await TestCluster.start({ nodes: 3 });
 * const store = await openStore(cluster.url);
 * cluster.kill(cluster.leader()!);
 */
export class TestCluster implements Membership {
  readonly log = new EventLog();
  readonly version: string;
  readonly maxAppendBytes = maxAppendBytes;
  readonly members: readonly ClusterNode[];
  readonly #electionMs: number;
  readonly #writeTimeoutMs: number;
  #leader: ClusterNode | null = null;
  /** Counts the leaders there have been. */
  #term = 0;
  #election: NodeJS.Timeout | undefined;
  /** What is to go wrong from now on. */
  misbehave: Mischievous = () => undefined;

  private constructor({ nodes = 1, version = '24.10.0', electionMs = 300, writeTimeoutMs = 2000 }: ClusterOptions) {
    this.version = version;
    this.#electionMs = electionMs;
    this.#writeTimeoutMs = writeTimeoutMs;
    this.members = Array.from({ length: nodes }, () => new ClusterNode(this));
  }

  static async start(options: ClusterOptions = {}): Promise<TestCluster> {
    const cluster = new TestCluster(options);
    for (const member of cluster.members) await member.start();
    cluster.#leader = cluster.members[0]!;
    return cluster;
  }

  /** What a client connects to. */
  get url(): string {
    return `esdb://${this.members.map(({ address }) => address).join(',')}?tls=false`;
  }

  leader(): ClusterNode | null {
    return this.#leader;
  }

  mischief(call: CallKind): Mischief | undefined {
    return this.misbehave(call);
  }

  kill(node: ClusterNode): void {
    node.kill();
    this.#conditionChanged();
  }

  freeze(node: ClusterNode): void {
    node.freeze();
    this.#conditionChanged();
  }

  cutOff(node: ClusterNode): void {
    node.cutOff();
    this.#conditionChanged();
  }

  /** Makes a node run again, whatever befell it. */
  async heal(node: ClusterNode): Promise<void> {
    if (node.condition === 'killed') await node.start();
    else node.thaw();
    this.#conditionChanged();
  }

  /** Makes another node the leader. */
  moveLeader(node: ClusterNode): void {
    this.#term += 1;
    this.log.dropUncommitted();
    this.#leader = node;
  }

  stop(): void {
    clearTimeout(this.#election);
    for (const member of this.members) member.kill();
  }

  /** A refusal is given at once, by what the leader has written; whether that is ever committed it does not know yet. */
  async write(change: (log: EventLog) => AppendOutcome): Promise<AppendOutcome> {
    const before = this.log.writtenCount;
    const outcome = change(this.log);
    if (outcome.kind !== 'written') return outcome;
    if (!this.#hasMajority) return this.#replicated(outcome, this.log.writtenCount);
    if (this.log.writtenCount > before) this.log.commit();
    return outcome;
  }

  /** Waits for the majority to come back; a write that stays alone is not answered in time, and what is lost never is. */
  #replicated(outcome: AppendOutcome, count: number): Promise<AppendOutcome> {
    const term = this.#term;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        off();
        reject(timedOut());
      }, this.#writeTimeoutMs);
      const off = this.log.onCommit(() => {
        if (this.#term !== term || this.log.committedCount < count) return;
        off();
        clearTimeout(timer);
        resolve(outcome);
      });
    });
  }

  get #running(): readonly ClusterNode[] {
    return this.members.filter(({ condition }) => condition === 'running');
  }

  /** Whether what the leader writes reaches more than half of the nodes. */
  get #hasMajority(): boolean {
    return this.#leader?.condition === 'running' && this.#running.length > this.members.length / 2;
  }

  #conditionChanged(): void {
    clearTimeout(this.#election);
    if (this.#hasMajority) {
      if (this.log.writtenCount > this.log.committedCount) this.log.commit();
      return;
    }
    // A killed leader answers nothing; one that is cut off believes in itself until the others have elected another.
    if (this.#leader?.condition === 'killed') this.#leader = null;
    if (this.#running.length <= this.members.length / 2) return;
    this.#election = setTimeout(() => this.moveLeader(this.#running[0]!), this.#electionMs);
  }
}
