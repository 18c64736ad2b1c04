import { sameJson } from '../../domain/kernel/json.ts';
import type { Projection } from './projection.ts';
import { RowBuffer } from './row-buffer.ts';
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

  open(db) {
    const rows = new RowBuffer(db, 'spellings', 3);
    const clear = db.prepare('DELETE FROM spellings WHERE resource = ?');
    return {
      derive({ subject: { written }, subject }) {
        const list = spellingsOf(subject);
        if (sameJson(list, written.spellings)) return unchanged;
        return (key) => {
          if (written.spellings.length > 0) {
            rows.flush();
            clear.run(key);
          }
          for (const spelling of list) rows.add(key, spelling, subject.kind);
          written.spellings = list;
        };
      },
      flush: () => rows.flush(),
    };
  },
};

const unchanged = (): void => {};
