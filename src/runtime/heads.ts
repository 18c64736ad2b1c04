import { LRUCache } from 'lru-cache';
import type { Aggregate } from '../domain/kernel/aggregate.ts';
import { type Kind, type ResourceRef, streamOf } from '../domain/kernel/resource.ts';
import type { EventStore, RecordedEvent, Snapshot } from '../store/event-store.ts';
import { type Head, loadHead } from './head.ts';
import type { RuntimeObserver } from './observer.ts';

export interface HeadsOptions {
  readonly store: EventStore;
  readonly aggregates: Readonly<Record<Kind, Aggregate>>;
  /** Folded resources kept in memory; the rest is loaded when it is asked for. */
  readonly cachedResources?: number;
  /** Agents kept in memory beside them. */
  readonly cachedAgents?: number;
  /** Events after which a stream's state is kept as a snapshot. */
  readonly snapshotEvery?: number;
  readonly observer?: RuntimeObserver;
}

/**
 * Agents are kept apart from what they serve, and that there is none of a type on a host is kept as well: every port that is
 * bound asks for all of its host's, and would find them driven out by other ports. They are small, and there are a few a host.
 */
const defaultCachedAgents = 65_536;
const agentStreams = streamOf({ kind: 'agent', id: '' });

/** The stream ends in memory: those used last are kept, each loaded once however many ask at the same time. */
export class Heads {
  readonly #options: HeadsOptions;
  readonly #loaded: (head: Head) => void;
  readonly #snapshotEvery: number;
  readonly #heads: LRUCache<string, Head>;
  readonly #agents: LRUCache<string, Head>;
  readonly #loading = new Map<string, Promise<Head>>();
  /** The newest revisions that were heard of while a head was being loaded. */
  readonly #heardOf = new Map<string, number>();

  /** @param loaded hears of each head that was read from the store */
  constructor(options: HeadsOptions, loaded: (head: Head) => void) {
    this.#options = options;
    this.#loaded = loaded;
    this.#snapshotEvery = options.snapshotEvery ?? 200;
    this.#heads = new LRUCache({ max: options.cachedResources ?? 10_000 });
    this.#agents = new LRUCache({ max: options.cachedAgents ?? defaultCachedAgents });
  }

  /** The head, if it is in memory. */
  known(stream: string): Head | undefined {
    return this.#cacheOf(stream).get(stream);
  }

  /** Whether decisions still rest on this head, and on no other of the same stream. */
  isInUse(head: Head): boolean {
    return this.#cacheOf(head.stream).peek(head.stream) === head;
  }

  async of(resource: ResourceRef): Promise<Head> {
    const stream = streamOf(resource);
    const cached = this.known(stream);
    if (cached) return cached;
    const running = this.#loading.get(stream);
    if (running) return running;

    const loading = this.#load(resource, stream);
    this.#loading.set(stream, loading);
    try {
      return await loading;
    } finally {
      this.#loading.delete(stream);
      this.#heardOf.delete(stream);
    }
  }

  /**
   * Events that came into the ledger: a head that they are ahead of was overtaken by another process. Gives the streams
   * that this process does not know the end of.
   */
  overtake(events: readonly RecordedEvent[]): Set<string> {
    const unknown = new Set<string>();
    for (const { stream, revision } of events) {
      const heads = this.#cacheOf(stream);
      const head = heads.peek(stream);
      if (head && head.revision < revision) this.discard(head);
      if (this.#loading.has(stream)) this.#heardOf.set(stream, revision);
      if (!heads.has(stream)) unknown.add(stream);
    }
    return unknown;
  }

  /**
   * What comes in while it is read may have been missed by the reading; it is then read again. It is kept in the same moment
   * in which that is known: what comes in a moment later must find it.
   */
  async #load(resource: ResourceRef, stream: string): Promise<Head> {
    const { store, aggregates, observer } = this.#options;
    const onUnknownEvent = (type: string): void => observer?.unknownEvent?.(resource.kind, type);
    for (;;) {
      const head = await loadHead(store, aggregates[resource.kind], resource, onUnknownEvent);
      if (head.revision < (this.#heardOf.get(stream) ?? -1)) continue;
      this.#cacheOf(stream).set(stream, head);
      this.#loaded(head);
      return head;
    }
  }

  /** Forgets a head that is not as the stream is; whoever built on it finds out and loads again. */
  discard(head: Head): void {
    head.broken = true;
    const heads = this.#cacheOf(head.stream);
    if (heads.get(head.stream) === head) heads.delete(head.stream);
  }

  #cacheOf(stream: string): LRUCache<string, Head> {
    return stream.startsWith(agentStreams) ? this.#agents : this.#heads;
  }

  /** The head's state as a snapshot, when enough has happened since the last one. Taken now, kept when it is durable. */
  snapshotIfDue(head: Head): Snapshot | null {
    const { state, stream, resource } = head;
    if (!state || state.revision - head.snapshotRevision < this.#snapshotEvery) return null;
    head.snapshotRevision = state.revision;
    const { foldVersion } = this.#options.aggregates[resource.kind];
    return { stream, revision: state.revision, foldVersion, state: JSON.stringify(state) };
  }

  /** A snapshot that cannot be kept costs time at the next load, nothing else. */
  keep(snapshot: Snapshot): void {
    this.#options.store.saveSnapshot(snapshot).catch((error) => this.#options.observer?.snapshotFailed?.(error));
  }
}
