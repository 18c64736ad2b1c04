import { setTimeout as pause } from 'node:timers/promises';
import type { AllStreamSubscription, ResolvedEvent } from '@eventstore/db-client';
import type { RecordedEvent } from '../event-store.ts';
import { StoreError } from '../store-error.ts';
import { announcementIn, announcementStream } from './announcements.ts';
import { backOff, TimeLimitError } from './attempts.ts';
import { numberOf, placeOf } from './calls.ts';
import type { Connection } from './connection.ts';
import { idleReceiptIn, subjectOf } from './idle-receipts.ts';
import type { KnownStreams } from './known-streams.ts';
import { decode } from './wire-event.ts';

export interface FeedOptions {
  readonly connection: Connection;
  readonly known: KnownStreams;
  /** Where it begins. */
  readonly position: number;
  /** Events of the ledger, in order, whole appends at a time. */
  readonly onEvents: (events: readonly RecordedEvent[]) => void;
  readonly onAnnouncement: (text: string) => void;
  /** Settles when the append that brought an event is answered, where this process made it; nobody sees it before. */
  readonly answered: (eventId: string) => Promise<void> | undefined;
}

interface Awaiting {
  readonly position: number;
  readonly resolve: () => void;
}

/**
 * The one subscription of a process: everything that is stored, by whichever process, in order. It feeds the subscribers
 * and keeps what this process remembers of streams up to date. However it ends, it begins again after its last event.
 */
export class Feed {
  readonly #options: FeedOptions;
  #position: number;
  /** Events that have come and are not passed on yet, the first so many of them whole appends. */
  #gathered: RecordedEvent[] = [];
  #whole = 0;
  #wholeUpTo = 0;
  /** Appends of this process among them that are not answered yet. */
  #unanswered: Promise<void>[] = [];
  #flushing = false;
  #awaiting: Awaiting[] = [];
  #cut: (error: unknown) => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  start(): void {
    this.#options.connection.onReplaced((error) => this.#cut(error));
    this.#running = this.#run();
  }

  /**
   * Settles when everything up to a position has been passed on. Where that takes too long the subscription is taken for
   * dead and begun again.
   * @throws StoreError unreachable | closed
   */
  async reached(position: number): Promise<void> {
    const { limits, closed } = this.#options.connection;
    const end = performance.now() + limits.patienceMs;
    while (this.#position < position) {
      if (closed.aborted) throw new StoreError({ code: 'closed' });
      if (performance.now() > end) throw this.#options.connection.unreachable(new TimeLimitError(limits.patienceMs));
      if (!(await this.#within(position, limits.callMs))) this.#cut(new TimeLimitError(limits.callMs));
    }
  }

  async stop(): Promise<void> {
    this.#cut(new StoreError({ code: 'closed' }));
    for (const { resolve } of this.#awaiting.splice(0)) resolve();
    await this.#running;
  }

  #within(position: number, milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting = { position, resolve: () => settle(true) };
      const settle = (reached: boolean): void => {
        clearTimeout(timer);
        this.#awaiting = this.#awaiting.filter((other) => other !== waiting);
        resolve(reached);
      };
      const timer = setTimeout(() => settle(false), milliseconds);
      this.#awaiting.push(waiting);
    });
  }

  async #run(): Promise<void> {
    const { connection } = this.#options;
    for (let failures = 0; !connection.closed.aborted; failures++) {
      const before = this.#position;
      const { client } = connection;
      try {
        await this.#subscribe(client.subscribeToAll({ fromPosition: this.#from() }));
      } catch (error) {
        connection.doubt(client, error);
      }
      if (this.#position > before) failures = 0;
      this.#forgetGathered();
      await pause(backOff(failures), undefined, { signal: connection.closed }).catch(() => {});
    }
  }

  #from(): 'start' | ReturnType<typeof placeOf> {
    return this.#position === 0 ? 'start' : placeOf(this.#position);
  }

  /** Settles when the subscription is over, for whatever reason. */
  #subscribe(subscription: AllStreamSubscription): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        subscription.off('data', take);
        void subscription.unsubscribe().catch(() => {});
        settle();
      };
      const take = (resolved: ResolvedEvent): void => this.#take(resolved);
      this.#cut = (error) => end(() => reject(error));
      subscription.on('data', take);
      subscription.on('error', (error) => end(() => reject(error)));
      subscription.once('end', () => end(resolve));
      subscription.once('close', () => end(resolve));
    });
  }

  #take(resolved: ResolvedEvent): void {
    const position = numberOf(resolved);
    if (position <= this.#position && this.#position > 0) return;
    const { known } = this.#options;
    const stored = decode(resolved);
    const subject = stored ? null : subjectOf(resolved.event?.streamId ?? '');
    if (stored) {
      this.#gathered.push(stored.event);
      const answered = this.#options.answered(stored.event.id);
      if (answered) this.#unanswered.push(answered);
      known.peek(stored.event.stream)?.note(stored.event, stored.receipt);
    }
    if (subject !== null) {
      const { commandId, ...receipt } = idleReceiptIn(resolved.event!.data);
      known.peek(subject)?.noteIdle(Number(resolved.event!.revision), commandId, receipt);
    }
    if (resolved.event?.streamId === announcementStream)
      this.#options.onAnnouncement(announcementIn(resolved.event.data));
    if (stored && stored.left > 0) return;
    this.#whole = this.#gathered.length;
    this.#wholeUpTo = position;
    this.#flushSoon();
  }

  /** At the end of this turn, or when this process's own appends are answered: what else arrives until then goes along. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    void Promise.all(this.#unanswered.splice(0)).then(() =>
      setImmediate(() => {
        this.#flushing = false;
        if (this.#unanswered.length > 0) this.#flushSoon();
        else this.#flush();
      }),
    );
  }

  #flush(): void {
    this.#options.onEvents(this.#gathered.splice(0, this.#whole));
    this.#whole = 0;
    this.#position = Math.max(this.#position, this.#wholeUpTo);
    for (const { position, resolve } of [...this.#awaiting]) if (position <= this.#position) resolve();
  }

  /** What was not passed on comes again. */
  #forgetGathered(): void {
    this.#gathered = [];
    this.#whole = 0;
    this.#wholeUpTo = this.#position;
    this.#unanswered = [];
  }
}
