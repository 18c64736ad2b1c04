import type { FastifyRequest } from 'fastify';
import type { ListQuery, SortKey } from '../../projections/queries.ts';
import type { Fault } from './fault.ts';
import { baseUrl } from './service.ts';

/** A query string as it is parsed: a name that is given twice has several values. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export const allOf = (query: Query, name: string): string[] => [query[name] ?? []].flat();
/** Of a parameter that may be given once, the last. */
export const lastOf = (query: Query, name: string): string | undefined => allOf(query, name).at(-1);

/** How a service's lists are asked for. */
export interface ListingRules {
  /** More than this is never sent at once, whatever was asked for. */
  readonly most: number;
  /** What `limit=0` means. */
  readonly zero: 'most' | 'nothing';
  /** The service's names of what a list can be sorted by. */
  readonly sortKeys: Readonly<Record<string, SortKey>>;
  readonly refuse: (message: string) => Fault;
}

export interface Listing {
  readonly limit: number;
  readonly query: Pick<ListQuery, 'marker' | 'sort'>;
}

/** `limit`, `marker`, `sort_key` and `sort_dir`. @throws Fault as the service's rules word it */
export function listingOf(query: Query, rules: ListingRules): Listing {
  const marker = lastOf(query, 'marker');
  const by = sortKeyOf(query, rules);
  const direction = lastOf(query, 'sort_dir') ?? 'asc';
  if (direction !== 'asc' && direction !== 'desc')
    throw rules.refuse(`sort_dir must be asc or desc, not ${direction}.`);
  const descending = direction === 'desc';
  const sort = by === null ? (descending ? { by: 'createdAt' as const, descending } : null) : { by, descending };
  return { limit: limitOf(query, rules), query: { ...(marker && { marker }), ...(sort && { sort }) } };
}

function limitOf(query: Query, { most, zero, refuse }: ListingRules): number {
  const text = lastOf(query, 'limit');
  if (text === undefined) return most;
  if (!/^\d{1,9}$/.test(text)) throw refuse(`limit must be a whole number of 0 or more, not ${text}.`);
  const limit = Number(text);
  return limit === 0 && zero === 'most' ? most : Math.min(limit, most);
}

function sortKeyOf(query: Query, { sortKeys, refuse }: ListingRules): SortKey | null {
  const key = lastOf(query, 'sort_key');
  if (key === undefined) return null;
  if (Object.hasOwn(sortKeys, key)) return sortKeys[key]!;
  throw refuse(`The sort_key ${key} cannot be sorted by; these can: ${Object.keys(sortKeys).join(', ')}.`);
}

/** The list after this one: the same request with another marker. */
export function nextPage(request: FastifyRequest, marker: string): string {
  const [path, query = ''] = request.url.split('?', 2) as [string, string?];
  const parameters = new URLSearchParams(query);
  parameters.set('marker', marker);
  return `${baseUrl(request)}${path}?${parameters}`;
}

/** The named members of what is shown, in its own order. */
export const only = <T extends object>(shown: T, fields: readonly string[]): Partial<T> =>
  Object.fromEntries(Object.entries(shown).filter(([name]) => fields.includes(name))) as Partial<T>;
