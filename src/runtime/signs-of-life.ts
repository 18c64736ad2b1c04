import { type ResourceRef, streamOf } from '../domain/kernel/resource.ts';
import { type EventStore, isShared } from '../store/event-store.ts';
import { type Clock, timestamp } from './clock.ts';

/** How long signs of life gather before the other processes are told. */
const gatherMs = 1000;
/** How often they are told of the same resource, however often it gives a sign. */
const repeatMs = 10_000;

/**
 * When resources last gave a sign of life. It is kept in memory alone: a sign is no event. Where several processes have
 * the ledger open, each tells the others whom it heard, so that nobody is taken for dead who talks to another of them.
 */
export class SignsOfLife {
  readonly #clock: Clock;
  readonly #store: EventStore;
  readonly #heardAt = new Map<string, string>();
  readonly #toldAt = new Map<string, number>();
  readonly #untold = new Map<string, string>();
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, store: EventStore) {
    this.#clock = clock;
    this.#store = store;
  }

  /** Null where it never gave one, as far as is known. */
  of(resource: ResourceRef): string | null {
    return this.#heardAt.get(streamOf(resource)) ?? null;
  }

  note(resource: ResourceRef): void {
    const stream = streamOf(resource);
    const now = this.#clock.now();
    this.#heardAt.set(stream, timestamp(now));
    if (!isShared(this.#store.info) || now - (this.#toldAt.get(stream) ?? 0) < repeatMs) return;
    this.#toldAt.set(stream, now);
    this.#untold.set(stream, timestamp(now));
    this.#cancel ??= this.#clock.schedule(now + gatherMs, () => this.#tell());
  }

  /** What a process told. */
  hear(text: string): void {
    for (const [stream, at] of Object.entries(JSON.parse(text) as Record<string, string>)) {
      if (at > (this.#heardAt.get(stream) ?? '')) this.#heardAt.set(stream, at);
    }
  }

  close(): void {
    this.#cancel?.();
  }

  /** What is not told is told with the next sign: there will be one, or nothing to tell. */
  async #tell(): Promise<void> {
    this.#cancel = null;
    const text = JSON.stringify(Object.fromEntries(this.#untold));
    const streams = [...this.#untold.keys()];
    this.#untold.clear();
    await this.#store.announce(text).catch(() => {
      for (const stream of streams) this.#toldAt.delete(stream);
    });
  }
}
