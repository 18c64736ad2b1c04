import type {
  AppendRequest,
  AppendResult,
  Checkpoint,
  EventStore,
  Lease,
  LedgerInfo,
  LedgerWatcher,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  Snapshot,
  StoredReceipt,
  StreamReceipt,
  SubscribeOptions,
  SubscriptionMessage,
} from '../../src/store/event-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import type { Random } from '../support/random.ts';
import type { Exertion } from './exertion.ts';
import type { LeaseDesk } from './lease-desk.ts';
import type { Weather } from './weather.ts';

interface Sent {
  readonly request: AppendRequest;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

export interface ProcessStoreOptions {
  readonly ledger: EventStore;
  readonly engine: LedgerInfo['engine'];
  readonly weather: Weather;
  readonly random: Random;
  readonly desk: LeaseDesk;
  readonly exertion: Exertion;
}

/** What is awaited by whoever died. One promise for all would keep the dead, and their worlds with them. */
const never = (): Promise<never> => new Promise(() => {});

/**
 * The ledger as one process sees it: appends arrive in the order in which they were sent, but later; answers and reads are
 * late, fail, or are lost. When the process dies, what it has sent may still be written, and nothing comes back to it.
 */
export class ProcessStore implements EventStore {
  readonly info: LedgerInfo;
  readonly #options: ProcessStoreOptions;
  readonly #ledger: EventStore;
  readonly #died = new AbortController();
  #sent: Sent[] = [];
  #held: (() => void)[] = [];

  constructor(options: ProcessStoreOptions) {
    this.#options = options;
    this.#ledger = options.ledger;
    this.info = { ...options.ledger.info, engine: options.engine };
  }

  get isDead(): boolean {
    return this.#died.signal.aborted;
  }

  /** Whether something is on its way. */
  get isBusy(): boolean {
    return this.#sent.length + this.#held.length > 0;
  }

  /** Some of what is on its way arrives. */
  deliver(): void {
    const { random } = this.#options;
    for (let count = random.oneOf([0, 1, 2, this.#sent.length]); count > 0 && this.#sent.length > 0; count--) {
      this.#write(this.#sent.shift()!);
    }
    for (let count = random.oneOf([0, 1, 2, this.#held.length]); count > 0 && this.#held.length > 0; count--) {
      this.#held.splice(random.below(this.#held.length), 1)[0]!();
    }
  }

  deliverAll(): void {
    for (const sent of this.#sent.splice(0)) this.#write(sent);
    for (const release of this.#held.splice(0)) release();
  }

  die(): void {
    const written = this.#options.random.below(this.#sent.length + 1);
    for (const { request } of this.#sent.splice(0).slice(0, written)) this.#ledger.append(request).catch(() => {});
    this.#held = [];
    this.#died.abort();
  }

  append(request: AppendRequest): Promise<AppendResult> {
    if (this.isDead) return never();
    return new Promise((resolve, reject) => {
      this.#options.exertion.spend();
      const sent = { request, resolve, reject };
      if (this.#sent.length > 0 || this.#options.weather.holdsUp) this.#sent.push(sent);
      else this.#write(sent);
    });
  }

  #write({ request, resolve, reject }: Sent): void {
    const { fate } = this.#options.weather;
    if (fate === 'not-written') {
      this.#answer(() => reject(new StoreError({ code: 'not-writable', reason: 'the disk is full' })));
      return;
    }
    const answered = (answer: () => void): void => {
      if (fate === 'answer-late' && !this.isDead) this.#held.push(() => this.#answer(answer));
      else this.#answer(answer);
    };
    this.#ledger.append(request).then(
      (result) =>
        fate === 'answer-lost'
          ? this.#answer(() => reject(new StoreError({ code: 'not-writable', reason: 'the answer was lost' })))
          : answered(() => resolve(result)),
      (error) => answered(() => reject(error)),
    );
  }

  #answer(answer: () => void): void {
    if (!this.isDead) answer();
  }

  /** @throws StoreError where the weather is bad */
  async #arrive(): Promise<void> {
    if (this.isDead) return never();
    this.#options.exertion.spend();
    const { weather } = this.#options;
    if (weather.holdsUp) await new Promise<void>((resolve) => this.#held.push(resolve));
    if (this.isDead) return never();
    if (weather.failsRead) throw new StoreError({ code: 'unreachable', reason: 'the connection was cut' });
  }

  async *readStream(stream: string, options?: ReadStreamOptions): AsyncGenerator<RecordedEvent> {
    await this.#arrive();
    yield* this.#ledger.readStream(stream, options);
  }

  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent> {
    return this.#ledger.readAll(options);
  }

  subscribe({ signal, ...options }: SubscribeOptions = {}): AsyncIterable<SubscriptionMessage> {
    const died = this.#died.signal;
    return this.#ledger.subscribe({ ...options, signal: signal ? AbortSignal.any([signal, died]) : died });
  }

  async head(): Promise<string> {
    return this.isDead ? never() : this.#ledger.head();
  }

  async findReceipt(stream: string, commandId: string): Promise<StoredReceipt | null> {
    await this.#arrive();
    return this.#ledger.findReceipt(stream, commandId);
  }

  readReceipts(): AsyncIterable<StreamReceipt> {
    return this.#ledger.readReceipts();
  }

  async loadSnapshot(stream: string): Promise<Snapshot | null> {
    await this.#arrive();
    return this.#ledger.loadSnapshot(stream);
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    await this.#arrive();
    await this.#ledger.saveSnapshot(snapshot);
  }

  readSnapshots(): AsyncIterable<Snapshot> {
    return this.#ledger.readSnapshots();
  }

  async loadCheckpoint(name: string): Promise<string | null> {
    return this.isDead ? never() : this.#ledger.loadCheckpoint(name);
  }

  async saveCheckpoint(checkpoint: Checkpoint): Promise<void> {
    await this.#arrive();
    await this.#ledger.saveCheckpoint(checkpoint);
  }

  async readCheckpoints(): Promise<readonly Checkpoint[]> {
    return this.isDead ? never() : this.#ledger.readCheckpoints();
  }

  watch({ stored, announced }: LedgerWatcher): void {
    this.#ledger.watch({
      stored: (events) => this.#answer(() => stored(events)),
      announced,
    });
    this.#options.desk.listen(this.#died.signal, announced);
  }

  async announce(text: string): Promise<void> {
    if (!this.isDead) this.#options.desk.announce(text);
  }

  async lease(name: string, stop: AbortSignal): Promise<Lease | null> {
    return this.#options.desk.lease(name, stop, this.#died.signal);
  }

  async close(): Promise<void> {}
}
