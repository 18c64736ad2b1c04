import type { FastifyRequest } from 'fastify';
import type { ListQuery, SortKey } from '../../../projections/queries.ts';
import { allOf, type ListingRules, listingOf, nextPage, only, type Query } from '../listing.ts';
import type { Resources, State } from '../resources.ts';
import { truth } from './body.ts';
import { invalid, notFound } from './faults.ts';

export type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

/** A filter that the read models know for one value; of several, each is held against what is shown. */
export const oneOf =
  (name: 'name' | 'network' | 'device' | 'project' | 'host') =>
  ([value, ...more]: string[]): Partial<ListQuery> =>
    more.length === 0 && value ? { [name]: value } : {};

const paging = ['limit', 'marker', 'sort_key', 'sort_dir', 'fields', 'page_reverse'];

/** A collection whose members are resources of one kind. */
export interface Collection<S extends State> {
  readonly kind: 'network' | 'port';
  /** As in `{"ports": [...]}`. */
  readonly plural: string;
  readonly shown: (state: S) => Shown;
  /** Filters that the read models know; all others are held against what is shown. */
  readonly query: Readonly<Record<string, (values: string[]) => Partial<ListQuery>>>;
  readonly sortKeys: Readonly<Record<string, SortKey>>;
  /** Filters that are not simply an attribute. */
  readonly matches?: Readonly<Record<string, (shown: Shown, values: readonly string[]) => boolean>>;
  /** Names of all attributes. */
  readonly attributes: readonly string[];
}

/** @throws Fault where the collection has none of this id */
export const memberWith = <S extends State>(resources: Resources, { kind }: Collection<S>, id: string): Promise<S> =>
  resources.existing<S>({ kind, id }, () => notFound(kind, id));

/** `GET /v2.0/<plural>`: filters, fields, order and pages as Neutron's clients ask for them. @throws Fault */
export async function listCollection<S extends State>(
  request: FastifyRequest,
  resources: Resources,
  collection: Collection<S>,
): Promise<object> {
  const query = request.query as Query;
  const filters = filtersIn(query, collection.attributes, collection.matches);
  const listing = listingOf(query, rulesFor(collection.sortKeys));
  const { marker } = listing.query;
  if (marker !== undefined) await memberWith(resources, collection, marker);
  const asked = Object.entries(query).map(([name]) => {
    const values = allOf(query, name);
    return Object.hasOwn(collection.query, name) ? collection.query[name]!(values) : {};
  });
  const { items, more } = await resources.page<S>(
    Object.assign({ kind: collection.kind, ...listing.query }, ...asked),
    listing.limit,
    (state) => fits(collection.shown(state), filters),
  );
  return answer(request, collection.plural, items.map(collection.shown), more);
}

/** A list of few things that have no read model of their own. @throws Fault */
export function listFew(
  request: FastifyRequest,
  plural: string,
  all: readonly Shown[],
  attributes: readonly string[],
): object {
  const query = request.query as Query;
  const filters = filtersIn(query, attributes);
  const { limit, query: order } = listingOf(
    query,
    rulesFor(Object.fromEntries(attributes.map((name) => [name, 'id']))),
  );
  const [key] = allOf(query, 'sort_key').slice(-1);
  const sorted = all.filter((shown) => fits(shown, filters));
  if (key !== undefined) sorted.sort((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1));
  if (order.sort?.descending) sorted.reverse();
  const after = order.marker === undefined ? 0 : sorted.findIndex(({ id }) => id === order.marker) + 1;
  if (order.marker !== undefined && after === 0)
    throw invalid(`There is nothing with the id ${order.marker} to go on after.`);
  const items = sorted.slice(after, after + limit);
  return answer(request, plural, items, after + limit < sorted.length);
}

const rulesFor = (sortKeys: ListingRules['sortKeys']): ListingRules => ({
  most: Number.MAX_SAFE_INTEGER,
  zero: 'most',
  sortKeys,
  refuse: invalid,
});

function answer(request: FastifyRequest, plural: string, items: readonly Shown[], more: boolean): object {
  return {
    [plural]: items.map((shown) => fieldsOf(request, shown)),
    ...(more && { [`${plural}_links`]: [{ rel: 'next', href: nextPage(request, items.at(-1)!.id) }] }),
  };
}

/** What was asked for of one thing. */
export function fieldsOf(request: FastifyRequest, shown: Shown): object {
  const fields = allOf(request.query as Query, 'fields').flatMap((list) => list.split(','));
  return fields.length === 0 ? shown : only(shown, fields);
}

type Filter = (shown: Shown) => boolean;

function filtersIn(
  query: Query,
  attributes: readonly string[],
  matches: Readonly<Record<string, (shown: Shown, values: readonly string[]) => boolean>> = {},
): Filter[] {
  if (query.page_reverse !== undefined && allOf(query, 'page_reverse').at(-1) !== 'False') {
    throw invalid('Lists are read forwards here; ask with sort_dir for another order.');
  }
  return Object.keys(query)
    .filter((name) => !paging.includes(name))
    .map((name): Filter => {
      const values = allOf(query, name);
      const own = Object.hasOwn(matches, name) ? matches[name]! : null;
      if (own) return (shown) => own(shown, values);
      if (!attributes.includes(name))
        throw invalid(`${name} is no attribute to filter by; there are ${attributes.join(', ')}.`);
      return (shown) => values.some((value) => isSame(shown[name], value));
    });
}

const fits = (shown: Shown, filters: readonly Filter[]): boolean => filters.every((matches) => matches(shown));

/** A value as it may be written in a query: `True` for true, an empty text for nothing. */
const isSame = (value: unknown, text: string): boolean =>
  typeof value === 'boolean' ? truth.get(text.toLowerCase()) === value : String(value ?? '') === text;
