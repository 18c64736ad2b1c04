import { checkAppend } from '../append-rules.ts';
import {
  type AppendRequest,
  type AppendResult,
  type Checkpoint,
  type EventStore,
  formatPosition,
  type Lease,
  type LedgerInfo,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type Snapshot,
  type StoredReceipt,
  type StreamReceipt,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '../event-store.ts';
import { EventTail } from '../event-tail.ts';
import { newIdentity, requireClock } from '../identity.ts';
import { LiveLog } from '../live-log.ts';
import type { OpenStoreOptions } from '../open-options.ts';
import { ownLease } from '../sole-process.ts';
import { StoreError } from '../store-error.ts';
import { findArchive, openArchive, prepareArchive } from './archive-file.ts';
import { create, inspect, inspectLedger, locate } from './ledger-file.ts';
import { LedgerLock } from './ledger-lock.ts';
import { LedgerReader } from './reader.ts';
import { writerThread } from './start-writer.ts';
import { WriterQueue } from './writer-queue.ts';

export interface SqliteStoreOptions extends OpenStoreOptions {
  readonly path: string;
  /** Appends are refused when the file would grow beyond this. Default: as far as the disk goes. */
  readonly maxBytes?: number;
}

/** Newest events kept in memory: what live subscribers and readers near the head are served from. */
const tailLimits = { maxEvents: 2048, maxBytes: 32_000_000 };
/** How often a read-only store looks whether the ledger has grown, while somebody waits for that. */
const pollMs = 200;

/** Opens a ledger file, or makes one. @throws StoreError ledger-locked | unusable-ledger */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<EventStore> {
  const { now = Date.now, readOnly = false, archiveFile, archives } = options;
  const path = locate(options.path, readOnly);
  if (readOnly) {
    const info = inspectLedger(path);
    requireClock(path, info, options);
    return new SqliteStore(path, info, findArchive(path, archiveFile), null, options);
  }
  inspect(path); // a file that is no ledger gets no lock beside it
  const lock = LedgerLock.acquire(path, now);
  try {
    const info = inspect(path) ?? create(path, newIdentity(options));
    requireClock(path, info, options);
    const archive = (archives ? prepareArchive : openArchive)(path, archiveFile);
    return new SqliteStore(path, info, archive, lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

class SqliteStore implements EventStore {
  readonly info: LedgerInfo;
  readonly #reader: LedgerReader;
  readonly #log: LiveLog;
  readonly #lock: LedgerLock | null;
  /** Null where the ledger was opened to be read only. */
  readonly #queue: WriterQueue | null;
  readonly #polling: NodeJS.Timeout | undefined;
  #closing: Promise<void> | null = null;

  constructor(
    path: string,
    info: LedgerInfo,
    archive: string | null,
    lock: LedgerLock | null,
    { maxBytes }: SqliteStoreOptions,
  ) {
    this.info = info;
    this.#lock = lock;
    this.#reader = new LedgerReader(path, { file: archive, mayCome: lock === null });
    const tail = new EventTail(this.#reader.head(), tailLimits);
    this.#log = new LiveLog(tail, (...page) => this.#reader.logPage(...page));
    if (lock) {
      this.#queue = new WriterQueue({
        start: writerThread({ path, archive, ...(maxBytes !== undefined && { maxBytes }) }),
        onCommitted: (events) => this.#log.push(events),
        onHead: (head) => this.#log.moveTo(head),
      });
    } else {
      this.#queue = null;
      this.#polling = setInterval(() => this.#log.isAwaited && this.#lookForMore(), pollMs).unref();
    }
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    const queue = this.#writable();
    return queue.append(request, checkAppend(request));
  }

  readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<RecordedEvent> {
    return this.#log.readStream((...page) => this.#reader.streamPage(stream, ...page), options);
  }

  readAll(options: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    this.#lookForMore();
    return this.#log.readAll(options);
  }

  subscribe(options: SubscribeOptions = {}): AsyncIterable<SubscriptionMessage> {
    this.#lookForMore();
    return this.#log.subscribe(options);
  }

  async head(): Promise<string> {
    this.#log.requireOpen();
    this.#lookForMore();
    return formatPosition(this.#log.head);
  }

  async findReceipt(stream: string, commandId: string): Promise<StoredReceipt | null> {
    this.#log.requireOpen();
    return this.#reader.receipt(stream, commandId);
  }

  readReceipts(): AsyncIterable<StreamReceipt> {
    return this.#log.readRows<StreamReceipt>((...page) => this.#reader.receiptPage(...page));
  }

  async loadSnapshot(stream: string): Promise<Snapshot | null> {
    this.#log.requireOpen();
    return this.#reader.snapshot(stream);
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    return this.#writable().saveSnapshot(snapshot);
  }

  async loadCheckpoint(name: string): Promise<string | null> {
    this.#log.requireOpen();
    return this.#reader.checkpoint(name);
  }

  async saveCheckpoint(checkpoint: Checkpoint): Promise<void> {
    return this.#writable().saveCheckpoint(checkpoint);
  }

  async readCheckpoints(): Promise<readonly Checkpoint[]> {
    this.#log.requireOpen();
    return this.#reader.checkpoints();
  }

  watch(): void {}

  async announce(): Promise<void> {}

  async lease(): Promise<Lease> {
    return ownLease;
  }

  readSnapshots(): AsyncIterable<Snapshot> {
    return this.#log.readRows<Snapshot>((...page) => this.#reader.snapshotPage(...page));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The reader goes before the writer, so that the writer is the last and can leave the ledger as one file. */
  async #close(): Promise<void> {
    clearInterval(this.#polling);
    await this.#queue?.drained();
    this.#log.close();
    this.#reader.close();
    await this.#queue?.stop();
    this.#lock?.release();
  }

  #writable(): WriterQueue {
    if (this.#closing) throw new StoreError({ code: 'closed' });
    if (!this.#queue) throw new StoreError({ code: 'not-writable', reason: 'it was opened to be read only' });
    return this.#queue;
  }

  /** A store that writes hears of every commit; a read-only one has to look. */
  #lookForMore(): void {
    if (!this.#queue && !this.#closing) this.#log.moveTo(this.#reader.head());
  }
}
