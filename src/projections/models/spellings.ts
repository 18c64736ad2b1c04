import { listRows } from './list-rows.ts';
import type { Projection } from './projection.ts';
import { spellingsOf } from './subject.ts';

/** What a resource is found by beside its id and name as they are written: those in lower case, and its addresses. */
export const spellings: Projection = {
  name: 'spellings',
  version: 1,

  tables: `
CREATE TABLE spellings (
  resource INTEGER NOT NULL,
  spelling TEXT NOT NULL,
  kind     TEXT NOT NULL,
  PRIMARY KEY (resource, spelling)
) STRICT, WITHOUT ROWID;
`,

  indexes: `
CREATE INDEX spellings_by_text ON spellings (kind, spelling);
`,

  open: (db) =>
    listRows(db, 'spellings', 3, spellingsOf, (rows, spelling, _ordinal, { key, kind }) =>
      rows.add(key, spelling, kind),
    ),
};
