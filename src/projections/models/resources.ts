import type { Database, Statement } from 'better-sqlite3';
import { viewOf } from '../../domain/kernel/aggregate.ts';
import { type ColumnValue, columnNames, columnsOf } from './columns.ts';
import type { Piece, Projection, ProjectionWriter } from './projection.ts';
import { RowBuffer } from './row-buffer.ts';
import type { Subject } from './subject.ts';

/**
 * One row a resource, narrow, for filters and sorting; what it looks like is kept apart, so that going through many rows
 * stays cheap. `state` is what the fold goes on with, where that is not what people see.
 */
export const resources: Projection = {
  name: 'resources',
  version: 1,

  tables: `
CREATE TABLE resources (
  key             INTEGER PRIMARY KEY,
  kind            TEXT    NOT NULL,
  id              TEXT    NOT NULL,
  revision        INTEGER NOT NULL,
  position        INTEGER NOT NULL,
  command         TEXT    NOT NULL,
  stays           INTEGER NOT NULL,
  updated_at      TEXT,
  alive           INTEGER NOT NULL,
  status          TEXT,
  status_since    TEXT,
  sub_state       TEXT,
  sub_state_since TEXT,
  host            TEXT,
  name            TEXT,
  project         TEXT,
  network         TEXT,
  device          TEXT,
  created_at      TEXT,
  deleted_at      TEXT,
  deadline        TEXT
) STRICT;
CREATE TABLE states (
  resource INTEGER PRIMARY KEY,
  view     TEXT NOT NULL,
  state    TEXT
) STRICT;
CREATE TABLE status_counts (
  kind   TEXT    NOT NULL,
  status TEXT    NOT NULL,
  count  INTEGER NOT NULL,
  PRIMARY KEY (kind, status)
) STRICT, WITHOUT ROWID;
`,

  indexes: `
CREATE UNIQUE INDEX resources_by_id ON resources (kind, id);
CREATE INDEX resources_by_status ON resources (kind, status, status_since);
CREATE INDEX resources_by_creation ON resources (kind, created_at, id);
CREATE INDEX resources_by_update ON resources (kind, updated_at);
CREATE INDEX resources_by_name ON resources (kind, name);
CREATE INDEX resources_by_host ON resources (host) WHERE host IS NOT NULL;
CREATE INDEX resources_by_project ON resources (project) WHERE project IS NOT NULL;
CREATE INDEX resources_by_network ON resources (network) WHERE network IS NOT NULL;
CREATE INDEX resources_by_device ON resources (device) WHERE device IS NOT NULL;
CREATE INDEX resources_by_deadline ON resources (deadline, kind, id) WHERE deadline IS NOT NULL;
`,

  open: (db) => new ResourceRows(db),
};

class ResourceRows implements ProjectionWriter {
  readonly #rows: RowBuffer;
  readonly #states: RowBuffer;
  readonly #db: Database;
  readonly #updates = new Map<string, Statement>();
  readonly #updateState: Statement;
  readonly #count: Statement;
  readonly #counted = new Map<string, { kind: string; status: string; change: number }>();
  #lastKey: number;

  constructor(db: Database) {
    this.#rows = new RowBuffer(db, 'resources', 8 + columnNames.length);
    this.#states = new RowBuffer(db, 'states', 3);
    this.#db = db;
    this.#updateState = db.prepare('UPDATE states SET view = ?, state = ? WHERE resource = ?');
    this.#count = db.prepare(
      'INSERT INTO status_counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
    );
    this.#lastKey = (db.prepare('SELECT max(key) FROM resources').pluck().get() as number | null) ?? 0;
  }

  derive({ subject }: Piece): () => void {
    const columns = columnsOf(subject);
    const texts = textsOf(subject);
    return () => {
      if (subject.key === 0) this.#insert(subject, columns, texts);
      else this.#update(subject, columns, texts);
      this.#move(subject);
      subject.written.columns = columns;
    };
  }

  flush(): void {
    this.#rows.flush();
    this.#states.flush();
    for (const { kind, status, change } of this.#counted.values()) {
      if (change !== 0) this.#count.run(kind, status, change);
    }
    this.#counted.clear();
  }

  #insert(subject: Subject, columns: readonly ColumnValue[], texts: Texts | null): void {
    this.#lastKey += 1;
    subject.key = this.#lastKey;
    const { key, kind, id, revision, position, commandId, stays, state } = subject;
    this.#rows.add(key, kind, id, revision, position, commandId, stays, state?.updatedAt ?? null, ...columns);
    if (texts) this.#states.add(key, texts.view, texts.state);
  }

  #update(subject: Subject, columns: readonly ColumnValue[], texts: Texts | null): void {
    this.#rows.flush();
    this.#states.flush();
    const { key, revision, position, commandId, stays, state, written } = subject;
    const changed = columnNames.map((_, index) => index).filter((index) => columns[index] !== written.columns[index]);
    const values = changed.map((index) => columns[index]!);
    this.#updateOf(changed).run(revision, position, commandId, stays, state?.updatedAt ?? null, ...values, key);
    if (!texts) return;
    const { changes } = this.#updateState.run(texts.view, texts.state, key);
    if (changes === 0) this.#states.add(key, texts.view, texts.state);
  }

  /** Only the columns that have changed: an index costs nothing where its columns are left alone. */
  #updateOf(changed: readonly number[]): Statement {
    const shape = changed.join();
    let statement = this.#updates.get(shape);
    if (!statement) {
      const names = [
        'revision',
        'position',
        'command',
        'stays',
        'updated_at',
        ...changed.map((index) => columnNames[index]),
      ];
      statement = this.#db.prepare(
        `UPDATE resources SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE key = ?`,
      );
      this.#updates.set(shape, statement);
    }
    return statement;
  }

  /** From the count of one status to that of another. */
  #move({ kind, condition, written }: Subject): void {
    const status = condition?.status ?? null;
    if (status === written.status) return;
    if (written.status !== null) this.#add(kind, written.status, -1);
    if (status !== null) this.#add(kind, status, 1);
    written.status = status;
  }

  #add(kind: string, status: string, by: number): void {
    const slot = `${kind} ${status}`;
    const entry = this.#counted.get(slot) ?? { kind, status, change: 0 };
    entry.change += by;
    this.#counted.set(slot, entry);
  }
}

interface Texts {
  readonly view: string;
  readonly state: string | null;
}

function textsOf({ aggregate, state }: Subject): Texts | null {
  if (!state) return null;
  const view = JSON.stringify(viewOf(aggregate, state));
  return { view, state: aggregate.view ? JSON.stringify(state) : null };
}
