import type { Kind, ResourceRef } from '../../domain/kernel/resource.ts';
import type { Wait } from '../queries.ts';
import { type Answers, limitOf, markerOf, pageOf } from './asking.ts';
import { listRows } from './list-rows.ts';
import type { Projection } from './projection.ts';
import { type SummaryRow, summaryColumns, summaryOf } from './resource-answers.ts';
import { waitsOf } from './subject.ts';
import { visibleRows } from './visible-rows.ts';

/** Who waits for whom at present. */
export const waits: Projection = {
  name: 'waits',
  version: 1,

  tables: `
CREATE TABLE waits (
  resource INTEGER NOT NULL,
  ordinal  INTEGER NOT NULL,
  what     TEXT NOT NULL,
  on_kind  TEXT,
  on_id    TEXT,
  host     TEXT,
  holder   TEXT,
  since    TEXT NOT NULL,
  deadline TEXT,
  PRIMARY KEY (resource, ordinal)
) STRICT, WITHOUT ROWID;
`,

  indexes: `
CREATE INDEX waits_by_age ON waits (since);
CREATE INDEX waits_by_what ON waits (what);
`,

  open: (db) =>
    listRows(db, 'waits', 9, waitsOf, (rows, { what, on, host, holder, since, deadline }, ordinal, { key }) =>
      rows.add(key, ordinal, what, on?.kind ?? null, on?.id ?? null, host, holder, since, deadline),
    ),
};

interface WaitingRow extends SummaryRow {
  ordinal: number;
  what: string;
  on_kind: Kind | null;
  on_id: string | null;
  wait_host: string | null;
  holder: string | null;
  since: string;
  deadline: string | null;
}

export const waitAnswers: Answers<'waiting'> = {
  waiting(sql, ask) {
    const limit = limitOf(ask);
    const [since, kind, id, ordinal] = markerOf(ask, 4) ?? [];
    const where = visibleRows(ask.visibleTo, ask.kind)
      .and('w.what = ?', ask.what)
      .and('ifnull(w.host, r.host) = ?', ask.host)
      .and('w.holder = ?', ask.holder)
      .and('w.since <= ?', ask.before)
      .and('(w.since, r.kind, r.id, w.ordinal) > (?, ?, ?, ?)', since, kind, id, ordinal);
    const rows = sql.all<WaitingRow>(
      `SELECT ${summaryColumns}, w.ordinal, w.what, w.on_kind, w.on_id, ifnull(w.host, r.host) AS wait_host, w.holder,
         w.since, w.deadline
       FROM waits w JOIN resources r ON r.key = w.resource ${where.text}
       ORDER BY w.since, r.kind, r.id, w.ordinal LIMIT ?`,
      [...where.values, limit + 1],
    );
    const itemOf = (row: WaitingRow) => ({ resource: summaryOf(row), wait: waitOf(row) });
    return pageOf(rows, limit, itemOf, (row) => [row.since, row.kind, row.id, row.ordinal]);
  },
};

const waitOf = ({ what, on_kind, on_id, wait_host, holder, since, deadline }: WaitingRow): Wait => ({
  what,
  on: on_kind === null ? null : ({ kind: on_kind, id: on_id } as ResourceRef),
  host: wait_host,
  holder,
  since,
  deadline,
});
