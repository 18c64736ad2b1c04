import { type Kind, kinds } from '../../domain/kernel/resource.ts';
import { kindOf, provisionStates } from '../../domain/node/provision-machine.ts';
import type { Node } from '../../domain/node/state.ts';
import type { Port } from '../../domain/port/state.ts';
import type { Server } from '../../domain/server/state.ts';
import type { Blocked, Failure, Flapping, StatusCount, Waiting } from '../queries.ts';
import { activityAnswers } from './activity.ts';
import { type Answers, InvalidQuery, limitOf, type Sql } from './asking.ts';
import { resourceAnswers, type SummaryRow, summaryColumns, summaryOf } from './resource-answers.ts';
import { type FlappingRow, flappingColumns, flappingOf } from './stay-answers.ts';
import { visibleRows } from './visible-rows.ts';
import { waitAnswers } from './waits.ts';

const defaultItems = 20;
const maxItems = 100;
const defaultMinutes = 60;
const maxMinutes = 24 * 60;

/** Changes of status in the time looked at that make a resource restless. */
const restlessFrom = 4;
/** Flapping is looked for among so many of the newest changes: an overview is asked for again and again. */
const maxStays = 10_000;

export const overviewAnswers: Answers<'overview'> = {
  overview(sql, { limit = defaultItems, minutes = defaultMinutes, visibleTo }) {
    const most = limitOf({ limit }, maxItems);
    if (!Number.isSafeInteger(minutes) || minutes < 1 || minutes > maxMinutes)
      throw new InvalidQuery(`An overview looks back 1 to ${maxMinutes} minutes; not ${minutes}.`);
    const at = newest(sql, visibleTo);
    const from = at === null ? '' : new Date(Date.parse(at) - minutes * 60_000).toISOString();
    return {
      at,
      counts: visibleTo === undefined ? resourceAnswers.counts(sql, {}) : countsFor(sql, visibleTo),
      blocked: { total: waiting(sql, visibleTo), oldest: oldest(sql, most, visibleTo) },
      failures: failures(sql, most, visibleTo),
      flapping: restless(sql, from, most, visibleTo),
      ...(visibleTo === undefined ? siteWide(sql, { from, to: at }, most) : forProjects),
    };
  },
};

/** Rates are counted for all projects together, and parked resources are for those who run the site. */
const forProjects = { rates: [], parked: { total: 0, first: [] } };

const siteWide = (sql: Sql, { from, to }: { from: string; to: string | null }, limit: number) => ({
  rates: to === null ? [] : activityAnswers.rates(sql, { from, to }),
  parked: {
    total: sql.get<{ total: number }>('SELECT count(*) AS total FROM parked', [])!.total,
    first: resourceAnswers.parked(sql, { limit }).items,
  },
});

/** A project's resources are counted when that is asked for; those of the whole ledger are kept counted. */
function countsFor(sql: Sql, project: string): StatusCount[] {
  const where = visibleRows(project).and('r.status IS NOT NULL').and('r.deleted_at IS NULL');
  return sql.all(
    `SELECT r.kind, r.status, count(*) AS count FROM resources r ${where.text}
     GROUP BY r.kind, r.status ORDER BY r.kind, r.status`,
    where.values,
  );
}

function newest(sql: Sql, project: string | undefined): string | null {
  const times = kinds.map((kind) => {
    const where = visibleRows(project, kind);
    const newestOfKind = `SELECT max(r.updated_at) AS at FROM resources r ${where.text}`;
    return sql.get<{ at: string | null }>(newestOfKind, where.values);
  });
  return times.reduce<string | null>((latest, row) => (row?.at && row.at > (latest ?? '') ? row.at : latest), null);
}

function waiting(sql: Sql, project: string | undefined): number {
  const where = visibleRows(project);
  const rows = project === undefined ? 'waits' : 'waits w JOIN resources r ON r.key = w.resource';
  return sql.get<{ total: number }>(`SELECT count(*) AS total FROM ${rows} ${where.text}`, where.values)!.total;
}

function oldest(sql: Sql, limit: number, project: string | undefined): Blocked[] {
  const ask = { limit, ...(project !== undefined && { visibleTo: project }) };
  return waitAnswers.waiting(sql, ask).items.map((item) => ({ ...item, reason: reasonOfWait(sql, item) }));
}

/** Ports keep with each block why it was added. */
function reasonOfWait(sql: Sql, { resource: { kind, id }, wait }: Waiting): string | null {
  if (kind !== 'port') return null;
  const listed = resourceAnswers.resource(sql, { kind, id });
  const port = listed && (JSON.parse(listed.viewText) as Port);
  return port?.blocks.find(({ entity, since }) => entity === wait.what && since === wait.since)?.reason ?? null;
}

/** Which statuses are failures, and where a state says what went wrong. */
const failed: Readonly<Record<Kind, { statuses: readonly string[]; reason: (view: never) => string | null }>> = {
  port: {
    statuses: ['ERROR'],
    reason: ({ binding }: Port) => (binding.vifType === 'binding_failed' ? 'binding failed' : null),
  },
  server: {
    statuses: ['ERROR'],
    reason: ({ fault }: Server & { fault?: { message: string } }) => fault?.message ?? null,
  },
  node: {
    // Ironic's machine counts "error", where a node that could not be undeployed rests, among the stable ones.
    statuses: provisionStates.filter((state) => state === 'error' || kindOf(state) === 'failed'),
    reason: ({ lastError }: Node) => lastError,
  },
  agent: { statuses: ['lost'], reason: () => null },
  network: { statuses: [], reason: () => null },
};

function failures(sql: Sql, limit: number, project: string | undefined): Failure[] {
  const found = kinds.flatMap((kind) =>
    failed[kind].statuses.flatMap((status) => {
      const where = visibleRows(project, kind).and('r.status = ?', status).and('r.deleted_at IS NULL');
      return sql.all<SummaryRow & { view: string }>(
        `SELECT ${summaryColumns}, s.view FROM resources r JOIN states s ON s.resource = r.key ${where.text}
         ORDER BY r.status_since DESC LIMIT ?`,
        [...where.values, limit],
      );
    }),
  );
  return found
    .sort((a, b) => (a.status_since < b.status_since ? 1 : -1))
    .slice(0, limit)
    .map((row) => ({ resource: summaryOf(row), reason: failed[row.kind].reason(JSON.parse(row.view) as never) }));
}

function restless(sql: Sql, from: string, limit: number, project: string | undefined): Flapping[] {
  const where = visibleRows(project).and('y.previous_status <> y.status');
  const rows = sql.all<FlappingRow>(
    `SELECT ${flappingColumns}
     FROM (SELECT * FROM stays WHERE since >= ? ORDER BY since DESC LIMIT ?) y JOIN resources r ON r.key = y.resource
     ${where.text}
     GROUP BY r.key HAVING changes >= ? ORDER BY changes DESC, r.kind, r.id LIMIT ?`,
    [from, maxStays, ...where.values, restlessFrom, limit],
  );
  return rows.map(flappingOf);
}
