import type { Kind } from '../../domain/kernel/resource.ts';
import { formatPosition } from '../../store/event-store.ts';
import { type Answers, limitOf, markerOf, pageOf } from './asking.ts';
import { correlationNumber } from './origin.ts';
import type { Projection } from './projection.ts';
import { RowBuffer } from './row-buffer.ts';
import { visibleRows } from './visible-rows.ts';

/** Which events one request caused, on whatever resource: found by the correlation id that they share. */
export const operations: Projection = {
  name: 'operations',
  version: 1,

  tables: `
CREATE TABLE touches (
  correlation INTEGER NOT NULL,
  position    INTEGER NOT NULL,
  resource    INTEGER NOT NULL,
  revision    INTEGER NOT NULL
) STRICT;
`,

  indexes: `
CREATE INDEX touches_by_correlation ON touches (correlation, position);
`,

  open(db) {
    const rows = new RowBuffer(db, 'touches', 4);
    return {
      derive:
        ({ events, origins }) =>
        (key) => {
          for (const [index, { position, revision }] of events.entries()) {
            const { correlationId } = origins[index]!;
            if (correlationId !== null) rows.add(correlationNumber(correlationId), position, key, revision);
          }
        },
      flush: () => rows.flush(),
    };
  },
};

interface TouchRow {
  kind: Kind;
  id: string;
  revision: number;
  position: number;
}

export const operationAnswers: Answers<'operation'> = {
  operation(sql, ask) {
    const limit = limitOf(ask);
    const [after] = markerOf(ask, 1) ?? [];
    const where = visibleRows(ask.visibleTo)
      .and('t.correlation = ?', correlationNumber(ask.correlationId))
      .and('t.position > ?', after);
    const rows = sql.all<TouchRow>(
      `SELECT r.kind, r.id, t.revision, t.position FROM touches t JOIN resources r ON r.key = t.resource ${where.text}
       ORDER BY t.position LIMIT ?`,
      [...where.values, limit + 1],
    );
    const itemOf = ({ position, ...touch }: TouchRow) => ({ ...touch, position: formatPosition(position) });
    return pageOf(rows, limit, itemOf, ({ position }) => [position]);
  },
};
