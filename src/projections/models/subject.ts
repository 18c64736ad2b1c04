import type { Database, Statement } from 'better-sqlite3';
import { type Aggregate, isAlive, type Lifetime } from '../../domain/kernel/aggregate.ts';
import type { Kind, ResourceRef } from '../../domain/kernel/resource.ts';
import type { Wait } from '../queries.ts';
import { type ColumnValue, columnsOf } from './columns.ts';
import type { KindTable, Link } from './kind-table.ts';
import { kindTables } from './kinds/all.ts';
import type { Condition } from './projection.ts';

/** A resource as the models carry it from one piece of its stream to the next. */
export interface Subject extends ResourceRef {
  readonly aggregate: Aggregate;
  readonly table: KindTable<Lifetime>;
  /** Its number in the file; 0 before it is first written. */
  key: number;
  /** What is folded; null where nothing of its life was understood yet. */
  state: Lifetime | null;
  revision: number;
  position: number;
  /** The command that led to its last event; '' where that is not known. */
  commandId: string;
  condition: Condition | null;
  /** Stays written so far. */
  stays: number;
  /** What the tables say of it: what is the same need not be written again. */
  readonly written: {
    status: string | null;
    columns: readonly ColumnValue[];
    waits: readonly Wait[];
    links: readonly Link[];
    spellings: readonly string[];
  };
}

interface SubjectRow {
  key: number;
  revision: number;
  position: number;
  command: string;
  stays: number;
  alive: 0 | 1;
  status: string;
  status_since: string;
  sub_state: string | null;
  sub_state_since: string;
  host: string | null;
  state: string | null;
}

export const newSubject = (aggregate: Aggregate, id: string): Subject => ({
  kind: aggregate.kind,
  id,
  aggregate,
  table: kindTables[aggregate.kind],
  key: 0,
  state: null,
  revision: -1,
  position: 0,
  commandId: '',
  condition: null,
  stays: 0,
  written: { status: null, columns: [], waits: [], links: [], spellings: [] },
});

/** Finds resources in the tables. */
export class SubjectReader {
  readonly #byId: Statement<[Kind, string], SubjectRow>;
  readonly #byKey: Statement<[number], SubjectRow>;

  constructor(db: Database) {
    const select = `SELECT r.key, r.revision, r.position, r.command, r.stays, r.alive, r.status, r.status_since,
        r.sub_state, r.sub_state_since, r.host, ifnull(s.state, s.view) AS state
      FROM resources r LEFT JOIN states s ON s.resource = r.key`;
    this.#byId = db.prepare(`${select} WHERE r.kind = ? AND r.id = ?`);
    this.#byKey = db.prepare(`${select} WHERE r.key = ?`);
  }

  find(aggregate: Aggregate, id: string): Subject {
    const row = this.#byId.get(aggregate.kind, id);
    return row ? restore(newSubject(aggregate, id), row) : newSubject(aggregate, id);
  }

  /** The resource as it was last written. */
  again({ aggregate, id, key }: Subject): Subject {
    const row = key === 0 ? undefined : this.#byKey.get(key);
    return row ? restore(newSubject(aggregate, id), row) : newSubject(aggregate, id);
  }
}

function restore(subject: Subject, row: SubjectRow): Subject {
  subject.key = row.key;
  subject.state = row.state === null ? null : (JSON.parse(row.state) as Lifetime);
  subject.revision = row.revision;
  subject.position = row.position;
  subject.commandId = row.command;
  subject.stays = row.stays;
  subject.condition = row.alive
    ? {
        status: row.status,
        statusSince: row.status_since,
        subState: row.sub_state,
        subStateSince: row.sub_state_since,
        host: row.host,
      }
    : null;
  Object.assign(subject.written, {
    status: row.alive ? row.status : null,
    columns: columnsOf(subject),
    waits: waitsOf(subject),
    links: linksOf(subject),
    spellings: spellingsOf(subject),
  });
  return subject;
}

/** What the resource waits for. A deleted one waits for nothing, whatever its last state says. */
export const waitsOf = ({ state, table }: Subject): readonly Wait[] =>
  state && isAlive(state) ? table.waits(state) : [];

/** What the resource depends on, while it exists. */
export const linksOf = ({ state, table }: Subject): readonly Link[] =>
  state && isAlive(state) ? table.links(state) : [];

/** What else it is looked for by, in lower case: also a deleted one. */
export function spellingsOf({ id, state, table }: Subject): readonly string[] {
  if (!state) return [];
  const written = [id, table.columns(state).name ?? ''];
  const other = written.map((word) => word.toLowerCase()).filter((word, index) => word !== written[index]);
  const addresses = (table.addresses?.(state) ?? []).map((address) => address.toLowerCase());
  return [...new Set([...other, ...addresses])];
}
