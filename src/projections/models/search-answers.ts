import { kinds } from '../../domain/kernel/resource.ts';
import type { SearchHit } from '../queries.ts';
import { type Answers, limitOf, type Sql, type Where } from './asking.ts';
import { type SummaryRow, summaryColumns, summaryOf } from './resource-answers.ts';
import { visibleRows } from './visible-rows.ts';

const defaultHits = 20;
const maxHits = 100;

/** Behind every text that begins with the one before it: the last character of Unicode. */
const beyond = '\u{10ffff}';

export const searchAnswers: Answers<'search'> = {
  /** By beginnings alone, which an index finds in a ledger of any size. */
  search(sql, { text, kind, visibleTo, limit = defaultHits }) {
    const most = limitOf({ limit }, maxHits);
    const found = new Map<string, SearchHit>();
    for (const each of kind ? [kind] : kinds) {
      for (const column of ['id', 'name'] as const) {
        const where = visibleRows(visibleTo, each);
        for (const hit of beginning(sql, where, column, text, most)) found.set(`${hit.kind}/${hit.id}`, hit);
      }
    }
    const isExact = ({ id, name }: SearchHit): boolean => id === text || name === text;
    return [...found.values()].sort((a, b) => Number(isExact(b)) - Number(isExact(a))).slice(0, most);
  },
};

function beginning(sql: Sql, where: Where, column: 'id' | 'name', text: string, limit: number): SearchHit[] {
  where
    .and(`r.${column} >= ?`, text)
    .and(`r.${column} < ?`, text + beyond)
    .and('r.status IS NOT NULL');
  const rows = sql.all<SummaryRow & { deleted_at: string | null }>(
    `SELECT ${summaryColumns}, r.deleted_at FROM resources r ${where.text} ORDER BY r.${column} LIMIT ?`,
    [...where.values, limit],
  );
  return rows.map((row) => ({ ...summaryOf(row), deletedAt: row.deleted_at }));
}
