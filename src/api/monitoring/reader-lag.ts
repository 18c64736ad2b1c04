import type { Clock } from '../../runtime/clock.ts';
import { type EventStore, parsePosition } from '../../store/event-store.ts';
import type { Metrics } from './metrics.ts';

/** How far something that follows the ledger has come; null where another process does it, or nobody yet. */
export type ReaderPosition = () => string | null | Promise<string | null>;

export interface ReaderLagOptions {
  readonly metrics: Metrics;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly readers: Readonly<Record<string, ReaderPosition>>;
}

/** Shows how far those who follow the ledger are behind its head, by their name. */
export function watchReaderLag({ metrics, store, clock, readers }: ReaderLagOptions): void {
  const each = async (lagAt: (position: string) => Promise<number>): Promise<Map<string, number>> => {
    const lags = new Map<string, number>();
    for (const [name, read] of Object.entries(readers)) {
      const position = await read();
      if (position !== null) lags.set(name, Math.max(await lagAt(position), 0));
    }
    return lags;
  };
  metrics.watchEach('reader_lag_positions', 'Positions that the ledger is ahead of who follows it.', 'reader', () =>
    each(async (position) => parsePosition(await store.head()) - parsePosition(position)),
  );
  metrics.watchEach(
    'reader_lag_seconds',
    'Age of the oldest event that who follows the ledger has not seen.',
    'reader',
    () =>
      each(async (position) => {
        for await (const { time } of store.readAll({ after: position, limit: 1 })) {
          return (clock.now() - Date.parse(time)) / 1000;
        }
        return 0;
      }),
  );
}
