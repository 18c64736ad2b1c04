import type { Answers } from './asking.ts';
import { lasting } from './stays.ts';

/** As many of the stays that ended last as tell what is usual. */
const sampled = 500;

export const usualAnswers: Answers<'usualStay'> = {
  /** A stay in a status may have several rows, one for each task within it; the last one ends it. */
  usualStay(sql, { kind, status }) {
    const rows = sql.all<{ since: string; until: string }>(
      `SELECT status_since AS since, max(until) AS until FROM (
         SELECT resource, status_since, until FROM stays WHERE kind = ? AND status = ? AND until < ?
         ORDER BY until DESC LIMIT ${sampled}
       ) GROUP BY resource, status_since`,
      [kind, status, lasting],
    );
    const lengths = rows.map(({ since, until }) => Date.parse(until) - Date.parse(since)).sort((a, b) => a - b);
    const at = (share: number): number => lengths[Math.floor(share * (lengths.length - 1))] ?? 0;
    return { samples: lengths.length, medianMs: at(0.5), p95Ms: at(0.95) };
  },
};
