import type { ReadRevision, ResolvedEvent, StreamingRead } from '@eventstore/db-client';
import type { StreamPage } from '../live-log.ts';
import { StoreError, unusable } from '../store-error.ts';
import { AppendCall } from './append-call.ts';
import { isInvalidPosition, TimeLimitError, typeOf } from './attempts.ts';
import type { Connection } from './connection.ts';
import { decode, positionOf, type StoredEvent, type WireEvent } from './wire-event.ts';

/** What one read brings at most; whatever comes first ends it. */
const maxPageEvents = 512;
const maxPageBytes = 2_000_000;

export type Appended =
  | { readonly kind: 'written'; readonly position: string }
  /** The stream is elsewhere than was expected. */
  | { readonly kind: 'refused' };

export interface RawPage {
  readonly events: readonly ResolvedEvent[];
  /** Whether the read came to its end, and was not broken off for its size. */
  readonly complete: boolean;
}

/** The calls that the engine makes, each with its time limit, each on the leader. */
export class Calls {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** One attempt to append; an error other than of this store leaves open what has happened. */
  append(stream: string, expectedRevision: number, events: readonly WireEvent[]): Promise<Appended> {
    return this.#connection.attempt(async (client) => {
      try {
        const commit = await (await AppendCall.of(client)).append(stream, expectedRevision, events);
        return { kind: 'written', position: positionOf({ commit }) };
      } catch (error) {
        if (typeOf(error) === 'wrong-expected-version') return { kind: 'refused' };
        throw this.#translated(error, stream);
      }
    });
  }

  /** A piece of one stream as it lies there; empty where it was never written. */
  readRaw(stream: string, from: number, backwards: boolean, limit: number): Promise<RawPage> {
    if (backwards && from < 0) return Promise.resolve({ events: [], complete: true });
    const end = backwards && from >= Number.MAX_SAFE_INTEGER;
    const fromRevision: ReadRevision = end ? 'end' : BigInt(Math.max(from, 0));
    const maxCount = Math.min(limit, maxPageEvents);
    const direction = backwards ? 'backwards' : 'forwards';
    return this.#connection.repeat(async (client) => {
      try {
        return await this.#collect(
          client.readStream(stream, { fromRevision, direction, maxCount, requiresLeader: true }),
        );
      } catch (error) {
        if (typeOf(error) === 'stream-not-found') return { events: [], complete: true };
        throw this.#translated(error, stream);
      }
    });
  }

  /** A piece of one of the ledger's streams. */
  async readStored(stream: string, from: number, backwards: boolean, limit: number): Promise<readonly StoredEvent[]> {
    const { events } = await this.readRaw(stream, from, backwards, limit);
    return events.map((resolved) => decode(resolved) ?? this.#intruded(stream));
  }

  async streamPage(stream: string, from: number, backwards: boolean, limit: number): Promise<StreamPage> {
    const events = (await this.readStored(stream, from, backwards, limit)).map(({ event }) => event);
    const last = events.at(-1);
    return { events, more: last !== undefined && !(backwards && last.revision === 0) };
  }

  /** Everything in the database after a position, in pages; not only what the ledger wrote. */
  async readAllAfter(position: number, limit = maxPageEvents): Promise<RawPage> {
    try {
      return await this.#allFrom(position, limit);
    } catch (error) {
      if (!isInvalidPosition(error)) throw error;
      return this.#allFrom(await this.#positionBefore(position), limit);
    }
  }

  /** Position of the last event in the database; 0 where there is none. */
  async end(): Promise<number> {
    const [last] = (await this.#backwards('end', 1)).events;
    return last ? numberOf(last) : 0;
  }

  /** Position of the last event that the ledger wrote; 0 where there is none. */
  head(): Promise<number> {
    return this.#lastWhere((resolved) => decode(resolved) !== null);
  }

  /** Everything in the database, from its beginning to its end; not only what the ledger wrote. */
  async *everything(): AsyncGenerator<ResolvedEvent> {
    for (let position = 0; ; ) {
      const { events } = await this.readAllAfter(position);
      if (events.length === 0) return;
      yield* events;
      position = numberOf(events.at(-1)!);
    }
  }

  async appendMetadata(stream: string, metadata: { readonly maxCount: number }): Promise<void> {
    await this.#connection.repeat((client) => client.setStreamMetadata(stream, metadata, { requiresLeader: true }));
  }

  async #allFrom(position: number, limit: number): Promise<RawPage> {
    const fromPosition = position === 0 ? 'start' : placeOf(position);
    const page = await this.#connection.repeat((client) =>
      this.#collect(client.readAll({ fromPosition, maxCount: limit + 1, requiresLeader: true })),
    );
    // The server begins with the event at the position itself.
    return { ...page, events: page.events.filter((resolved) => numberOf(resolved) > position || position === 0) };
  }

  /**
   * The server reads only from where an event begins. For any other position the last event before it is looked for from
   * the end, past no more than what is about to be read.
   */
  #positionBefore(position: number): Promise<number> {
    return this.#lastWhere((resolved) => numberOf(resolved) <= position);
  }

  /** Position of the last event of which something is true; 0 where there is none. */
  async #lastWhere(isTrue: (resolved: ResolvedEvent) => boolean): Promise<number> {
    for (let from: 'end' | number = 'end'; ; ) {
      const { events } = await this.#backwards(from, maxPageEvents);
      const found = events.find(isTrue) ?? null;
      if (found || events.length === 0) return found ? numberOf(found) : 0;
      from = numberOf(events.at(-1)!);
    }
  }

  #backwards(from: 'end' | number, maxCount: number): Promise<RawPage> {
    const fromPosition = from === 'end' ? 'end' : placeOf(from);
    return this.#connection.repeat((client) =>
      this.#collect(client.readAll({ fromPosition, direction: 'backwards', maxCount, requiresLeader: true })),
    );
  }

  /** Takes a read in, up to the size of a page. A read that gives nothing for a while is given up. */
  #collect(read: StreamingRead<ResolvedEvent>): Promise<RawPage> {
    const { callMs } = this.#connection.limits;
    return new Promise((resolve, reject) => {
      const events: ResolvedEvent[] = [];
      let bytes = 0;
      const silence = setTimeout(() => settle(() => reject(new TimeLimitError(callMs))), callMs);
      const settle = (answer: () => void): void => {
        clearTimeout(silence);
        read.off('data', take);
        void read.cancel().catch(() => {});
        answer();
      };
      const take = (resolved: ResolvedEvent): void => {
        silence.refresh();
        events.push(resolved);
        bytes += roughSizeOf(resolved);
        if (bytes > maxPageBytes) settle(() => resolve({ events, complete: false }));
      };
      read.on('data', take);
      read.once('end', () => settle(() => resolve({ events, complete: true })));
      read.on('error', (error) => settle(() => reject(error)));
    });
  }

  #translated(error: unknown, stream: string): unknown {
    const path = this.#connection.address;
    if (typeOf(error) === 'stream-deleted') return unusable(path, `the stream ${stream} was deleted for good`, error);
    if (typeOf(error) === 'maximum-append-size-exceeded')
      return new StoreError({ code: 'invalid-append', stream, reason: 'the server takes fewer bytes at once' }, error);
    if (typeOf(error) === 'access-denied') return unusable(path, `its user may not use the stream ${stream}`, error);
    return error;
  }

  #intruded(stream: string): never {
    throw unusable(this.#connection.address, `the stream ${stream} holds an event that another program wrote`);
  }
}

export const numberOf = ({ event }: ResolvedEvent): number => Number(event?.position?.commit ?? 0n);

export const placeOf = (position: number) => ({ commit: BigInt(position), prepare: BigInt(position) });

/** Near enough to stop in time; parsed JSON has no size of its own. */
const roughSizeOf = ({ event }: ResolvedEvent): number =>
  event?.data instanceof Uint8Array ? event.data.length : JSON.stringify(event?.data ?? null).length;
