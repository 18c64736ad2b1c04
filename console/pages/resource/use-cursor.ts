import type { HistoryEntry } from '../../../src/client/index.ts';
import { navigate, type Place, withQuery } from '../../lib/navigation.ts';

export interface Cursor {
  /** Index of the event it is on. */
  readonly index: number;
  readonly isLive: boolean;
  readonly moveTo: (moment: number | string) => void;
  /** To the next event, or the one before. */
  readonly step: (by: 1 | -1) => void;
  /** To the next change of status, or the one before. */
  readonly jump: (by: 1 | -1) => void;
  /** To the latest event; and on with each that comes, where it is to be live. */
  readonly follow: (live: boolean) => void;
}

/** The event that is looked at. The address says which, so that it can be sent to somebody. */
export function useCursor(place: Place, entries: readonly HistoryEntry[], at: number | null): Cursor {
  const index = indexOf(entries, at);
  const moveTo = (moment: number | string): void =>
    navigate(withQuery(place, { at: String(moment), live: null }), { replace: true });
  const moveToEntry = (entry: HistoryEntry | undefined): void => {
    if (entry) moveTo(entry.revision);
  };
  return {
    index,
    isLive: place.query.get('live') === 'true',
    moveTo,
    step: (by) => moveToEntry(entries[index + by]),
    jump(by) {
      const isChange = ({ statusChange }: HistoryEntry): boolean => statusChange !== null;
      moveToEntry(by === 1 ? entries.slice(index + 1).find(isChange) : entries.slice(0, index).findLast(isChange));
    },
    follow: (live) => navigate(withQuery(place, { at: null, live: live ? 'true' : null }), { replace: true }),
  };
}

/** The latest event where the address names none. */
function indexOf(entries: readonly HistoryEntry[], at: number | null): number {
  if (at === null) return entries.length - 1;
  const found = entries.findLastIndex(({ revision }) => revision <= at);
  return Math.max(found, 0);
}
