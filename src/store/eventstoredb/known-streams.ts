import { LRUCache } from 'lru-cache';
import type { Calls } from './calls.ts';
import { KnownStream } from './known-stream.ts';

/** Ids and receipts that are remembered of all streams together. */
const maxRemembered = 1_000_000;

/** The streams this process knows the past of; those used last are remembered. */
export class KnownStreams {
  readonly #calls: Calls;
  readonly #streams = new LRUCache<string, KnownStream>({
    max: 100_000,
    maxSize: maxRemembered,
    sizeCalculation: ({ size }) => size,
  });
  readonly #loading = new Map<string, Promise<KnownStream>>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** For the feed: only what is remembered, or being loaded, has to hear of more. */
  peek(name: string): KnownStream | undefined {
    return this.#streams.peek(name);
  }

  /** What is known of a stream, up to what the feed has brought. */
  of(name: string): KnownStream | Promise<KnownStream> {
    const known = this.#streams.get(name);
    const loading = this.#loading.get(name);
    if (loading) return loading;
    if (!known) return this.#load(name);
    return known.isBehind ? known.refresh().then(() => known) : known;
  }

  /** The same for a stream that its writer takes for new: the append itself will tell. */
  ofNew(name: string): KnownStream | Promise<KnownStream> {
    if (this.#streams.has(name) || this.#loading.has(name)) return this.of(name);
    return this.#remember(name);
  }

  /** It is remembered before it is read, so that the feed passes nothing by it. */
  #load(name: string): Promise<KnownStream> {
    const known = this.#remember(name);
    const loading = known
      .refresh()
      .then(() => {
        // Set again, for its size is another now.
        this.#streams.set(name, known);
        return known;
      })
      .catch((error) => {
        this.#streams.delete(name);
        throw error;
      })
      .finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  #remember(name: string): KnownStream {
    const known = new KnownStream(name, this.#calls);
    this.#streams.set(name, known);
    return known;
  }
}
