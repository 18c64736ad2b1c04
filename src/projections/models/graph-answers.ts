import type { Kind } from '../../domain/kernel/resource.ts';
import type { Edge, GraphQuery, Vertex, VertexRef } from '../queries.ts';
import { type Answers, InvalidQuery, limitOf, type Sql, type Where } from './asking.ts';
import { type SummaryRow, summaryColumns, summaryOf } from './resource-answers.ts';
import { visibleRows } from './visible-rows.ts';

const defaultDepth = 3;
const maxDepth = 6;
/** Edges followed from one vertex in one direction; a busy network has more than anybody looks at. */
const maxEdges = 1000;

/** What meets on a host is only looked for among agents: a host's other ports have nothing to do with this one. */
const onHosts: Kind = 'agent';

export const graphAnswers: Answers<'graph'> = {
  graph(sql, ask) {
    const walk = new Walk(sql, ask);
    walk.run();
    return { vertices: walk.vertices(), edges: walk.edges, truncated: walk.truncated };
  },
};

interface EdgeRow {
  relation: string;
  kind: Kind;
  id: string;
}

/** Goes from vertex to vertex, nearest first, along the edges in both directions. */
class Walk {
  readonly edges: Edge[] = [];
  truncated = false;
  readonly #sql: Sql;
  readonly #depth: number;
  readonly #limit: number;
  readonly #visibleTo: string | undefined;
  readonly #found = new Map<string, { ref: VertexRef; distance: number }>();
  readonly #known = new Set<string>();

  constructor(sql: Sql, { kind, id, depth = defaultDepth, limit, visibleTo }: GraphQuery) {
    if (!Number.isSafeInteger(depth) || depth < 0 || depth > maxDepth)
      throw new InvalidQuery(`A depth is a whole number from 0 to ${maxDepth}; ${depth} is not.`);
    this.#sql = sql;
    this.#depth = depth;
    this.#visibleTo = visibleTo;
    this.#limit = limitOf({ ...(limit !== undefined && { limit }) });
    this.#add({ kind, id }, 0);
  }

  run(): void {
    for (const { ref, distance } of this.#found.values()) {
      if (distance === this.#depth || !this.#isVisible(ref)) continue;
      for (const edge of [...this.#outgoing(ref), ...this.#incoming(ref)]) {
        const other = same(edge.from, ref) ? edge.to : edge.from;
        if (this.#add(other, distance + 1)) this.#keep(edge);
      }
    }
  }

  vertices(): Vertex[] {
    return [...this.#found.values()].map(({ ref, distance }) => {
      const where = this.#visible().and('r.kind = ?', ref.kind).and('r.id = ?', ref.id).and('r.status IS NOT NULL');
      const row = this.#sql.get<SummaryRow & { deleted_at: string | null }>(
        `SELECT ${summaryColumns}, r.deleted_at FROM resources r ${where.text}`,
        where.values,
      );
      return { ...ref, resource: row ? summaryOf(row) : null, deleted: row?.deleted_at != null, distance };
    });
  }

  #outgoing(from: VertexRef): Edge[] {
    const rows = this.#sql.all<EdgeRow>(
      `SELECT l.relation, l.to_kind AS kind, l.to_id AS id FROM resources r JOIN links l ON l.resource = r.key
       WHERE r.kind = ? AND r.id = ? ORDER BY l.ordinal LIMIT ${maxEdges}`,
      [from.kind, from.id],
    );
    return this.#bounded(rows).map(({ relation, kind, id }) => ({ from, to: { kind, id }, relation }));
  }

  #incoming(to: VertexRef): Edge[] {
    const where = this.#visible()
      .and('l.to_kind = ?', to.kind)
      .and('l.to_id = ?', to.id)
      .and('r.kind = ?', to.kind === 'host' ? onHosts : undefined);
    const rows = this.#sql.all<EdgeRow>(
      `SELECT l.relation, r.kind, r.id FROM links l JOIN resources r ON r.key = l.resource ${where.text}
       ORDER BY r.kind, r.id LIMIT ${maxEdges}`,
      where.values,
    );
    return this.#bounded(rows).map(({ relation, kind, id }) => ({ from: { kind, id }, to, relation }));
  }

  #visible(): Where {
    return visibleRows(this.#visibleTo);
  }

  /** What somebody does not see ends their walk; it is named all the same where their own resource names it. */
  #isVisible({ kind, id }: VertexRef): boolean {
    if (this.#visibleTo === undefined || kind === 'host') return true;
    const where = this.#visible().and('r.kind = ?', kind).and('r.id = ?', id);
    return this.#sql.get(`SELECT 1 FROM resources r ${where.text}`, where.values) !== undefined;
  }

  #bounded(rows: EdgeRow[]): EdgeRow[] {
    if (rows.length === maxEdges) this.truncated = true;
    return rows;
  }

  /** False where the limit leaves no room for it. */
  #add(ref: VertexRef, distance: number): boolean {
    const name = nameOf(ref);
    if (this.#found.has(name)) return true;
    if (this.#found.size >= this.#limit) {
      this.truncated = true;
      return false;
    }
    this.#found.set(name, { ref, distance });
    return true;
  }

  #keep(edge: Edge): void {
    const name = `${nameOf(edge.from)} ${edge.relation} ${nameOf(edge.to)}`;
    if (this.#known.has(name)) return;
    this.#known.add(name);
    this.edges.push(edge);
  }
}

const nameOf = ({ kind, id }: VertexRef): string => `${kind}-${id}`;
const same = (a: VertexRef, b: VertexRef): boolean => a.kind === b.kind && a.id === b.id;
