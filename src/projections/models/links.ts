import { sameJson } from '../../domain/kernel/json.ts';
import type { Projection } from './projection.ts';
import { RowBuffer } from './row-buffer.ts';
import { linksOf } from './subject.ts';

/** What depends on what at present: an edge from each resource to those its state names. */
export const links: Projection = {
  name: 'links',
  version: 1,

  tables: `
CREATE TABLE links (
  resource INTEGER NOT NULL,
  ordinal  INTEGER NOT NULL,
  relation TEXT NOT NULL,
  to_kind  TEXT NOT NULL,
  to_id    TEXT NOT NULL,
  PRIMARY KEY (resource, ordinal)
) STRICT, WITHOUT ROWID;
`,

  indexes: `
CREATE INDEX links_by_target ON links (to_kind, to_id);
`,

  open(db) {
    const rows = new RowBuffer(db, 'links', 5);
    const clear = db.prepare('DELETE FROM links WHERE resource = ?');
    return {
      derive({ subject: { written }, subject }) {
        const list = linksOf(subject);
        if (sameJson(list, written.links)) return unchanged;
        return (key) => {
          if (written.links.length > 0) {
            rows.flush();
            clear.run(key);
          }
          for (const [ordinal, { relation, to }] of list.entries()) rows.add(key, ordinal, relation, to.kind, to.id);
          written.links = list;
        };
      },
      flush: () => rows.flush(),
    };
  },
};

const unchanged = (): void => {};
