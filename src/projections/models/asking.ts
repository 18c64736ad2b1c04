import type { Database, Statement } from 'better-sqlite3';
import {
  type Answer,
  type Ask,
  defaultLimit,
  maxLimit,
  type OneOrMore,
  type Page,
  type QueryName,
} from '../queries.ts';

/** A question that cannot be answered as it was put. */
export class InvalidQuery extends Error {
  override readonly name = 'InvalidQuery';
}

/** How the queries of a projection answer. */
export type Answers<N extends QueryName> = { readonly [M in N]: (sql: Sql, ask: Ask<M>) => Answer<M> };

type Value = string | number | null;

/** Queries differ in their filters; so many shapes are kept prepared. */
const maxStatements = 256;

/** Prepared statements, by their text. */
export class Sql {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
  }

  all<Row>(text: string, values: readonly Value[]): Row[] {
    return this.#prepared(text).all(...values) as Row[];
  }

  get<Row>(text: string, values: readonly Value[]): Row | undefined {
    return this.#prepared(text).get(...values) as Row | undefined;
  }

  #prepared(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      if (this.#statements.size >= maxStatements) this.#statements.clear();
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** Conditions of a WHERE that are joined by AND; those whose value was not given are left out. */
export class Where {
  readonly #conditions: string[] = [];
  readonly values: Value[] = [];

  /** `condition` holds one `?` for each value. */
  and(condition: string, ...values: (Value | undefined)[]): this {
    if (values.some((value) => value === undefined)) return this;
    this.#conditions.push(condition);
    this.values.push(...(values as Value[]));
    return this;
  }

  /** @param around what the condition is part of */
  andIn(column: string, wanted: OneOrMore | undefined, around = (condition: string) => condition): this {
    if (wanted === undefined) return this;
    const values = [wanted].flat();
    if (values.length === 0) return this.and('0');
    return this.and(around(`${column} IN (${values.map(() => '?').join(', ')})`), ...values);
  }

  get text(): string {
    return this.#conditions.length === 0 ? '' : `WHERE ${this.#conditions.join(' AND ')}`;
  }
}

/** @throws InvalidQuery */
export function limitOf({ limit = defaultLimit }: { readonly limit?: number }, most = maxLimit): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw new InvalidQuery(`A limit is a whole number from 1 to ${most}; ${limit} is not.`);
}

/** What a table of SQL says of a word that came from outside. @throws InvalidQuery where it has no such word */
export function entryOf<K extends string>(table: Readonly<Record<K, string>>, key: K, saying: string): string {
  if (Object.hasOwn(table, key)) return table[key];
  throw new InvalidQuery(`${saying} one of ${Object.keys(table).join(', ')}.`);
}

/** A page of at most `limit` rows, made of one row more, which tells whether there is a next page. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  itemOf: (row: Row) => T,
  markerOf: (row: Row) => readonly Value[],
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(itemOf),
    next: rows.length > limit && last !== undefined ? encodeMarker(markerOf(last)) : null,
  };
}

const encodeMarker = (values: readonly Value[]): string => Buffer.from(JSON.stringify(values)).toString('base64url');

/** The values of a marker that {@link pageOf} made; null where it is none. */
export function decodeMarker(marker: string, length: number): Value[] | null {
  try {
    const values = JSON.parse(Buffer.from(marker, 'base64url').toString()) as unknown;
    return Array.isArray(values) && values.length === length && values.every(isValue) ? values : null;
  } catch {
    return null;
  }
}

/** @throws InvalidQuery */
export function markerOf(ask: { readonly marker?: string }, length: number): Value[] | undefined {
  if (ask.marker === undefined) return undefined;
  const values = decodeMarker(ask.marker, length);
  if (values) return values;
  throw new InvalidQuery('The marker is not one that a page of this list ended with.');
}

const isValue = (value: unknown): value is Value =>
  value === null || typeof value === 'string' || typeof value === 'number';
