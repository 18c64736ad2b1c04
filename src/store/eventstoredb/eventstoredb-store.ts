import { checkAppend } from '../append-rules.ts';
import { type EventMatcher, matcherOf } from '../event-filter.ts';
import {
  type AppendRequest,
  type AppendResult,
  type Checkpoint,
  type EventFilter,
  type EventStore,
  formatPosition,
  type Lease,
  type LedgerInfo,
  type LedgerWatcher,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type Snapshot,
  type StoredReceipt,
  type StreamReceipt,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '../event-store.ts';
import type { LogPage } from '../event-tail.ts';
import type { IdentityOptions } from '../identity.ts';
import { LiveLog } from '../live-log.ts';
import { isStoreError, StoreError } from '../store-error.ts';
import { announce } from './announcements.ts';
import { AppendLines } from './append-lines.ts';
import { Calls, numberOf } from './calls.ts';
import { Connection, type Limits } from './connection.ts';
import { Feed } from './feed.ts';
import { KeptStreams } from './kept-streams.ts';
import { KnownStreams } from './known-streams.ts';
import { Leases } from './lease.ts';
import { identify } from './ledger-identity.ts';
import { Look } from './look.ts';
import { allReceipts } from './receipts.ts';
import { Snapshots } from './snapshots.ts';
import { SparseTail } from './sparse-tail.ts';
import { decode, internalPrefix } from './wire-event.ts';

export interface EventStoreDbOptions extends IdentityOptions {
  readonly url: string;
  readonly limits?: Partial<Limits>;
}

/** Newest events kept in memory: what live subscribers and readers near the head are served from. */
const tailLimits = { maxEvents: 8192, maxBytes: 32_000_000 };

const checkpointStream = `${internalPrefix}checkpoints`;

/** Opens the ledger in an EventStoreDB database, or makes one there. @throws StoreError unusable-ledger | unreachable */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStore> {
  const connection = new Connection(options.url, options.limits);
  try {
    const calls = new Calls(connection);
    const kept = new KeptStreams(connection, calls);
    const info = await identify(kept, connection, options);
    return new EventStoreDbStore(info, connection, calls, kept, await calls.head(), options.readOnly ?? false);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class EventStoreDbStore implements EventStore {
  readonly info: LedgerInfo;
  readonly #connection: Connection;
  readonly #calls: Calls;
  readonly #kept: KeptStreams;
  readonly #known: KnownStreams;
  readonly #log: LiveLog;
  readonly #feed: Feed;
  readonly #look: Look;
  readonly #lines: AppendLines;
  readonly #snapshots: Snapshots;
  readonly #leases: Leases;
  readonly #watchers: LedgerWatcher[] = [];
  readonly #readOnly: boolean;
  #closing: Promise<void> | null = null;

  constructor(
    info: LedgerInfo,
    connection: Connection,
    calls: Calls,
    kept: KeptStreams,
    head: number,
    readOnly: boolean,
  ) {
    this.info = info;
    this.#connection = connection;
    this.#calls = calls;
    this.#kept = kept;
    this.#readOnly = readOnly;
    this.#known = new KnownStreams(calls);
    this.#log = new LiveLog(
      new SparseTail(head, tailLimits),
      (...page) => this.#readOlder(...page),
      (...page) => this.#followOlder(...page),
    );
    this.#feed = new Feed({
      connection,
      known: this.#known,
      position: head,
      onEvents: (events) => this.#stored(events),
      answered: (eventId) => this.#lines.answered(eventId),
      onAnnouncement: (text) => {
        for (const watcher of this.#watchers) watcher.announced(text);
      },
    });
    this.#look = new Look(calls, this.#feed);
    this.#lines = new AppendLines(connection, calls, this.#known, () => this.#look.caughtUp());
    this.#snapshots = new Snapshots(kept, calls);
    this.#leases = new Leases(kept, connection);
    this.#feed.start();
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    this.#requireWritable();
    return this.#lines.append(request, checkAppend(request));
  }

  readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<RecordedEvent> {
    return this.#log.readStream((...page) => this.#calls.streamPage(stream, ...page), options);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    await this.head();
    yield* this.#log.readAll(options);
  }

  subscribe(options: SubscribeOptions = {}): AsyncIterable<SubscriptionMessage> {
    return this.#log.subscribe(options);
  }

  async head(): Promise<string> {
    this.#log.requireOpen();
    await this.#look.caughtUp();
    return formatPosition(this.#log.head);
  }

  async findReceipt(stream: string, commandId: string): Promise<StoredReceipt | null> {
    this.#log.requireOpen();
    const receipt = await this.#receipt(stream, commandId);
    return receipt ? { ...receipt, commandId, position: formatPosition(receipt.position) } : null;
  }

  async *readReceipts(): AsyncIterable<StreamReceipt> {
    for await (const receipt of allReceipts(this.#calls)) {
      this.#log.requireOpen();
      yield receipt;
    }
  }

  async loadSnapshot(stream: string): Promise<Snapshot | null> {
    this.#log.requireOpen();
    return this.#snapshots.load(stream);
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#requireWritable();
    await this.#lines.settled(snapshot.stream);
    const { revision } = await this.#known.of(snapshot.stream);
    if (snapshot.revision <= revision) await this.#snapshots.save(snapshot, revision);
  }

  async *readSnapshots(): AsyncIterable<Snapshot> {
    this.#log.requireOpen();
    for await (const snapshot of this.#snapshots.all()) {
      this.#log.requireOpen();
      yield snapshot;
    }
  }

  async loadCheckpoint(name: string): Promise<string | null> {
    return (await this.#checkpoints())[name] ?? null;
  }

  async saveCheckpoint({ name, position }: Checkpoint): Promise<void> {
    this.#requireWritable();
    await this.#kept.change<Record<string, string>>(checkpointStream, 'CheckpointsKept', (kept) =>
      kept?.[name] === position ? null : { ...kept, [name]: position },
    );
  }

  async readCheckpoints(): Promise<readonly Checkpoint[]> {
    const checkpoints = Object.entries(await this.#checkpoints()).map(([name, position]) => ({ name, position }));
    return checkpoints.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  watch(watcher: LedgerWatcher): void {
    this.#watchers.push(watcher);
  }

  async announce(text: string): Promise<void> {
    this.#requireWritable();
    await announce(this.#connection, text);
  }

  lease(name: string, stop: AbortSignal): Promise<Lease | null> {
    this.#requireWritable();
    return this.#leases.take(name, stop);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#lines.drained();
    this.#log.close();
    await Promise.all([this.#connection.close(), this.#feed.stop()]);
  }

  /** Those who remember what streams held hear of it before anybody reads it. */
  #stored(events: readonly RecordedEvent[]): void {
    for (const watcher of this.#watchers) watcher.stored(events);
    this.#log.push(events);
  }

  async #checkpoints(): Promise<Record<string, string>> {
    this.#log.requireOpen();
    return (await this.#kept.load<Record<string, string>>(checkpointStream)).value ?? {};
  }

  /** What is remembered may be old: before it says no, everything that others have stored meanwhile is taken in. */
  async #receipt(stream: string, commandId: string) {
    const known = await this.#known.of(stream);
    const receipt = known.receipt(commandId);
    if (receipt) return receipt;
    await this.#look.caughtUp();
    return (await this.#known.of(stream)).receipt(commandId);
  }

  /** What the tail no longer holds, from the database. */
  async #readOlder(after: number, head: number, filter: EventFilter | undefined, limit: number): Promise<LogPage> {
    const matches: EventMatcher = matcherOf(filter);
    const raw = (await this.#calls.readAllAfter(after)).events;
    const events: RecordedEvent[] = [];
    for (const resolved of raw) {
      if (numberOf(resolved) > head) return { events, considered: head };
      const stored = decode(resolved);
      if (!stored || !matches(stored.event)) continue;
      events.push(stored.event);
      if (events.length === limit) return { events, considered: numberOf(resolved) };
    }
    const last = raw.at(-1);
    return { events, considered: last ? numberOf(last) : head };
  }

  /** Whoever follows goes on when the database is back, however long that takes. */
  async #followOlder(after: number, ...page: [number, EventFilter | undefined, number]): Promise<LogPage> {
    for (;;) {
      try {
        return await this.#readOlder(after, ...page);
      } catch (error) {
        if (isStoreError(error, 'closed')) return { events: [], considered: after };
        if (!isStoreError(error, 'unreachable')) throw error;
      }
    }
  }

  #requireWritable(): void {
    if (this.#closing) throw new StoreError({ code: 'closed' });
    if (this.#readOnly) throw new StoreError({ code: 'not-writable', reason: 'it was opened to be read only' });
  }
}
