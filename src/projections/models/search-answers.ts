import { type Kind, kinds } from '../../domain/kernel/resource.ts';
import type { SearchHit } from '../queries.ts';
import { type Answers, limitOf, type Sql } from './asking.ts';
import { type SummaryRow, summaryColumns, summaryOf } from './resource-answers.ts';

const defaultHits = 20;
const maxHits = 100;

/** Behind every text that begins with the one before it: the last character of Unicode. */
const beyond = '\u{10ffff}';

export const searchAnswers: Answers<'search'> = {
  /** By beginnings alone, which an index finds in a ledger of any size. */
  search(sql, { text, kind, limit = defaultHits }) {
    const most = limitOf({ limit }, maxHits);
    const found = new Map<string, SearchHit>();
    for (const each of kind ? [kind] : kinds) {
      for (const column of ['id', 'name'] as const) {
        for (const hit of beginning(sql, each, column, text, most)) found.set(`${hit.kind}/${hit.id}`, hit);
      }
    }
    const isExact = ({ id, name }: SearchHit): boolean => id === text || name === text;
    return [...found.values()].sort((a, b) => Number(isExact(b)) - Number(isExact(a))).slice(0, most);
  },
};

function beginning(sql: Sql, kind: Kind, column: 'id' | 'name', text: string, limit: number): SearchHit[] {
  const rows = sql.all<SummaryRow & { deleted_at: string | null }>(
    `SELECT ${summaryColumns}, r.deleted_at FROM resources r
     WHERE r.kind = ? AND r.${column} >= ? AND r.${column} < ? AND r.status IS NOT NULL ORDER BY r.${column} LIMIT ?`,
    [kind, text, text + beyond, limit],
  );
  return rows.map((row) => ({ ...summaryOf(row), deletedAt: row.deleted_at }));
}
