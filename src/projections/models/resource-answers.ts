import type { Kind } from '../../domain/kernel/resource.ts';
import { formatPosition } from '../../store/event-store.ts';
import type { ListedResource, ListQuery, ResourceSummary, SortKey } from '../queries.ts';
import {
  type Answers,
  decodeMarker,
  entryOf,
  InvalidQuery,
  limitOf,
  markerOf,
  pageOf,
  type Sql,
  Where,
} from './asking.ts';
import { visibleRows } from './visible-rows.ts';

interface ResourceRow {
  kind: Kind;
  id: string;
  revision: number;
  position: number;
  status: string;
  status_since: string;
  deleted_at: string | null;
  view: string;
  sorted: string;
}

/** Columns of a summary of `r`. */
export const summaryColumns = 'r.kind, r.id, r.name, r.status, r.status_since';

export interface SummaryRow {
  kind: Kind;
  id: string;
  name: string | null;
  status: string;
  status_since: string;
}

export const summaryOf = ({ kind, id, name, status, status_since }: SummaryRow): ResourceSummary => ({
  kind,
  id,
  name,
  status,
  statusSince: status_since,
});

const sortColumns: Readonly<Record<SortKey, string>> = {
  id: 'r.id',
  name: "ifnull(r.name, '')",
  status: 'r.status',
  statusSince: 'r.status_since',
  host: "ifnull(r.host, '')",
  createdAt: 'r.created_at',
  updatedAt: 'r.updated_at',
};

const select = (sorted: string): string =>
  `SELECT r.kind, r.id, r.revision, r.position, r.status, r.status_since, r.deleted_at, s.view, ${sorted} AS sorted
   FROM resources r JOIN states s ON s.resource = r.key`;

export const resourceAnswers: Answers<'resource' | 'list' | 'counts' | 'deadlines' | 'parked'> = {
  resource(sql, { kind, id }) {
    const row = sql.get<ResourceRow>(`${select('0')} WHERE r.kind = ? AND r.id = ?`, [kind, id]);
    return row ? listed(row) : null;
  },

  /** Pages by the last row's place in the order, not by its number: what comes or goes before it moves nothing. */
  list(sql, ask) {
    const limit = limitOf(ask);
    const { by = 'createdAt', descending = false } = ask.sort ?? {};
    const column = entryOf(sortColumns, by, 'A list is sorted by');
    const place = placeOf(sql, ask, column);
    const where = filtered(ask).and(`(${column}, r.id) ${descending ? '<' : '>'} (?, ?)`, ...place);
    const direction = descending ? 'DESC' : 'ASC';
    const order = `ORDER BY ${column} ${direction}, r.id ${direction} LIMIT ?`;
    const rows = sql.all<ResourceRow>(`${select(column)} ${where.text} ${order}`, [...where.values, limit + 1]);
    return pageOf(rows, limit, listed, ({ sorted, id }) => [sorted, id]);
  },

  counts(sql, { kind, at }) {
    const where = new Where().and('kind = ?', kind);
    if (at === undefined) {
      const counted = where.and('count > 0');
      return sql.all(
        `SELECT kind, status, count FROM status_counts ${counted.text} ORDER BY kind, status`,
        where.values,
      );
    }
    where.and('since <= ?', at).and('until > ?', at);
    return sql.all(
      `SELECT kind, status, count(*) AS count FROM stays ${where.text} GROUP BY kind, status ORDER BY kind, status`,
      where.values,
    );
  },

  deadlines(sql, ask) {
    const limit = limitOf(ask);
    const where = new Where().and('deadline IS NOT NULL').and('(deadline, kind, id) > (?, ?, ?)', ...place(ask, 3));
    const rows = sql.all<{ deadline: string; kind: Kind; id: string }>(
      `SELECT deadline, kind, id FROM resources ${where.text} ORDER BY deadline, kind, id LIMIT ?`,
      [...where.values, limit + 1],
    );
    return pageOf(
      rows,
      limit,
      ({ deadline, kind, id }) => ({ resource: { kind, id }, at: deadline }),
      ({ deadline, kind, id }) => [deadline, kind, id],
    );
  },

  parked(sql, ask) {
    const limit = limitOf(ask);
    const where = new Where().and('(kind, id) > (?, ?)', ...place(ask, 2));
    const rows = sql.all<ParkedRow>(`SELECT * FROM parked ${where.text} ORDER BY kind, id LIMIT ?`, [
      ...where.values,
      limit + 1,
    ]);
    const itemOf = ({ kind, id, projection, revision, position, type, error, attempts, last_revision }: ParkedRow) => ({
      resource: { kind, id },
      projection,
      revision,
      position: formatPosition(position),
      eventType: type,
      error,
      attempts,
      waiting: last_revision - revision,
    });
    return pageOf(rows, limit, itemOf, ({ kind, id }) => [kind, id]);
  },
};

interface ParkedRow {
  kind: Kind;
  id: string;
  projection: string;
  revision: number;
  position: number;
  type: string;
  error: string;
  attempts: number;
  last_revision: number;
}

const listed = ({ kind, id, revision, position, status, status_since, deleted_at, view }: ResourceRow) =>
  ({
    kind,
    id,
    revision,
    position: formatPosition(position),
    status,
    statusSince: status_since,
    deletedAt: deleted_at,
    viewText: view,
  }) satisfies ListedResource;

/** Values that {@link Where.and} leaves out where there is no marker. */
const place = (ask: { readonly marker?: string }, length: number) =>
  markerOf(ask, length) ?? Array<undefined>(length).fill(undefined);

/** Where a page begins: after the place the marker tells, or after the resource it names. */
function placeOf(
  sql: Sql,
  { kind, marker, visibleTo }: ListQuery,
  column: string,
): (string | number | null | undefined)[] {
  if (marker === undefined) return [undefined, undefined];
  const values = decodeMarker(marker, 2);
  if (values) return values;
  const where = visibleRows(visibleTo, kind).and('r.id = ?', marker);
  const row = sql.get<{ sorted: string; id: string }>(
    `SELECT ${column} AS sorted, r.id FROM resources r ${where.text}`,
    where.values,
  );
  if (row) return [row.sorted, row.id];
  throw new InvalidQuery(`The marker is neither one that a page of this list ended with nor the id of a ${kind}.`);
}

const existence = { exclude: 'r.deleted_at IS NULL', only: 'r.deleted_at IS NOT NULL', include: '1' } as const;

const filtered = (ask: ListQuery): Where =>
  visibleRows(ask.visibleTo, ask.kind)
    .and(entryOf(existence, ask.deleted ?? 'exclude', 'Deleted resources are treated as'))
    .andIn('r.id', ask.ids)
    .andIn('r.status', ask.status)
    .andIn('r.sub_state', ask.subState)
    .andIn('r.name', ask.name)
    .andIn('r.project', ask.project)
    .andIn('r.host', ask.host)
    .andIn('r.network', ask.network)
    .andIn('r.device', ask.device)
    .and('r.updated_at >= ?', ask.since)
    .and('r.status_since <= ?', ask.statusBefore)
    .andIn('what', ask.blockedBy, (wanted) => `r.key IN (SELECT resource FROM waits WHERE ${wanted})`)
    .and(
      'r.key IN (SELECT resource FROM links WHERE to_kind = ? AND to_id = ?)',
      ask.dependsOn?.kind,
      ask.dependsOn?.id,
    );
