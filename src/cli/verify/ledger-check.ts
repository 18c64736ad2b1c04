import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { Kind } from '../../domain/kernel/resource.ts';
import type { Checkpoint, LedgerInfo, RecordedEvent, Snapshot, StreamReceipt } from '../../store/event-store.ts';
import { finding, type Report } from './finding.ts';
import { ReceiptCheck } from './receipt-check.ts';
import { SeenIds } from './seen-ids.ts';
import { StateCheck } from './state-check.ts';
import { StreamCheck } from './stream-check.ts';

/** Engines that number the events of a ledger 1, 2, 3, ...: there a gap is a missing event. */
const countsWithoutGaps: Readonly<Record<LedgerInfo['engine'], boolean>> = {
  sqlite: true,
  memory: true,
  eventstoredb: false,
};

/** Every check of one pass over a ledger in position order. Pure: it is given what there is, and reports. */
export class LedgerCheck {
  readonly streams: StreamCheck;
  readonly states: StateCheck;
  readonly receipts: ReceiptCheck;
  /** Ids that seem to have come twice; a second pass over the ledger settles it. */
  readonly suspectedIds = new Set<string>();
  events = 0;
  readonly #report: Report;
  readonly #gapless: boolean;
  readonly #ids = new SeenIds();
  #position = '';

  constructor(engine: LedgerInfo['engine'], aggregates: Readonly<Record<Kind, Aggregate>>, report: Report) {
    this.#report = report;
    this.#gapless = countsWithoutGaps[engine];
    this.streams = new StreamCheck(report);
    this.states = new StateCheck(aggregates, report);
    this.receipts = new ReceiptCheck(report);
  }

  snapshot(snapshot: Snapshot): void {
    this.states.expectSnapshot(snapshot);
  }

  event(event: RecordedEvent): void {
    this.events++;
    this.#checkPosition(event);
    if (this.#ids.add(event.id)) this.suspectedIds.add(event.id);
    this.streams.event(event);
    this.states.event(event);
    this.receipts.event(event);
  }

  receipt(receipt: StreamReceipt): void {
    this.receipts.receipt(receipt);
  }

  /** @param head where the ledger ends */
  checkpoint({ name, position }: Checkpoint, head: string): void {
    if (position <= head) return;
    const detail = `The reader "${name}" has come as far as ${position}; the ledger ends at ${head}.`;
    this.#report(finding('checkpoint-ahead', { stream: '', revision: -1, position }, detail));
  }

  end(): void {
    this.states.end();
  }

  #checkPosition(event: RecordedEvent): void {
    const before = this.#position;
    this.#position = event.position;
    if (event.position <= before) {
      this.#report(finding('position-order', event, `Position ${event.position} stands after ${before}.`));
      return;
    }
    if (!this.#gapless) return;
    const expected = Number(before) + 1;
    const position = Number(event.position);
    if (position === expected) return;
    const missing =
      position - 1 === expected ? `The event at position ${expected} is` : `Events ${expected} to ${position - 1} are`;
    this.#report(finding('position-missing', event, `${missing} missing.`));
  }
}

/** The second pass: of the suspected ids, those that really came twice. */
export class RepeatedIds {
  readonly #report: Report;
  readonly #first = new Map<string, RecordedEvent | null>();

  constructor(suspected: Iterable<string>, report: Report) {
    this.#report = report;
    for (const id of suspected) this.#first.set(id, null);
  }

  event(event: RecordedEvent): void {
    const first = this.#first.get(event.id);
    if (first === undefined) return;
    if (first === null) {
      this.#first.set(event.id, event);
      return;
    }
    const detail = `The id ${event.id} belongs to revision ${first.revision} of ${first.stream} already.`;
    this.#report(finding('event-id-repeated', event, detail));
  }
}
