import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { Clock } from '../clock.ts';
import type { Runtime } from '../runtime.ts';
import type { DeadLetter } from './dead-letter.ts';

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
  /** Takes down with a port what Nova did not want to know of it. */
  readonly runtime: Pick<Runtime, 'execute'>;
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
  /** It could not be written down with its port. */
  recordFailed?(letter: DeadLetter, error: unknown): void;
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
  /** Given up since the start. */
  readonly deadLettered: number;
  /** Events of ports that cannot be folded. */
  readonly skipped: number;
}
