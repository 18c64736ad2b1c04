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
  /** By beginnings alone, which an index finds in a ledger of any size. What is not in lower case is kept in it as well. */
  search(sql, { text: asTyped, kind, visibleTo, limit = defaultHits }) {
    const text = asKept(asTyped);
    const most = limitOf({ limit }, maxHits);
    const found = new Map<string, SearchHit>();
    for (const each of kind ? [kind] : kinds) {
      for (const place of places) {
        const where = visibleRows(visibleTo, each).and(`${place.kind} = ?`, each);
        for (const hit of beginning(sql, where, place, text, most)) found.set(`${hit.kind}/${hit.id}`, hit);
      }
    }
    const isExact = ({ id, name }: SearchHit): boolean => [id, name].some((word) => word?.toLowerCase() === text);
    return [...found.values()].sort((a, b) => Number(isExact(b)) - Number(isExact(a))).slice(0, most);
  },
};

/** Where what is looked for may stand. */
interface Place {
  readonly kind: string;
  readonly column: string;
  readonly tables: string;
}

const places: readonly Place[] = [
  { kind: 'r.kind', column: 'r.id', tables: 'resources r' },
  { kind: 'r.kind', column: 'r.name', tables: 'resources r' },
  { kind: 'w.kind', column: 'w.spelling', tables: 'spellings w CROSS JOIN resources r ON r.key = w.resource' },
];

/** The beginning of a MAC address, as some write it. */
const dashedMac = /^([0-9a-f]{2}-){1,5}[0-9a-f]{0,2}$/;

/** In lower case, and MAC addresses as Neutron writes them. */
function asKept(text: string): string {
  const lower = text.toLowerCase();
  return dashedMac.test(lower) ? lower.replaceAll('-', ':') : lower;
}

function beginning(sql: Sql, where: Where, { column, tables }: Place, text: string, limit: number): SearchHit[] {
  where
    .and(`${column} >= ?`, text)
    .and(`${column} < ?`, text + beyond)
    .and('r.status IS NOT NULL');
  const rows = sql.all<SummaryRow & { deleted_at: string | null }>(
    `SELECT ${summaryColumns}, r.deleted_at FROM ${tables} ${where.text} ORDER BY ${column} LIMIT ?`,
    [...where.values, limit],
  );
  return rows.map((row) => ({ ...summaryOf(row), deletedAt: row.deleted_at }));
}
