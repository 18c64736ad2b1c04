import { checkAppend, faultOf, judgeAppend } from '../append-rules.ts';
import {
  type AppendRequest,
  type AppendResult,
  type Checkpoint,
  type EventStore,
  formatPosition,
  type Lease,
  type LedgerInfo,
  type LedgerWatcher,
  type ReadAllOptions,
  type ReadStreamOptions,
  RecordedEvent,
  type Snapshot,
  type StoredReceipt,
  type StreamReceipt,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '../event-store.ts';
import { EventTail } from '../event-tail.ts';
import { type IdentityOptions, newIdentity } from '../identity.ts';
import { LiveLog } from '../live-log.ts';
import { replacesSnapshot } from '../snapshots.ts';
import { ownLease } from '../sole-process.ts';
import { StoreError } from '../store-error.ts';
import { MemoryStream, storedReceipt } from './memory-stream.ts';

interface PendingAppend {
  readonly request: AppendRequest;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * A ledger that lives as long as its process: for tests, simulations and `memory:`. It settles in microtasks only, so a
 * simulated world around it needs no real timers and runs the same every time.
 */
export class MemoryStore implements EventStore {
  readonly info: LedgerInfo;
  readonly #streams = new Map<string, MemoryStream>();
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #checkpoints = new Map<string, string>();
  readonly #watchers: LedgerWatcher[] = [];
  readonly #log = new LiveLog(new EventTail(0, { maxEvents: Infinity, maxBytes: Infinity }), nothingIsOlder);
  #pending: PendingAppend[] = [];
  #committing: Promise<void> = Promise.resolve();
  #closing = false;

  constructor(options: IdentityOptions = {}) {
    this.info = { ...newIdentity(options), engine: 'memory' };
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    this.#requireOpen();
    checkAppend(request);
    return new Promise((resolve, reject) => {
      this.#pending.push({ request, resolve, reject });
      if (this.#pending.length === 1) this.#committing = Promise.resolve().then(() => this.#commit());
    });
  }

  readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<RecordedEvent> {
    const readPage = (from: number, backwards: boolean, limit: number) =>
      this.#past(stream).page(from, backwards, limit);
    return this.#log.readStream(readPage, options);
  }

  readAll(options: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    return this.#log.readAll(options);
  }

  subscribe(options: SubscribeOptions = {}): AsyncIterable<SubscriptionMessage> {
    return this.#log.subscribe(options);
  }

  async head(): Promise<string> {
    this.#requireOpen();
    return formatPosition(this.#log.head);
  }

  async findReceipt(stream: string, commandId: string): Promise<StoredReceipt | null> {
    this.#requireOpen();
    const receipt = this.#past(stream).receipt(commandId);
    return receipt ? storedReceipt(commandId, receipt) : null;
  }

  readReceipts(): AsyncIterable<StreamReceipt> {
    const inOrder = [...this.#streams].flatMap(([stream, past]) => past.receipts(stream));
    inOrder.sort(byPositionAndCommand);
    return this.#log.readRows(pagesOf(inOrder));
  }

  async loadSnapshot(stream: string): Promise<Snapshot | null> {
    this.#requireOpen();
    return this.#snapshots.get(stream) ?? null;
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#requireOpen();
    if (replacesSnapshot(this.#snapshots.get(snapshot.stream), snapshot, this.#past(snapshot.stream).revision))
      this.#snapshots.set(snapshot.stream, { ...snapshot });
  }

  async loadCheckpoint(name: string): Promise<string | null> {
    this.#requireOpen();
    return this.#checkpoints.get(name) ?? null;
  }

  async saveCheckpoint({ name, position }: Checkpoint): Promise<void> {
    this.#requireOpen();
    this.#checkpoints.set(name, position);
  }

  async readCheckpoints(): Promise<readonly Checkpoint[]> {
    this.#requireOpen();
    const checkpoints = [...this.#checkpoints].map(([name, position]) => ({ name, position }));
    return checkpoints.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  watch(watcher: LedgerWatcher): void {
    this.#watchers.push(watcher);
  }

  async announce(): Promise<void> {}

  async lease(): Promise<Lease> {
    return ownLease;
  }

  readSnapshots(): AsyncIterable<Snapshot> {
    return this.#log.readRows(pagesOf([...this.#snapshots.values()]));
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#committing;
    this.#log.close();
  }

  /** Appends that came in the same turn are committed together, in order, and seen by readers together. */
  #commit(): void {
    const batch = this.#pending;
    this.#pending = [];
    const committed: RecordedEvent[] = [];
    const answers = batch.map(({ request, resolve, reject }) => {
      const outcome = this.#decide(request, committed);
      return () => (outcome instanceof StoreError ? reject(outcome) : resolve(outcome));
    });
    for (const watcher of this.#watchers) watcher.stored(committed);
    this.#log.push(committed);
    for (const answer of answers) answer();
  }

  #decide(request: AppendRequest, committed: RecordedEvent[]): AppendResult | StoreError {
    const past = this.#past(request.stream);
    const verdict = judgeAppend(request, past);
    const fault = faultOf(request, verdict);
    if (fault) return new StoreError(fault);
    if (verdict.kind === 'repeat') return { revision: verdict.revision, position: formatPosition(verdict.position) };
    return this.#write(request, committed);
  }

  #write({ stream, events, receipt }: AppendRequest, committed: RecordedEvent[]): AppendResult {
    const written = this.#streams.get(stream) ?? new MemoryStream();
    this.#streams.set(stream, written);
    const first = this.#log.head + committed.length + 1;
    for (const [index, event] of events.entries()) {
      const recorded = new RecordedEvent(stream, written.revision + 1, formatPosition(first + index), event);
      written.add(recorded);
      committed.push(recorded);
    }
    if (receipt) written.keepReceipt(receipt, events.length);
    return { revision: written.revision, position: formatPosition(written.position) };
  }

  #past(stream: string): MemoryStream {
    return this.#streams.get(stream) ?? neverWritten;
  }

  #requireOpen(): void {
    if (this.#closing) throw new StoreError({ code: 'closed' });
  }
}

const byPositionAndCommand = (a: StreamReceipt, b: StreamReceipt): number =>
  Number(a.position) - Number(b.position) || (a.commandId < b.commandId ? -1 : 1);

const pagesOf =
  <T>(rows: readonly T[]) =>
  (last: T | null, limit: number): readonly T[] => {
    const start = last === null ? 0 : rows.indexOf(last) + 1;
    return rows.slice(start, start + limit);
  };

const neverWritten = new MemoryStream();

/** The tail begins with the ledger, so no position is before it. */
const nothingIsOlder = (after: number) => ({ events: [], considered: after });
