import type { RecordedEvent, StreamReceipt } from '../../store/event-store.ts';
import { finding, type Report } from './finding.ts';

/**
 * Checks receipts as they come by, each right after the event it points to. The events of one command stand side by side
 * in the ledger, so the run that the last event belongs to is all that must be kept.
 */
export class ReceiptCheck {
  readonly #report: Report;
  #last: RecordedEvent | null = null;
  /** Events without a break that the last event's command made. */
  #run = 0;
  receipts = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  event(event: RecordedEvent): void {
    const same = this.#last?.stream === event.stream && commandOf(this.#last) === commandOf(event);
    this.#run = same ? this.#run + 1 : 1;
    this.#last = event;
  }

  receipt(receipt: StreamReceipt): void {
    this.receipts++;
    const wrong = this.#problemWith(receipt);
    if (wrong === null) return;
    const place = { stream: receipt.stream, revision: receipt.lastRevision, position: receipt.position };
    this.#report(finding('receipt-without-events', place, `The receipt of command ${receipt.commandId} ${wrong}.`));
  }

  #problemWith({ stream, lastRevision, position, eventCount, commandId }: StreamReceipt): string | null {
    const last = this.#last;
    if (!last || last.position !== position || last.stream !== stream || last.revision !== lastRevision)
      return `points to revision ${lastRevision} of ${stream} at position ${position}, where no such event is`;
    if (eventCount === 0) return null;
    if (commandOf(last) !== commandId) return `points to revision ${lastRevision}, which another command made`;
    if (this.#run < eventCount) return `counts ${eventCount} events; the command made ${this.#run}`;
    return null;
  }
}

/** The command that made the event; null where the metadata cannot be read (which is a finding of its own). */
function commandOf(event: RecordedEvent): unknown {
  try {
    return event.metadata.commandId ?? null;
  } catch {
    return null;
  }
}
