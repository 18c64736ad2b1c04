import { randomUUID } from 'node:crypto';
import type { ResolvedEvent } from '@eventstore/db-client';
import { StoreError } from '../store-error.ts';
import { untilAnswered } from './attempts.ts';
import type { Appended, Calls } from './calls.ts';
import type { Connection } from './connection.ts';
import { internalEvent } from './wire-event.ts';

/** The last of what is kept in a stream, and where it stands. */
export interface Kept<T> {
  readonly revision: number;
  readonly value: T | null;
}

/** How many times a change is made anew when other processes keep changing the same. */
const maxAttempts = 50;

/**
 * Streams of which only the last event counts: each is the whole of what is kept. The server is told to keep no more than
 * a few, so that they do not grow.
 */
export class KeptStreams {
  readonly #connection: Connection;
  readonly #calls: Calls;

  constructor(connection: Connection, calls: Calls) {
    this.#connection = connection;
    this.#calls = calls;
  }

  async load<T extends object>(stream: string): Promise<Kept<T>> {
    const [last] = (await this.#calls.readRaw(stream, Number.MAX_SAFE_INTEGER, true, 1)).events;
    return last ? { revision: Number(last.event!.revision), value: valueIn<T>(last) } : { revision: -1, value: null };
  }

  /**
   * Puts what `next` makes of the last in its place; null changes nothing. Made anew where another process was faster.
   * @returns what is kept from then on
   */
  async change<T extends object>(
    stream: string,
    type: string,
    next: (kept: T | null, revision: number) => T | null,
  ): Promise<Kept<T>> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const kept = await this.load<T>(stream);
      const value = next(kept.value, kept.revision);
      if (value === null) return kept;
      if (!(await this.#put(stream, type, kept.revision, value))) continue;
      if (kept.revision < 0) await this.#calls.appendMetadata(stream, { maxCount: keptEvents });
      return { revision: kept.revision + 1, value };
    }
    const reason = `other processes changed ${stream} ${maxAttempts} times meanwhile`;
    throw new StoreError({ code: 'not-writable', reason });
  }

  /** False where the stream was elsewhere. */
  async #put(stream: string, type: string, revision: number, value: object): Promise<boolean> {
    const event = internalEvent(randomUUID(), type, value);
    let tries = 0;
    const put = async (): Promise<Appended> => {
      if (tries++ > 0) {
        // A stream that forgets its past cannot recognise a repeated append, so it is looked for.
        const [there] = (await this.#calls.readRaw(stream, revision + 1, false, 1)).events;
        if (there) return there.event!.id === event.id ? { kind: 'written', position: '' } : { kind: 'refused' };
      }
      return this.#calls.append(stream, revision, [event]);
    };
    const { limits, closed } = this.#connection;
    const answer = await untilAnswered(put, limits.patienceMs, closed, (error) => this.#connection.unreachable(error));
    return answer.kind === 'written';
  }
}

/** More than one, so that two processes that write at the same time still find the other's. */
const keptEvents = 3;

const valueIn = <T>({ event }: ResolvedEvent): T => event!.data as T;
