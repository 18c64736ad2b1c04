import type { Projection, Turn } from './projection.ts';
import { RowBuffer } from './row-buffer.ts';

/** The end of a stay that lasts: later than any time, so that "over after" is one comparison. */
export const lasting = '9999-12-31T23:59:59.999Z';

/** The past of every status: one row for each interval in which status, sub-state and host of a resource stayed the same. */
export const stays: Projection = {
  name: 'stays',
  version: 1,

  tables: `
CREATE TABLE stays (
  resource        INTEGER NOT NULL,
  ordinal         INTEGER NOT NULL,
  kind            TEXT NOT NULL,
  since           TEXT NOT NULL,
  until           TEXT NOT NULL,
  status          TEXT NOT NULL,
  status_since    TEXT NOT NULL,
  sub_state       TEXT,
  sub_state_since TEXT NOT NULL,
  host            TEXT,
  previous_status TEXT,
  PRIMARY KEY (resource, ordinal)
) STRICT, WITHOUT ROWID;
`,

  indexes: `
CREATE INDEX stays_by_end ON stays (kind, status, until);
CREATE INDEX stays_by_start ON stays (since);
`,

  open(db) {
    const rows = new RowBuffer(db, 'stays', 11);
    const end = db.prepare('UPDATE stays SET until = ? WHERE resource = ? AND ordinal = ? AND until = ?');
    return {
      derive({ subject, turns }) {
        const first = subject.stays;
        const begun = turns.filter(({ condition }) => condition !== null).length;
        subject.stays += begun;
        return (key) => {
          if (first > 0 && turns[0]) {
            rows.flush();
            end.run(turns[0].time, key, first - 1, lasting);
          }
          let ordinal = first;
          for (const [index, { time, condition, previousStatus }] of turns.entries()) {
            if (!condition) continue;
            const { status, statusSince, subState, subStateSince, host } = condition;
            const facts = [status, statusSince, subState, subStateSince, host, previousStatus];
            rows.add(key, ordinal, subject.kind, time, endOf(turns, index), ...facts);
            ordinal += 1;
          }
        };
      },
      flush: () => rows.flush(),
    };
  },
};

const endOf = (turns: readonly Turn[], index: number): string => turns[index + 1]?.time ?? lasting;
