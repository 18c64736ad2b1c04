import { listRows } from './list-rows.ts';
import type { Projection } from './projection.ts';
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

  open: (db) =>
    listRows(db, 'links', 5, linksOf, (rows, { relation, to }, ordinal, { key }) =>
      rows.add(key, ordinal, relation, to.kind, to.id),
    ),
};
