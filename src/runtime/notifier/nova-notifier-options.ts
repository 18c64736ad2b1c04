import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { Clock } from '../clock.ts';
import type { DeadLetter } from './dead-letters.ts';

export interface NovaNotifierOptions {
  /** Nova's compute endpoint, such as `http://nova:8774/v2.1`. */
  readonly url: string;
  readonly token?: string;
  /** After one request the next follows so much later, unless a whole batch is ready before. */
  readonly batchMs: number;
  readonly maxBatch: number;
  /** How long Nova may take to answer. */
  readonly timeoutMs: number;
  readonly store: EventStore;
  /** The aggregate of ports, which folds them. */
  readonly ports: Aggregate;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** From 0 to 1, as `Math.random`. */
  readonly random: () => number;
  /** Aborts where another process tells Nova from now on: the checkpoint is its own then. */
  readonly lost?: AbortSignal;
  readonly observer?: NovaNotifierObserver;
}

/** Everything here may be logged: there is no secret in it. */
export interface NovaNotifierObserver {
  deadLettered?(letter: DeadLetter): void;
  /** Nova does not take anything. Called once, until `deliveryResumed`. */
  deliveryFailed?(detail: string): void;
  deliveryResumed?(): void;
  /** The port's own story cannot be folded up to this event, so nobody knows whom it would tell what. */
  eventSkipped?(position: string, error: Error): void;
  /** The ledger cannot be read; it is tried again from there. */
  followFailed?(error: unknown): void;
  checkpointFailed?(error: unknown): void;
}

export interface NovaNotifierHealth {
  readonly state: 'delivering' | 'retrying' | 'stopped';
  /** Up to here everything is settled. */
  readonly position: string;
  /** Notifications read and not settled; there may be more in the ledger when there are many. */
  readonly waiting: number;
  /** When the oldest of them happened. */
  readonly oldestAt: string | null;
  /** What Nova said, or did not, and when it is tried again; null while it takes what it is sent. */
  readonly failure: {
    readonly since: string;
    readonly attempts: number;
    readonly detail: string;
    readonly retryAt: string;
  } | null;
  readonly accepted: number;
  /** Since the start: given up; of these kept now; of these not kept because there were too many. */
  readonly deadLettered: number;
  readonly deadLetters: number;
  readonly deadLettersDropped: number;
  /** Events of ports that cannot be folded. */
  readonly skipped: number;
}
