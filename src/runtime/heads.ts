import { LRUCache } from 'lru-cache';
import type { Aggregate } from '../domain/kernel/aggregate.ts';
import { type Kind, type ResourceRef, streamOf } from '../domain/kernel/resource.ts';
import type { EventStore, Snapshot } from '../store/event-store.ts';
import { type Head, loadHead } from './head.ts';
import type { RuntimeObserver } from './observer.ts';

export interface HeadsOptions {
  readonly store: EventStore;
  readonly aggregates: Readonly<Record<Kind, Aggregate>>;
  /** Folded resources kept in memory; the rest is loaded when it is asked for. */
  readonly cachedResources?: number;
  /** Events after which a stream's state is kept as a snapshot. */
  readonly snapshotEvery?: number;
  readonly observer?: RuntimeObserver;
}

/** The stream ends in memory: those used last are kept, each loaded once however many ask at the same time. */
export class Heads {
  readonly #options: HeadsOptions;
  readonly #loaded: (head: Head) => void;
  readonly #snapshotEvery: number;
  readonly #heads: LRUCache<string, Head>;
  readonly #loading = new Map<string, Promise<Head>>();

  /** @param loaded hears of each head that was read from the store */
  constructor(options: HeadsOptions, loaded: (head: Head) => void) {
    this.#options = options;
    this.#loaded = loaded;
    this.#snapshotEvery = options.snapshotEvery ?? 200;
    this.#heads = new LRUCache({ max: options.cachedResources ?? 10_000 });
  }

  async of(resource: ResourceRef): Promise<Head> {
    const stream = streamOf(resource);
    const cached = this.#heads.get(stream);
    if (cached) return cached;
    const running = this.#loading.get(stream);
    if (running) return running;

    const { store, aggregates, observer } = this.#options;
    const onUnknownEvent = (type: string): void => observer?.unknownEvent?.(resource.kind, type);
    const loading = loadHead(store, aggregates[resource.kind], resource, onUnknownEvent);
    this.#loading.set(stream, loading);
    try {
      const head = await loading;
      this.#heads.set(stream, head);
      this.#loaded(head);
      return head;
    } finally {
      this.#loading.delete(stream);
    }
  }

  /** Forgets a head whose state was decided on but not stored; whoever built on it finds out and loads again. */
  discard(head: Head): void {
    head.broken = true;
    if (this.#heads.get(head.stream) === head) this.#heads.delete(head.stream);
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
