import type { PastReceipt, StreamPast } from '../append-rules.ts';
import type { RecordedEvent } from '../event-store.ts';
import type { Calls } from './calls.ts';
import { idleReceiptIn, receiptStreamOf } from './idle-receipts.ts';
import type { KeptReceipt } from './wire-event.ts';

/**
 * What this process knows of one stream's past: its ids and receipts, without the events. It is loaded whole, grows with
 * what this process appends and with what the feed brings of others, and reads on where it finds itself behind.
 */
export class KnownStream implements StreamPast {
  readonly name: string;
  readonly #calls: Calls;
  readonly #ids = new Set<string>();
  /** The same, by revision. */
  readonly #idAt: string[] = [];
  readonly #receipts = new Map<string, PastReceipt>();
  revision = -1;
  position = 0;
  eventId: string | null = null;
  /** Revision of the last receipt that was kept without an event; -1 where there is none. */
  idleRevision = -1;
  /** The newest revisions that the feed has told of. */
  #heardOf = -1;
  #idleHeardOf = -1;
  #reading: Promise<void> | null = null;

  constructor(name: string, calls: Calls) {
    this.name = name;
    this.#calls = calls;
  }

  /** What it costs to remember it. */
  get size(): number {
    return 1 + this.#ids.size + this.#receipts.size;
  }

  holds(eventId: string): boolean {
    return this.#ids.has(eventId);
  }

  eventIdAt(revision: number): string | undefined {
    return this.#idAt[revision];
  }

  /** Nothing: who has to compare older events reads them, see `withEvents`. */
  events(): [] {
    return [];
  }

  receipt(commandId: string): PastReceipt | undefined {
    return this.#receipts.get(commandId);
  }

  /** The same past, with the events that an append from `expectedRevision` on would have left, if it was made before. */
  async withEvents(expectedRevision: number, count: number): Promise<StreamPast> {
    if (expectedRevision >= this.revision || count === 0) return this;
    const there: { id: string; position: number }[] = [];
    while (there.length < count) {
      const from = expectedRevision + 1 + there.length;
      const page = await this.#calls.readStored(this.name, from, false, count - there.length);
      if (page.length === 0) break;
      there.push(...page.map(({ event }) => ({ id: event.id, position: Number(event.position) })));
    }
    const { revision, position, eventId } = this;
    return {
      revision,
      position,
      eventId,
      holds: (id) => this.holds(id),
      eventIdAt: (at) => this.eventIdAt(at),
      receipt: (id) => this.receipt(id),
      events: () => there,
    };
  }

  /** An event that is stored; what is known already, or not yet due, changes nothing but what was heard of. */
  note(event: Pick<RecordedEvent, 'id' | 'revision' | 'position'>, receipt: KeptReceipt | null): void {
    this.#heardOf = Math.max(this.#heardOf, event.revision);
    if (event.revision !== this.revision + 1) return;
    this.revision = event.revision;
    this.position = Number(event.position);
    this.eventId = event.id;
    this.#ids.add(event.id);
    this.#idAt.push(event.id);
    if (!receipt) return;
    const { commandId, bodyHash, eventCount } = receipt;
    const { revision: lastRevision, position } = this;
    this.#receipts.set(commandId, { bodyHash, eventCount, lastRevision, position });
  }

  /** A receipt without an event that is stored. The first one of a command counts, and one with events before all. */
  noteIdle(revision: number, commandId: string, receipt: PastReceipt): void {
    this.#idleHeardOf = Math.max(this.#idleHeardOf, revision);
    if (revision !== this.idleRevision + 1) return;
    this.idleRevision = revision;
    if (!this.#receipts.has(commandId)) this.#receipts.set(commandId, receipt);
  }

  /** Whether the feed has told of something that is not known yet. */
  get isBehind(): boolean {
    return this.#heardOf > this.revision || this.#idleHeardOf > this.idleRevision;
  }

  /** Reads on to the end, once for all who ask at the same time. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    do {
      await this.#readEvents();
      if (this.revision >= 0) await this.#readIdle();
    } while (this.isBehind);
  }

  async #readEvents(): Promise<void> {
    for (;;) {
      const page = await this.#calls.readStored(this.name, this.revision + 1, false, Number.MAX_SAFE_INTEGER);
      for (const { event, receipt } of page) this.note(event, receipt);
      if (page.length === 0) return;
    }
  }

  async #readIdle(): Promise<void> {
    const stream = receiptStreamOf(this.name);
    for (;;) {
      const { events } = await this.#calls.readRaw(stream, this.idleRevision + 1, false, Number.MAX_SAFE_INTEGER);
      for (const { event } of events) {
        const { commandId, ...receipt } = idleReceiptIn(event!.data);
        this.noteIdle(Number(event!.revision), commandId, receipt);
      }
      if (events.length === 0) return;
    }
  }
}
