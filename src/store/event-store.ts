/**
 * The store port: what an engine must do, in five verbs and a few small helpers. Events pass through it as text; what
 * they mean is the domain's affair. One contract suite (`test/contract/`) runs against every engine.
 */

/** An event on its way in. The text fields are JSON, serialised once by the caller and stored as they are. */
export interface NewEvent {
  /** A UUID, unique in its stream. */
  readonly id: string;
  readonly type: string;
  /** Version of the schema that `data` follows. */
  readonly v: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly time: string;
  readonly data: string;
  readonly metadata: string;
}

/**
 * A keyed command's mark, so that a retry finds what the first try did, also after a restart and also where it changed
 * nothing.
 */
export interface Receipt {
  /** The id derived from the caller's key. */
  readonly commandId: string;
  /** Hash of the command's body: the same key with another body is a caller's mistake. */
  readonly bodyHash: string;
}

export interface AppendRequest {
  readonly stream: string;
  /** Revision of the stream's last event, exactly; -1 where there is none. */
  readonly expectedRevision: number;
  /**
   * Id of the event at the expected revision, where the caller rests on that very event: an append that was decided on
   * one which was lost is then refused, even if another has taken its place.
   */
  readonly expectedEventId?: string | undefined;
  /** May be empty only when there is a receipt to keep. */
  readonly events: readonly NewEvent[];
  readonly receipt?: Receipt | undefined;
}

export interface AppendResult {
  /** Revision of the last event written; the expected revision where only a receipt was kept. */
  readonly revision: number;
  /** Position of the last event written; of the stream's last event where only a receipt was kept. */
  readonly position: string;
}

/** What a receipt leads to: the events `firstRevision..lastRevision`, or none (`eventCount` 0) after `lastRevision`. */
export interface StoredReceipt extends Receipt {
  readonly eventCount: number;
  readonly lastRevision: number;
  readonly position: string;
}

/** A receipt together with the stream it is kept for. */
export interface StreamReceipt extends StoredReceipt {
  readonly stream: string;
}

export interface ReadStreamOptions {
  /** First revision to read, inclusive. Default: the start, or the end when reading backwards. */
  readonly from?: number;
  readonly direction?: 'forwards' | 'backwards';
  /** At most so many events. */
  readonly limit?: number;
}

/** What to read of the ledger. Every condition given must hold; an empty list admits nothing. */
export interface EventFilter {
  /** Only streams whose name starts with one of these. */
  readonly streamPrefixes?: readonly string[];
  /** Only this stream. */
  readonly stream?: string;
  /** Only these event types. */
  readonly types?: readonly string[];
}

export interface ReadAllOptions {
  /** Only events after this position. Default: from the start. */
  readonly after?: string;
  readonly filter?: EventFilter;
  readonly limit?: number;
}

export interface SubscribeOptions {
  readonly after?: string;
  readonly filter?: EventFilter;
  readonly signal?: AbortSignal;
}

/**
 * An event, or word of progress: everything up to `position` has been considered and the subscriber is at the head. That
 * word comes each time the subscriber reaches the head, also where nothing on the way matched its filter.
 */
export type SubscriptionMessage =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'caught-up'; readonly position: string };

export interface Snapshot {
  readonly stream: string;
  readonly revision: number;
  /** Version of the fold that made it; a reader with another version ignores it. */
  readonly foldVersion: number;
  /** JSON text, opaque to the store. */
  readonly state: string;
}

/** How far a named reader of the ledger has come: kept with the ledger, so that it is never lost alone. */
export interface Checkpoint {
  readonly name: string;
  readonly position: string;
}

export interface LedgerInfo {
  readonly ledgerId: string;
  readonly engine: 'sqlite' | 'memory' | 'eventstoredb';
  /** The clock the ledger was created under; a real ledger never accepts a manual one. */
  readonly clock: 'system' | 'manual';
  readonly createdAt: string;
}

/** What stays the same where a ledger moves to another engine. */
export type LedgerIdentity = Pick<LedgerInfo, 'ledgerId' | 'clock' | 'createdAt'>;

/** What a process hears of a ledger that others may have open as well. */
export interface LedgerWatcher {
  /** Events that came into the ledger, this process's own among them, before `head` tells of them. */
  stored(events: readonly RecordedEvent[]): void;
  /** What a process said to the others. */
  announced(text: string): void;
}

/** A piece of work that this process does, of all that have the ledger open. */
export interface Lease {
  /** Aborts where another process has taken the work over, or may have. */
  readonly lost: AbortSignal;
  /** Lets another process have it at once. */
  release(): Promise<void>;
}

/** Whether several processes may write the ledger at the same time. */
export const isShared = ({ engine }: LedgerInfo): boolean => engine === 'eventstoredb';

export interface EventStore {
  readonly info: LedgerInfo;

  /**
   * Appends atomically to one stream, durably: the promise settles after the write is safe. Appends are taken in the
   * order of the calls, so the next one on a stream may be sent before the one before it has settled.
   *
   * Retrying an append that did succeed (same ids, same expected revision, same receipt) gives the first answer again.
   * After `not-writable` nothing is stored as a rule, but a write whose answer was lost may have happened: retry it as it
   * was, and it is stored once.
   *
   * @example
   * const { revision } = await store.append({ stream: 'port-6f3c', expectedRevision: -1, events: [created] });
   * await store.append({ stream: 'port-6f3c', expectedRevision: revision, events: [bound] });
   *
   * @throws StoreError wrong-expected-revision | duplicate-event-id | append-too-large | invalid-append | not-writable |
   *   closed
   */
  append(request: AppendRequest): Promise<AppendResult>;

  /** Events of one stream in revision order (or backwards). A stream that was never written reads as empty. */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>;

  /** Events of all streams in position order, up to the head. */
  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent>;

  /**
   * Catch-up, then live, each event once and in order; ends when the signal aborts or the store closes. The consumer
   * pulls: a slow one is sent nothing and holds up nobody.
   *
   * @example
   * for await (const message of store.subscribe({ after: checkpoint, signal })) {
   *   if (message.kind === 'event') apply(message.event);
   *   else ready = true;
   * }
   */
  subscribe(options?: SubscribeOptions): AsyncIterable<SubscriptionMessage>;

  /** Position of the last event of the ledger. */
  head(): Promise<string>;

  /** What became of an earlier command of this stream, or null. */
  findReceipt(stream: string, commandId: string): Promise<StoredReceipt | null>;

  /**
   * All receipts, in the order of their positions, those of one position by their command's id: with the events, all that
   * a copy of the ledger needs.
   */
  readReceipts(): AsyncIterable<StreamReceipt>;

  loadSnapshot(stream: string): Promise<Snapshot | null>;

  /**
   * Keeps the stream's newest snapshot; one that is older than the one kept, by the same fold, changes nothing, nor does
   * one of a revision the stream has not reached. Disposable: losing one costs time, never data.
   */
  saveSnapshot(snapshot: Snapshot): Promise<void>;

  /** All snapshots that are kept, in any order. */
  readSnapshots(): AsyncIterable<Snapshot>;

  /** Where a named reader stands; null where it never said. */
  loadCheckpoint(name: string): Promise<string | null>;

  /** Keeps where a named reader stands. The last one that was saved counts, also when it goes back. */
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>;

  /** All checkpoints, by name. There is one for each reader, so they are few. */
  readCheckpoints(): Promise<readonly Checkpoint[]>;

  /**
   * From now on, until the store closes. Where one process has the ledger to itself there is nothing that it does not know,
   * and an engine may leave it untold.
   */
  watch(watcher: LedgerWatcher): void;

  /** Says something to all processes that watch, which nobody need remember: it may be lost with the process. */
  announce(text: string): Promise<void>;

  /**
   * Settles when this process is the one to do the named work, which is at once where it has the ledger to itself; null
   * where `stop` came first. A lease that was given lasts until it is released or lost, whatever becomes of `stop`. What is
   * done under it must bear to be done twice: a process that stood still does not know yet that it lost it.
   */
  lease(name: string, stop: AbortSignal): Promise<Lease | null>;

  /** Finishes the appends in flight, ends the subscriptions, releases the ledger. */
  close(): Promise<void>;
}

/**
 * An append carries at most this many bytes of data, metadata and twice its types, in every engine, with something for
 * each event that engines add.
 */
export const maxAppendBytes = 1_000_000;

/** What each event counts for beside its own bytes. */
export const eventOverheadBytes = 64;

/** The position before the first event. */
export const startPosition = '0000000000000000';

/** Positions are fixed-width decimal strings: opaque to users, ordered as text, never mistaken for a revision. */
export const formatPosition = (position: number): string => String(position).padStart(16, '0');

/** The number behind a position; 0 where there is none. Leading zeros may be missing. @throws RangeError */
export function parsePosition(position: string = startPosition): number {
  const number = Number(position);
  if (/^\d{1,16}$/.test(position) && Number.isSafeInteger(number)) return number;
  throw new RangeError(`"${position}" is no position: those are decimal numbers of up to 16 digits`);
}

/** An event as it was recorded. `data` and `metadata` are parsed when they are first asked for. */
export class RecordedEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly type: string;
  readonly v: number;
  readonly time: string;
  readonly dataText: string;
  readonly metadataText: string;
  #data: JsonRecord | undefined;
  #metadata: JsonRecord | undefined;

  constructor(stream: string, revision: number, position: string, event: NewEvent) {
    this.id = event.id;
    this.stream = stream;
    this.revision = revision;
    this.position = position;
    this.type = event.type;
    this.v = event.v;
    this.time = event.time;
    this.dataText = event.data;
    this.metadataText = event.metadata;
  }

  get data(): JsonRecord {
    this.#data ??= JSON.parse(this.dataText) as JsonRecord;
    return this.#data;
  }

  get metadata(): JsonRecord {
    this.#metadata ??= JSON.parse(this.metadataText) as JsonRecord;
    return this.#metadata;
  }
}

type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
type JsonRecord = { [key: string]: JsonValue };
