import { readFile, rename, writeFile } from 'node:fs/promises';
import type { LedgerEvent } from 'stackledger/client';

/** A server that waits for room. */
export interface Waiting {
  readonly serverId: string;
  /** The event with which this wait began: a server that finds no host once more waits anew. */
  readonly pendingId: string;
  /** The operation in whose course it came to wait; what is done for the server belongs to it. */
  readonly correlationId: string;
  /** How often no host had room. */
  readonly attempt: number;
  /** The server that was last sent away for this wait. */
  readonly victimId: string | null;
}

/** What is kept in the file. Whatever is missing there, or old, is read from the ledger again. */
interface Kept {
  position: string | undefined;
  waiting: Record<string, Waiting>;
  /** Since when each preemptible server is one. */
  preemptible: Record<string, string>;
}

export const isPreemptible = (metadata: Readonly<Record<string, string>>): boolean => metadata.preemptible === 'true';

/** What a reaper knows of the ledger: a fold of its events, and how far it has read. */
export class Known {
  readonly #path: string;
  readonly #kept: Kept;

  private constructor(path: string, kept: Kept) {
    this.#path = path;
    this.#kept = kept;
  }

  static async load(path: string): Promise<Known> {
    try {
      return new Known(path, JSON.parse(await readFile(path, 'utf8')) as Kept);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return new Known(path, { position: undefined, waiting: {}, preemptible: {} });
    }
  }

  /** Position and knowledge go together, or not at all. */
  async save(): Promise<void> {
    const draft = `${this.#path}.${process.pid}.draft`;
    await writeFile(draft, JSON.stringify(this.#kept));
    await rename(draft, this.#path);
  }

  get position(): string | undefined {
    return this.#kept.position;
  }

  readUpTo(position: string): void {
    this.#kept.position = position;
  }

  apply(event: LedgerEvent): void {
    if (event.resource) rules[event.type]?.(this.#kept, event.resource.id, event);
    this.readUpTo(event.position);
  }

  waiting(): Waiting[] {
    return Object.values(this.#kept.waiting);
  }

  /** What is known by now of a wait; undefined when it is over. */
  current({ serverId, pendingId }: Waiting): Waiting | undefined {
    const waiting = this.#kept.waiting[serverId];
    return waiting?.pendingId === pendingId ? waiting : undefined;
  }

  /** Those that have been preemptible longest come first. */
  preemptibleIds(): string[] {
    const since = this.#kept.preemptible;
    return Object.keys(since).sort((a, b) => since[a]!.localeCompare(since[b]!));
  }
}

type Rule = (kept: Kept, id: string, event: LedgerEvent) => void;

const noteMetadata = (kept: Kept, id: string, metadata: unknown, time: string): void => {
  if (isPreemptible(metadata as Record<string, string>)) kept.preemptible[id] ??= time;
  else delete kept.preemptible[id];
};

const rules: Readonly<Record<string, Rule>> = {
  ServerCreated: (kept, id, { data, time }) => noteMetadata(kept, id, data.metadata, time),
  ServerDiscovered: (kept, id, { data, time }) => noteMetadata(kept, id, data.metadata, time),

  ServerUpdated(kept, id, { data, time }) {
    const { metadata } = data.changes as { metadata?: unknown };
    if (metadata !== undefined) noteMetadata(kept, id, metadata, time);
  },

  ServerDeleted(kept, id) {
    delete kept.waiting[id];
    delete kept.preemptible[id];
  },

  PendingStarted(kept, id, { id: pendingId, data, metadata }) {
    const { $correlationId: correlationId } = metadata;
    kept.waiting[id] = { serverId: id, pendingId, correlationId, attempt: data.attempt as number, victimId: null };
  },

  ServerStateChanged(kept, id, { data }) {
    if ((data.to as { vmState: string }).vmState !== 'pending') delete kept.waiting[id];
  },

  /** Deletions carry the wait they are for as correlation id, so that the ledger remembers what a reaper had begun. */
  ServerActionStarted(kept, id, { data, metadata }) {
    if (data.action !== 'DeleteServer') return;
    const waiting = Object.values(kept.waiting).find(({ pendingId }) => pendingId === metadata.$correlationId);
    if (waiting) kept.waiting[waiting.serverId] = { ...waiting, victimId: id };
  },

  /** Changes nothing of this, but another reaper's claim that ran out is a reason to look at once. */
  PendingClaimEnded() {},
};

/** Types of events that a reaper needs. */
export const watchedTypes = Object.keys(rules);
