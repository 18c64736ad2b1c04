import { formatPosition, parsePosition, type RecordedEvent } from '../../store/event-store.ts';
import { timestamp } from '../clock.ts';
import { beginningOf, checkpointName } from './checkpoint.ts';
import { type DeadLetter, recordDeadLetter } from './dead-letter.ts';
import { type Notification, Notifications, tellingTypes, UnfoldablePort } from './notification.ts';
import { type ItemAnswer, type NovaAnswer, NovaEndpoint } from './nova-endpoint.ts';
import type { NovaNotifierHealth, NovaNotifierOptions } from './nova-notifier-options.ts';
import { type Entry, Queue } from './queue.ts';
import { Signal } from './signal.ts';

/** Where nothing is to be told, the checkpoint is kept so often. */
const checkpointMs = 60_000;
/** Notifications read ahead; the rest waits in the ledger. */
const window = 1024;
const firstRetryMs = 1000;
const longestRetryMs = 60_000;
/** A longer wait is not believed. */
const longestRetryAfterMs = 3_600_000;
/** Nova may stumble so often before the events are looked at one by one. */
const faultsForgiven = 5;

/**
 * Tells Nova what ports tell their servers, as Neutron does: at least once, in the order of the ledger. It follows the
 * log from its checkpoint; one that never ran begins at the end of the ledger, since the past is no news.
 *
 * @example
 * const notifier = new NovaNotifier({ url, batchMs: 2000, maxBatch: 64, timeoutMs: 10_000, store, ports, clock, fetch, random: Math.random });
 * await notifier.start();
 */
export class NovaNotifier {
  readonly #options: NovaNotifierOptions;
  readonly #endpoint: NovaEndpoint;
  readonly #notifications: Notifications;
  readonly #queue: Queue;
  readonly #stop = new AbortController();
  readonly #changed = new Signal();
  readonly #rested = new Signal();
  #running: Promise<unknown> = Promise.resolve();
  /** Everything up to here was considered. */
  #read = '';
  #savedAt = 0;
  /** No request is sent before; a full batch need not wait, except while Nova recovers. */
  #dueAt = 0;
  #failure: { since: number; attempts: number; detail: string } | null = null;
  /** Answers in a row that say that Nova stumbled. */
  #faults = 0;
  #accepted = 0;
  #deadLettered = 0;
  #skipped = 0;
  #isResting = false;

  /** @throws RangeError for a URL or a token that cannot be */
  constructor(options: NovaNotifierOptions) {
    this.#options = options;
    this.#endpoint = new NovaEndpoint(options);
    this.#notifications = new Notifications(options.store, options.ports);
    this.#queue = new Queue(options.maxBatch);
  }

  /** Settles when it is certain where it begins: what is recorded from then on is told. */
  async start(): Promise<void> {
    this.#read = await beginningOf(this.#options, this.#stop.signal);
    this.#savedAt = this.#options.clock.now();
    this.#running = Promise.all([this.#follow(), this.#deliver()]);
  }

  /** A request on its way is given up, and sent again by the next start. */
  async stop(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#changed.fire();
    await this.#running;
    this.#rested.fire();
    if (this.#read !== '') await this.#keepCheckpoint();
  }

  /** Up to here everything is settled; null where this one is not at work. */
  get workingPosition(): string | null {
    return this.#stop.signal.aborted || this.#read === '' ? null : this.#position();
  }

  health(): NovaNotifierHealth {
    return {
      state: this.#stop.signal.aborted ? 'stopped' : this.#failure ? 'retrying' : 'delivering',
      position: this.#position(),
      waiting: this.#queue.length,
      oldestAt: this.#queue.oldest?.time ?? null,
      failure: this.#failure && {
        since: timestamp(this.#failure.since),
        attempts: this.#failure.attempts,
        detail: this.#failure.detail,
        retryAt: timestamp(this.#dueAt),
      },
      accepted: this.#accepted,
      deadLettered: this.#deadLettered,
      skipped: this.#skipped,
    };
  }

  /** Settles when all that is recorded was considered, and nothing is left to do before the clock moves on. For tests. */
  async idle(): Promise<void> {
    const head = await this.#options.store.head();
    while (!this.#stop.signal.aborted && !(this.#read >= head && this.#isResting)) await this.#rested.wait();
  }

  async #follow(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#stop.signal.aborted) {
      try {
        await this.#readOn();
        return;
      } catch (error) {
        this.#options.observer?.followFailed?.(error);
        const at = clock.now() + firstRetryMs;
        const cancel = clock.schedule(at, () => this.#changed.fire());
        while (clock.now() < at && !this.#stop.signal.aborted) await this.#changed.wait();
        cancel();
      }
    }
  }

  async #readOn(): Promise<void> {
    const { store } = this.#options;
    const { signal } = this.#stop;
    const filter = { streamPrefixes: ['port-'], types: tellingTypes };
    for await (const message of store.subscribe({ after: this.#read, filter, signal })) {
      if (message.kind === 'event') {
        const notification = await this.#notificationOf(message.event);
        while (this.#queue.length >= window && !signal.aborted) await this.#changed.wait();
        if (signal.aborted) return;
        if (notification) this.#queue.push(notification);
      }
      this.#read = message.kind === 'event' ? message.event.position : message.position;
      this.#wake();
      if (this.#options.clock.now() - this.#savedAt >= checkpointMs) await this.#keepCheckpoint();
    }
  }

  /** A port that cannot be folded will not be folded later either: the others go on. */
  async #notificationOf(recorded: RecordedEvent): Promise<Notification | null> {
    const { observer } = this.#options;
    try {
      return await this.#notifications.of(recorded);
    } catch (error) {
      if (!(error instanceof UnfoldablePort)) throw error;
      this.#skipped += 1;
      observer?.eventSkipped?.(recorded.position, error);
      return null;
    }
  }

  async #deliver(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#rest(() => this.#isTime());
      if (signal.aborted) return;
      const batch = this.#queue.next();
      for (const entry of batch) entry.attempts += 1;
      const sentAt = this.#options.clock.now();
      const events = batch.map((entry) => entry.notification.event);
      const answer = await this.#endpoint.post(events, signal);
      if (signal.aborted) return;
      await this.#take(answer, batch, sentAt);
      if (answer.kind !== 'unavailable') await this.#keepCheckpoint();
      this.#wake();
    }
  }

  #isTime(): boolean {
    if (this.#queue.length === 0) return false;
    return this.#options.clock.now() >= this.#dueAt || (this.#queue.isFull && !this.#failure);
  }

  async #take(answer: NovaAnswer, batch: readonly Entry[], sentAt: number): Promise<void> {
    if (answer.kind === 'unavailable') return this.#unavailable(answer, batch);
    this.#recovered();
    if (answer.kind === 'answered') {
      await Promise.all(batch.map((entry, index) => this.#judge(entry, answer.items[index]!)));
      this.#queue.settle(batch);
    } else if (this.#queue.findCulprit(batch)) {
      await this.#giveUp(batch[0]!, answer);
    }
    this.#dueAt = answer.kind === 'refused' || this.#queue.isSearching ? sentAt : sentAt + this.#options.batchMs;
  }

  async #judge(entry: Entry, item: ItemAnswer): Promise<void> {
    if (item.accepted) this.#accepted += 1;
    else await this.#bury(entry, item);
  }

  async #giveUp(entry: Entry, answer: DeadLetter['answer']): Promise<void> {
    await this.#bury(entry, answer);
    this.#queue.settle([entry]);
  }

  /** The checkpoint passes it when it is written down. */
  async #bury({ notification, attempts }: Entry, { code, detail }: DeadLetter['answer']): Promise<void> {
    const { runtime, observer } = this.#options;
    const letter = { ...notification, answer: { code, detail }, attempts };
    this.#deadLettered += 1;
    observer?.deadLettered?.(letter);
    await recordDeadLetter(runtime, letter).catch((error) => observer?.recordFailed?.(letter, error));
  }

  async #unavailable(answer: Extract<NovaAnswer, { kind: 'unavailable' }>, batch: readonly Entry[]): Promise<void> {
    const { clock, random, observer } = this.#options;
    const now = clock.now();
    if (!this.#failure) observer?.deliveryFailed?.(answer.detail);
    const attempts = (this.#failure?.attempts ?? 0) + 1;
    this.#failure = { since: this.#failure?.since ?? now, attempts, detail: answer.detail };
    this.#dueAt = now + Math.max(backOffMs(attempts, random), Math.min(answer.retryAfterMs, longestRetryAfterMs));

    this.#faults = answer.fault ? this.#faults + 1 : 0;
    if (this.#faults < faultsForgiven && !this.#queue.isSearching) return;
    if (answer.fault && this.#queue.findPoison(batch)) await this.#giveUp(batch[0]!, answer);
  }

  #recovered(): void {
    this.#faults = 0;
    if (!this.#failure) return;
    this.#failure = null;
    this.#options.observer?.deliveryResumed?.();
  }

  #position(): string {
    const first = this.#queue.oldest;
    return first ? formatPosition(parsePosition(first.position) - 1) : this.#read;
  }

  /** One that is lost or old costs time: Nova is told the same again. */
  async #keepCheckpoint(): Promise<void> {
    const { store, clock, lost, observer } = this.#options;
    if (lost?.aborted) return;
    this.#savedAt = clock.now();
    const checkpoint = { name: checkpointName, position: this.#position() };
    await store.saveCheckpoint(checkpoint).catch((error) => observer?.checkpointFailed?.(error));
  }

  /** Waits for the clock or for more to tell, whichever makes `isOver` come true. */
  async #rest(isOver: () => boolean): Promise<void> {
    const { clock } = this.#options;
    while (!isOver() && !this.#stop.signal.aborted) {
      const cancel = this.#queue.length > 0 ? clock.schedule(this.#dueAt, () => this.#wake()) : () => {};
      this.#isResting = true;
      this.#rested.fire();
      await this.#changed.wait();
      cancel();
    }
    this.#isResting = false;
  }

  #wake(): void {
    this.#isResting = false;
    this.#changed.fire();
  }
}

/** Doubles from try to try. Half of it is chance, so that ledgers that failed together do not come back together. */
function backOffMs(attempts: number, random: () => number): number {
  const full = Math.min(firstRetryMs * 2 ** (attempts - 1), longestRetryMs);
  return full / 2 + (random() * full) / 2;
}
