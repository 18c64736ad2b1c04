import type { Kind } from '../../domain/kernel/resource.ts';
import type { Flapping, InStatus, InStatusQuery, Stay } from '../queries.ts';
import { type Answers, InvalidQuery, limitOf, markerOf, pageOf, type Sql, Where } from './asking.ts';
import { type SummaryRow, summaryColumns, summaryOf } from './resource-answers.ts';
import { lasting } from './stays.ts';

interface StayRow {
  kind: Kind;
  id: string;
  name: string | null;
  ordinal: number;
  since: string;
  until: string;
  status: string;
  status_since: string;
  sub_state: string | null;
  sub_state_since: string;
  host: string | null;
  previous_status: string | null;
}

export const stayAnswers: Answers<'inStatus' | 'statusHistory' | 'flapping'> = {
  inStatus: (sql, ask) => (ask.at === undefined ? inStatusNow(sql, ask) : inStatusThen(sql, ask, ask.at)),

  statusHistory(sql, ask) {
    const limit = limitOf(ask);
    const [after] = markerOf(ask, 1) ?? [];
    const where = new Where()
      .and('r.kind = ?', ask.kind)
      .and('r.id = ?', ask.id)
      .and('(y.until > ? OR y.since >= ?)', ask.from, ask.from)
      .and('y.since <= ?', ask.to)
      .and('y.ordinal > ?', after);
    const rows = sql.all<StayRow>(
      `SELECT y.* FROM resources r JOIN stays y ON y.resource = r.key ${where.text} ORDER BY y.ordinal LIMIT ?`,
      [...where.values, limit + 1],
    );
    return pageOf(rows, limit, stayOf, ({ ordinal }) => [ordinal]);
  },

  /** Changes of the status alone: the beginning of a life is none, nor is a new task or host. */
  flapping(sql, { kind, id, from, to, atLeast = 2, limit }) {
    if (!Number.isSafeInteger(atLeast) || atLeast < 1) throw new InvalidQuery('atLeast is a whole number from 1 on.');
    const where = new Where()
      .and('y.since >= ?', from)
      .and('y.since <= ?', to)
      .and('y.previous_status <> y.status')
      .and('r.kind = ?', kind)
      .and('r.id = ?', id);
    const rows = sql.all<FlappingRow>(
      `SELECT ${flappingColumns}
       FROM stays y JOIN resources r ON r.key = y.resource ${where.text}
       GROUP BY r.key HAVING changes >= ? ORDER BY changes DESC, r.kind, r.id LIMIT ?`,
      [...where.values, atLeast, limitOf({ ...(limit !== undefined && { limit }) })],
    );
    return rows.map(flappingOf);
  },
};

export interface FlappingRow extends SummaryRow {
  changes: number;
  first_at: string;
  last_at: string;
}

/** Columns of stays `y` that are grouped by their resource `r`. */
export const flappingColumns = `${summaryColumns}, count(*) AS changes, min(y.since) AS first_at, max(y.since) AS last_at`;

export const flappingOf = (row: FlappingRow): Flapping => ({
  resource: summaryOf(row),
  changes: row.changes,
  firstAt: row.first_at,
  lastAt: row.last_at,
});

type InStatusRow = Omit<StayRow, 'ordinal' | 'since' | 'until' | 'previous_status'>;

const inStatusColumns = (alias: string): string =>
  ['status', 'status_since', 'sub_state', 'sub_state_since', 'host'].map((name) => `${alias}.${name}`).join(', ');

function inStatusNow(sql: Sql, ask: InStatusQuery) {
  const { limit, column, where } = inStatusFilter(ask, 'r');
  where.and('r.alive = 1');
  const rows = sql.all<InStatusRow>(
    `SELECT r.kind, r.id, r.name, ${inStatusColumns('r')} FROM resources r ${where.text}
     ORDER BY r.${column}, r.id LIMIT ?`,
    [...where.values, limit + 1],
  );
  return pageOf(rows, limit, inStatusOf, (row) => [row[column], row.id]);
}

/** The stays that had begun at that moment and were not over, in each status that there has ever been. */
function inStatusThen(sql: Sql, ask: InStatusQuery, at: string) {
  const { limit, column, where } = inStatusFilter(ask, 'y');
  where.and('y.since <= ?', at).and('y.until > ?', at);
  if (ask.status === undefined) where.and('y.status IN (SELECT status FROM status_counts WHERE kind = ?)', ask.kind);
  const rows = sql.all<InStatusRow>(
    `SELECT r.kind, r.id, r.name, ${inStatusColumns('y')} FROM stays y JOIN resources r ON r.key = y.resource ${where.text}
     ORDER BY y.${column}, r.id LIMIT ?`,
    [...where.values, limit + 1],
  );
  return pageOf(rows, limit, inStatusOf, (row) => [row[column], row.id]);
}

function inStatusFilter(ask: InStatusQuery, alias: 'r' | 'y') {
  const column = ask.subState === undefined ? ('status_since' as const) : ('sub_state_since' as const);
  const [since, id] = markerOf(ask, 2) ?? [];
  const where = new Where()
    .and(`${alias}.kind = ?`, ask.kind)
    .and(`${alias}.status = ?`, ask.status)
    .and(`${alias}.sub_state = ?`, ask.subState)
    .and(`${alias}.host = ?`, ask.host)
    .and(`${alias}.${column} <= ?`, ask.before)
    .and(`(${alias}.${column}, r.id) > (?, ?)`, since, id);
  return { limit: limitOf(ask), column, where };
}

const inStatusOf = (row: InStatusRow): InStatus => ({
  kind: row.kind,
  id: row.id,
  name: row.name,
  host: row.host,
  status: row.status,
  statusSince: row.status_since,
  subState: row.sub_state,
  subStateSince: row.sub_state_since,
});

const stayOf = (row: StayRow): Stay => ({
  since: row.since,
  until: row.until === lasting ? null : row.until,
  status: row.status,
  statusSince: row.status_since,
  subState: row.sub_state,
  subStateSince: row.sub_state_since,
  host: row.host,
  previousStatus: row.previous_status,
});
