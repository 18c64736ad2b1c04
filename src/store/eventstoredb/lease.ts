import { randomUUID } from 'node:crypto';
import { pause } from '../../pause.ts';
import type { Lease } from '../event-store.ts';
import { within } from './attempts.ts';
import type { Connection } from './connection.ts';
import type { Kept, KeptStreams } from './kept-streams.ts';
import { internalPrefix } from './wire-event.ts';

/** Renewals, and looks of those who wait, within the time that a holder may say nothing. */
const renewals = 4;
const looks = 10;

interface Holder {
  /** Null where the work is free to be taken. */
  readonly holder: string | null;
  /** Changes with each renewal, so that others see that the holder lives. */
  readonly beat: number;
}

/** What was last seen of a holder, by this process's own clock: those of two machines are never compared. */
interface Seen {
  readonly revision: number;
  readonly at: number;
}

/**
 * Leases, each in a stream of its own: the holder writes into it every few seconds, and whoever waits takes the work over
 * when nothing new has come for a while. Every change is made at an exact revision, so that two never both succeed.
 */
export class Leases {
  readonly #kept: KeptStreams;
  readonly #connection: Connection;
  readonly #self = randomUUID();
  readonly #heldMs: number;
  readonly #renewMs: number;
  readonly #lookMs: number;

  constructor(kept: KeptStreams, connection: Connection) {
    this.#kept = kept;
    this.#connection = connection;
    this.#heldMs = connection.limits.leaseMs;
    this.#renewMs = this.#heldMs / renewals;
    this.#lookMs = this.#heldMs / looks;
  }

  /** Waits for its turn; null where `stop` came first. */
  async take(name: string, stop: AbortSignal): Promise<Lease | null> {
    const stream = `${internalPrefix}lease-${name}`;
    const ended = AbortSignal.any([stop, this.#connection.closed]);
    for (let seen = null as Seen | null; !ended.aborted; ) {
      try {
        const kept: Kept<Holder> = await this.#kept.load(stream);
        if (seen?.revision !== kept.revision) seen = { revision: kept.revision, at: performance.now() };
        const isFree = kept.value === null || kept.value.holder === null;
        if (
          (isFree || performance.now() - seen.at > this.#heldMs) &&
          (await this.#put(stream, kept.revision, this.#self))
        )
          return this.#hold(stream);
      } catch {
        seen = null; // Nothing is known of the holder while the database is out of reach.
      }
      await pause(this.#lookMs, ended);
    }
    return null;
  }

  /** Renews the lease until it is released, or cannot be renewed in time: who stops still has it while putting things away. */
  #hold(stream: string): Lease {
    const lost = new AbortController();
    const released = new AbortController();
    const over = AbortSignal.any([this.#connection.closed, released.signal, lost.signal]);
    const renewing = this.#renew(stream, over).catch(() => {});
    void renewing.then(() => lost.abort());
    const release = async (): Promise<void> => {
      released.abort();
      await renewing;
      const { revision, value } = await this.#kept.load<Holder>(stream);
      if (value?.holder === this.#self) await this.#put(stream, revision, null);
    };
    return { lost: lost.signal, release: () => within(this.#lookMs, release()).catch(() => {}) };
  }

  async #renew(stream: string, over: AbortSignal): Promise<void> {
    for (let last = performance.now(); !over.aborted; ) {
      await pause(this.#renewMs, over);
      if (over.aborted) return;
      const began = performance.now();
      // Whoever cannot renew before others may take over must be gone by then.
      const left = last + this.#heldMs - this.#renewMs - began;
      const { value, revision } = await within(left, this.#kept.load<Holder>(stream));
      if (value?.holder !== this.#self) return;
      if (!(await within(left, this.#put(stream, revision, this.#self)))) return;
      last = began;
    }
  }

  /** Whether the stream was still at this revision. */
  async #put(stream: string, revision: number, holder: string | null): Promise<boolean> {
    const next = { holder, beat: revision + 1 };
    const put = await this.#kept.change<Holder>(stream, 'LeaseHeld', (_, now) => (now === revision ? next : null));
    return put.revision === revision + 1 && put.value?.holder === holder;
  }
}
