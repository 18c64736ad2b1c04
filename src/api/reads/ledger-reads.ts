import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { PositionWait } from './position-wait.ts';

/** What a route needs that reads the ledger itself, not the read models. */
export interface LedgerReads {
  readonly aggregates: readonly Aggregate[];
  readonly store: EventStore;
  readonly positions: PositionWait;
}
