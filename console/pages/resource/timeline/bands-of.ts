import type { HistoryEntry } from '../../../../src/client/index.ts';

/** A stretch in which the status was the same. */
export interface Band {
  readonly status: string;
  /** Index of the event that began it. */
  readonly first: number;
}

/**
 * The statuses of some consecutive events.
 *
 * @param before the status they begin in, where the first of them does not say
 */
export function bandsOf(entries: readonly HistoryEntry[], before: string | null): Band[] {
  const bands: Band[] = [];
  const firstChange = entries.find(({ statusChange }) => statusChange !== null)?.statusChange;
  const start = firstChange ? firstChange.from : before;
  if (start !== null && entries[0]?.statusChange === null) bands.push({ status: start, first: 0 });
  entries.forEach(({ statusChange }, first) => {
    if (statusChange) bands.push({ status: statusChange.to, first });
  });
  return bands;
}
