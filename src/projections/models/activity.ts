import { type Answers, Where } from './asking.ts';
import type { Projection } from './projection.ts';

/**
 * How much happened when. A command is counted with its first event, so what is counted are commands that changed
 * something; refused ones leave no trace in a ledger.
 */
export const activity: Projection = {
  name: 'activity',
  version: 1,

  tables: `
CREATE TABLE minutes (
  minute   TEXT    NOT NULL,
  kind     TEXT    NOT NULL,
  events   INTEGER NOT NULL,
  commands INTEGER NOT NULL,
  PRIMARY KEY (minute, kind)
) STRICT, WITHOUT ROWID;
`,

  indexes: '',

  open(db) {
    const add = db.prepare(
      `INSERT INTO minutes VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET events = events + excluded.events, commands = commands + excluded.commands`,
    );
    const counted = new Map<string, { minute: string; kind: string; events: number; commands: number }>();
    const entryOf = (minute: string, kind: string) => {
      const slot = `${minute}${kind}`;
      let entry = counted.get(slot);
      if (!entry) {
        entry = { minute, kind, events: 0, commands: 0 };
        counted.set(slot, entry);
      }
      return entry;
    };
    return {
      derive:
        ({ subject, events, origins, commandBefore }) =>
        () => {
          let previous = commandBefore;
          for (const [index, { time }] of events.entries()) {
            const { commandId } = origins[index]!;
            const entry = entryOf(time.slice(0, 16), subject.kind);
            entry.events += 1;
            if (commandId !== '' && commandId !== previous) entry.commands += 1;
            previous = commandId;
          }
        },

      flush() {
        for (const { minute, kind, events, commands } of counted.values()) add.run(minute, kind, events, commands);
        counted.clear();
      },
    };
  },
};

/** Longer stretches are cut at their beginning. */
const maxMinutes = 24 * 60;

export const activityAnswers: Answers<'rates'> = {
  rates(sql, { from, to, kind }) {
    const where = new Where()
      .and('minute >= ?', from.slice(0, 16))
      .and('minute <= ?', to.slice(0, 16))
      .and('kind = ?', kind);
    const limited = `(SELECT DISTINCT minute FROM minutes ${where.text} ORDER BY minute DESC LIMIT ${maxMinutes})`;
    return sql.all(
      `SELECT minute, kind, events, commands FROM minutes ${where.text} AND minute IN ${limited} ORDER BY minute, kind`,
      [...where.values, ...where.values],
    );
  },
};
