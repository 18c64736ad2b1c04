import type { RecordedEvent } from '../event-store.ts';
import { EventTail } from '../event-tail.ts';

/** The newest events of a ledger whose positions have gaps: whatever is pushed follows. */
export class SparseTail extends EventTail {
  override push(events: readonly RecordedEvent[]): void {
    this.add(events);
  }
}
