import type { PastReceipt, StreamPast } from '../append-rules.ts';
import {
  formatPosition,
  type Receipt,
  type RecordedEvent,
  type StoredReceipt,
  type StreamReceipt,
} from '../event-store.ts';
import type { StreamPage } from '../live-log.ts';

/** One stream of a ledger in memory. */
export class MemoryStream implements StreamPast {
  readonly #events: RecordedEvent[] = [];
  readonly #ids = new Set<string>();
  readonly #receipts = new Map<string, PastReceipt>();

  get revision(): number {
    return this.#events.length - 1;
  }

  get position(): number {
    return Number(this.#events.at(-1)?.position ?? 0);
  }

  get eventId(): string | null {
    return this.#events.at(-1)?.id ?? null;
  }

  holds(eventId: string): boolean {
    return this.#ids.has(eventId);
  }

  eventIdAt(revision: number): string | undefined {
    return this.#events[revision]?.id;
  }

  events(from: number, count: number): { id: string; position: number }[] {
    return this.#events.slice(from, from + count).map(({ id, position }) => ({ id, position: Number(position) }));
  }

  receipt(commandId: string): PastReceipt | undefined {
    return this.#receipts.get(commandId);
  }

  add(event: RecordedEvent): void {
    this.#events.push(event);
    this.#ids.add(event.id);
  }

  keepReceipt({ commandId, bodyHash }: Receipt, eventCount: number): void {
    const { revision, position } = this;
    this.#receipts.set(commandId, { bodyHash, eventCount, lastRevision: revision, position });
  }

  receipts(stream: string): StreamReceipt[] {
    return [...this.#receipts].map(([commandId, receipt]) => ({ stream, ...storedReceipt(commandId, receipt) }));
  }

  page(from: number, backwards: boolean, limit: number): StreamPage {
    if (!backwards) {
      const start = Math.max(from, 0);
      return { events: this.#events.slice(start, start + limit), more: start + limit < this.#events.length };
    }
    const end = Math.min(from + 1, this.#events.length);
    const start = Math.max(end - limit, 0);
    return { events: this.#events.slice(start, Math.max(end, 0)).reverse(), more: start > 0 };
  }
}

export const storedReceipt = (commandId: string, receipt: PastReceipt): StoredReceipt => ({
  ...receipt,
  commandId,
  position: formatPosition(receipt.position),
});
