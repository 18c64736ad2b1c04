import type { Database } from 'better-sqlite3';
import { sameJson } from '../../domain/kernel/json.ts';
import type { ProjectionWriter } from './projection.ts';
import { RowBuffer } from './row-buffer.ts';
import type { Subject } from './subject.ts';

type Lists = Pick<Subject['written'], 'waits' | 'links' | 'spellings'>;

/**
 * Writes a list that follows from a resource's state: a row an item, all anew where the list has changed.
 *
 * @param columns how many the table has
 * @param add adds the row of one item to `rows`
 */
export function listRows<L extends keyof Lists>(
  db: Database,
  table: L,
  columns: number,
  listOf: (subject: Subject) => Lists[L],
  add: (rows: RowBuffer, item: Lists[L][number], ordinal: number, subject: Subject) => void,
): ProjectionWriter {
  const rows = new RowBuffer(db, table, columns);
  const clear = db.prepare(`DELETE FROM ${table} WHERE resource = ?`);
  return {
    derive({ subject }) {
      const written: Lists = subject.written;
      const list = listOf(subject);
      if (sameJson(list, written[table])) return unchanged;
      return () => {
        if (written[table].length > 0) {
          rows.flush();
          clear.run(subject.key);
        }
        for (const [ordinal, item] of list.entries()) add(rows, item, ordinal, subject);
        written[table] = list;
      };
    },
    flush: () => rows.flush(),
  };
}

const unchanged = (): void => {};
