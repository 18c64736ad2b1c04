import type { RecordedEvent } from '../../store/event-store.ts';
import type { ReceiptLine } from './format.ts';

/** What one command left in a ledger: its events, stored in one append, and the receipts that point to the last. */
export class StoredCommand {
  readonly events: RecordedEvent[];
  /** That of the command itself, if it came with a key. */
  receipt: ReceiptLine | null = null;
  /** Those of later commands that found their work done. */
  readonly idleReceipts: ReceiptLine[] = [];
  /** Position of its last event in the ledger it was brought into, once it is there. */
  storedAt: string | null = null;

  constructor(event: RecordedEvent) {
    this.events = [event];
  }

  get first(): RecordedEvent {
    return this.events[0]!;
  }

  get last(): RecordedEvent {
    return this.events.at(-1)!;
  }

  /** Whether the event, coming next, is of the same command too. */
  includes(event: RecordedEvent): boolean {
    const { commandId } = this.last.metadata;
    const open = this.receipt === null && this.idleReceipts.length === 0;
    return open && event.stream === this.last.stream && event.metadata.commandId === commandId;
  }

  /** What is wrong with a receipt that follows, or null. */
  problemWith({ stream, lastRevision, eventCount, commandId }: ReceiptLine): string | null {
    if (stream !== this.last.stream || lastRevision !== this.last.revision)
      return 'does not point to the event before it';
    if (eventCount === 0) return null;
    if (commandId !== this.last.metadata.commandId) return 'belongs to another command than the event before it';
    return eventCount === this.events.length
      ? null
      : `counts ${eventCount} events where the command has ${this.events.length}`;
  }

  keep(receipt: ReceiptLine): void {
    if (receipt.eventCount === 0) this.idleReceipts.push(receipt);
    else this.receipt = receipt;
  }
}
