import { faultOf } from '../append-rules.ts';
import {
  type AppendRequest,
  type AppendResult,
  type Checkpoint,
  formatPosition,
  RecordedEvent,
  type Snapshot,
} from '../event-store.ts';
import { StoreError } from '../store-error.ts';
import { encodeBatch, type FromWriter } from './protocol.ts';
import { reasonOf, type SqliteFault } from './sqlite-fault.ts';
import type { StartWriter, WriterThread } from './start-writer.ts';

export interface WriterQueueOptions {
  readonly start: StartWriter;
  /** Events that are safe on disk, in order, before their appends are answered. */
  readonly onCommitted: (events: readonly RecordedEvent[]) => void;
  /** Where the ledger stands, when a writer starts. */
  readonly onHead: (head: number) => void;
}

/** A call that waits for its answer. */
interface Waiting<Request, Result> {
  readonly request: Request;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: StoreError) => void;
}
type WaitingAppend = Waiting<AppendRequest, AppendResult>;
type WaitingSnapshot = Waiting<Snapshot, void>;
type WaitingCheckpoint = Waiting<Checkpoint, void>;

interface WaitingBatch {
  readonly appends: readonly WaitingAppend[];
  readonly snapshots: readonly WaitingSnapshot[];
  readonly checkpoints: readonly WaitingCheckpoint[];
}

/**
 * What one transaction may carry: enough that the fsync costs each append next to nothing, and so little that the appends
 * behind it do not wait for long, and the next ones are decided while it is written.
 */
const maxBatchAppends = 512;
const maxBatchBytes = 8_000_000;
/** Fewer appends than these are not worth an fsync of their own before the turn is over. */
const minHalf = 16;

/**
 * Group commit: what arrives while a transaction is being written goes into the next one, so the price of the fsync is
 * shared by all who wait. Callers that wait for their answers before they bring more would all end up in one transaction,
 * and then the writer has nothing to do while they go on, nor they while it writes. So half of what is under way is
 * enough for one. A writer that dies takes the batch it had with it and is started again with the next.
 */
export class WriterQueue {
  readonly #options: WriterQueueOptions;
  #writer: WriterThread | null = null;
  #appends: WaitingAppend[] = [];
  #snapshots: WaitingSnapshot[] = [];
  #checkpoints: WaitingCheckpoint[] = [];
  #inFlight: WaitingBatch | null = null;
  #flushScheduled = false;
  /** Appends that are not held back for others to come: half of what was under way when the last batch landed. */
  #enough = maxBatchAppends;
  #openingFault: SqliteFault | null = null;
  #onIdle: (() => void) | null = null;
  #onExit: (() => void) | null = null;

  constructor(options: WriterQueueOptions) {
    this.#options = options;
    this.#writer = this.#start();
  }

  append(request: AppendRequest, bytes: number): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.#appends.push({ request, bytes, resolve, reject });
      this.#flushSoon();
    });
  }

  saveSnapshot(request: Snapshot): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#snapshots.push({ request, bytes: request.state.length, resolve, reject });
      this.#flushSoon();
    });
  }

  saveCheckpoint(request: Checkpoint): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#checkpoints.push({ request, bytes: request.name.length, resolve, reject });
      this.#flushSoon();
    });
  }

  /** Settles when everything handed in is answered. */
  async drained(): Promise<void> {
    if (!this.#isIdle) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Settles when the writer is gone. Nothing may wait in the queue, nor be handed in after. */
  async stop(): Promise<void> {
    const writer = this.#writer;
    if (!writer) return;
    await new Promise<void>((resolve) => {
      this.#onExit = resolve;
      writer.send({ kind: 'close' });
    });
  }

  get #isIdle(): boolean {
    const waiting = this.#appends.length + this.#snapshots.length + this.#checkpoints.length;
    return !this.#inFlight && waiting === 0;
  }

  /** At the end of this turn of the event loop, so that what else arrives in it goes along; at once when that is enough. */
  #flushSoon(): void {
    if (this.#inFlight) return;
    if (this.#appends.length >= this.#enough) {
      this.#flush();
      return;
    }
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    setImmediate(() => {
      this.#flushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#inFlight) return;
    if (this.#isIdle) {
      this.#enough = maxBatchAppends; // nobody came back in a whole turn: who comes next is not in step with anybody
      return;
    }
    const checkpoints = this.#checkpoints.splice(0);
    const batch = { appends: takeUpTo(this.#appends), snapshots: takeUpTo(this.#snapshots), checkpoints };
    this.#appends = this.#appends.slice(batch.appends.length);
    this.#snapshots = this.#snapshots.slice(batch.snapshots.length);
    this.#inFlight = batch;
    this.#writer ??= this.#start();
    const appends = batch.appends.map(({ request }) => request);
    const snapshots = batch.snapshots.map(({ request }) => request);
    const encoded = encodeBatch({ appends, snapshots, checkpoints: checkpoints.map(({ request }) => request) });
    this.#writer.send({ kind: 'commit', batch: encoded });
  }

  #start(): WriterThread {
    this.#openingFault = null;
    return this.#options.start({
      onMessage: (message) => this.#receive(message),
      onExit: (error) => this.#exited(error),
    });
  }

  #receive(message: FromWriter): void {
    if (message.kind === 'ready') this.#options.onHead(message.head);
    if (message.kind === 'unready') this.#openingFault = message.fault;
    if (message.kind === 'committed') this.#answer(this.#landed(), message);
    if (message.kind === 'failed') refuse(this.#landed(), notWritable(reasonOf(message.fault), message.fault));
    this.#next();
  }

  /** The batch the writer had, whatever became of it. The next goes to the writer first, if it is worth it by now. */
  #landed(): WaitingBatch {
    const batch = this.#inFlight ?? { appends: [], snapshots: [], checkpoints: [] };
    this.#inFlight = null;
    const half = Math.ceil((batch.appends.length + this.#appends.length) / 2);
    this.#enough = half < minHalf ? maxBatchAppends : Math.min(half, maxBatchAppends);
    if (this.#appends.length >= this.#enough) this.#flush();
    return batch;
  }

  #answer(
    { appends, snapshots, checkpoints }: WaitingBatch,
    { first, exceptions }: FromWriter & { kind: 'committed' },
  ): void {
    const verdicts = new Map(exceptions);
    const events: RecordedEvent[] = [];
    const answers = appends.map(({ request, resolve, reject }, index) => {
      const verdict = verdicts.get(index);
      if (verdict?.kind === 'repeat') {
        const { revision, position } = verdict;
        return () => resolve({ revision, position: formatPosition(position) });
      }
      const fault = verdict && faultOf(request, verdict);
      if (fault) return () => reject(new StoreError(fault));
      const last = record(request, first + events.length, events);
      return () => resolve({ revision: last.revision, position: last.position });
    });
    this.#options.onCommitted(events);
    for (const answer of answers) answer();
    for (const { resolve } of snapshots) resolve();
    for (const { resolve } of checkpoints) resolve();
  }

  /** Whether the batch it had was committed is not known; the queue behind it has not been touched. */
  #exited(error: Error | null): void {
    const fault = this.#openingFault;
    const reason = fault ? reasonOf(fault) : `its writer ended (${error?.message ?? 'without a word'})`;
    this.#writer = null;
    refuse(this.#landed(), notWritable(reason, fault ?? error));
    this.#onExit?.();
    this.#next();
  }

  #next(): void {
    if (this.#isIdle) this.#onIdle?.();
    this.#flushSoon();
  }
}

/** The front of a queue that fits into one transaction; at least one. */
function takeUpTo<W extends { readonly bytes: number }>(queue: readonly W[]): readonly W[] {
  let bytes = 0;
  const end = queue.findIndex((waiting, index) => {
    bytes += waiting.bytes;
    return index > 0 && (index >= maxBatchAppends || bytes > maxBatchBytes);
  });
  return end < 0 ? queue : queue.slice(0, end);
}

/** Gives an append's events their places; returns the last. */
function record({ stream, expectedRevision, events }: AppendRequest, first: number, into: RecordedEvent[]) {
  for (const [index, event] of events.entries()) {
    into.push(new RecordedEvent(stream, expectedRevision + 1 + index, formatPosition(first + index), event));
  }
  return into.at(-1)!;
}

function refuse({ appends, snapshots, checkpoints }: WaitingBatch, error: StoreError): void {
  for (const { reject } of appends) reject(error);
  for (const { reject } of snapshots) reject(error);
  for (const { reject } of checkpoints) reject(error);
}

const notWritable = (reason: string, cause: SqliteFault | Error | null): StoreError =>
  new StoreError({ code: 'not-writable', reason }, cause instanceof Error ? cause : asError(cause));

const asError = (fault: SqliteFault | null): Error | undefined =>
  fault ? Object.assign(new Error(fault.message), { code: fault.code }) : undefined;
