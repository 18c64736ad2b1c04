import type { FastifyRequest } from 'fastify';
import { Uuid } from '../../../domain/kernel/resource.ts';
import type { ListQuery } from '../../../projections/queries.ts';
import { allOf, type ListingRules, lastOf, listingOf, nextPage, type Query } from '../listing.ts';
import type { Resources } from '../resources.ts';
import { invalid, notFound, requireMinor } from './faults.ts';
import { nodeShown, type Selection, selectionOf } from './node-shown.ts';
import type { NodeState } from './node-state.ts';

const rules: ListingRules = {
  most: 1000,
  zero: 'most',
  sortKeys: {
    uuid: 'id',
    name: 'name',
    provision_state: 'status',
    provision_updated_at: 'statusSince',
    conductor: 'host',
    created_at: 'createdAt',
    updated_at: 'updatedAt',
  },
  refuse: invalid,
};

interface Filter {
  /** The minor version it came with. */
  readonly since?: number;
  /** What the read models are asked for. */
  readonly query?: (value: string) => Partial<ListQuery>;
  /** What is looked at one by one. */
  readonly matches?: (node: NodeState, value: string) => boolean;
}

const truthy = new Map(
  Object.entries({
    true: true,
    yes: true,
    on: true,
    1: true,
    t: true,
    y: true,
    false: false,
    no: false,
    off: false,
    0: false,
    f: false,
    n: false,
  }),
);

/** As Python's clients write it. @throws Fault */
function boolean(text: string): boolean {
  const value = truthy.get(text.toLowerCase());
  if (value === undefined) throw invalid(`"${text}" is neither true nor false.`);
  return value;
}

const filters: Readonly<Record<string, Filter>> = {
  provision_state: { since: 9, query: (state) => ({ status: [state] }) },
  instance_uuid: { query: (device) => ({ device }) },
  owner: { since: 50, query: (project) => ({ project }) },
  conductor: { since: 49, query: (host) => ({ host }) },
  associated: { matches: ({ instanceId }, value) => (instanceId !== null) === boolean(value) },
  maintenance: { matches: ({ maintenance }, value) => (maintenance !== null) === boolean(value) },
  driver: { since: 16, matches: ({ driver }, value) => driver === value },
  resource_class: { since: 21, matches: ({ resourceClass }, value) => resourceClass === value },
  fault: { since: 42, matches: ({ maintenance }, value) => (maintenance?.fault ?? 'none') === value },
  conductor_group: { since: 46, matches: (_node, value) => value === '' },
  chassis_uuid: { matches: () => false },
  description_contains: {
    since: 51,
    matches: ({ description }, value) => description?.toLowerCase().includes(value.toLowerCase()) ?? false,
  },
  retired: { since: 61, matches: ({ retired }, value) => retired === boolean(value) },
  lessee: { since: 65, matches: ({ lessee }, value) => lessee === value },
};

const paging = ['limit', 'marker', 'sort_key', 'sort_dir', 'fields', 'detail'];

/** `GET /v1/nodes`, and `/v1/nodes/detail`. @throws Fault */
export async function listNodes(request: FastifyRequest, resources: Resources, detail: boolean): Promise<object> {
  const query = request.query as Query;
  const selection = selectionFor(request, query, detail);
  const listing = listingOf(query, rules);
  const given = filtersIn(request, query);
  const { marker } = listing.query;
  if (Uuid.safeParse(marker).success && !(await resources.find({ kind: 'node', id: marker! }))) throw notFound(marker!);
  const conditions = given.map(({ filter, value }) => filter.query?.(value) ?? {});
  const { items, more } = await resources.page<NodeState>(
    Object.assign({ kind: 'node' as const, ...listing.query }, ...conditions),
    listing.limit,
    (node) => given.every(({ filter, value }) => filter.matches?.(node, value) ?? true),
  );
  return {
    nodes: items.map((node) => nodeShown(request, node, selection)),
    ...(more && { next: nextPage(request, items.at(-1)!.id) }),
  };
}

function selectionFor(request: FastifyRequest, query: Query, detail: boolean): Selection {
  const asked = lastOf(query, 'detail');
  if (asked !== undefined) requireMinor(request, 43, 'detail');
  const all = detail || (asked !== undefined && boolean(asked));
  if (all && query.fields !== undefined) throw invalid('Ask for details or for fields, not for both.');
  return selectionOf(request, all ? 'all' : 'brief');
}

function filtersIn(request: FastifyRequest, query: Query): { filter: Filter; value: string }[] {
  const names = Object.keys(query).filter((name) => !paging.includes(name));
  return names.flatMap((name) => {
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (!filter) throw invalid(`Nodes cannot be filtered by ${name}; they can by ${Object.keys(filters).join(', ')}.`);
    requireMinor(request, filter.since ?? 1, `The filter ${name}`);
    return allOf(query, name).map((value) => ({ filter, value }));
  });
}
