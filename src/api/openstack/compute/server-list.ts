import type { FastifyRequest } from 'fastify';
import { type Audience, statusFilterFor, vmStatesFor } from '../../../domain/server/audience.ts';
import { taskStates, vmStates } from '../../../domain/server/states.ts';
import { matchesFilter, statusFor } from '../../../domain/server/status.ts';
import type { ListQuery } from '../../../projections/queries.ts';
import { allOf, type ListingRules, listingOf, nextPage, type Query } from '../listing.ts';
import type { Resources } from '../resources.ts';
import { addressesOf } from './addresses.ts';
import { audienceOf } from './audience.ts';
import { badRequest, knows } from './faults.ts';
import { serverInBrief, serverShown } from './server-shown.ts';
import type { ServerState } from './server-state.ts';

const rules: ListingRules = {
  most: 1000,
  zero: 'nothing',
  sortKeys: {
    uuid: 'id',
    display_name: 'name',
    vm_state: 'status',
    host: 'host',
    created_at: 'createdAt',
    updated_at: 'updatedAt',
    launched_at: 'createdAt',
  },
  refuse: badRequest,
};

/** What a filter asks of the read models, and what it looks at one by one. Null: nothing can answer to it. */
interface Condition {
  readonly query?: Partial<ListQuery>;
  readonly matches?: (server: ServerState) => boolean;
}

type Filter = (values: readonly string[], request: FastifyRequest) => Condition | null;

const every = (list: string): string[] => list.split(',').filter((item) => item !== '');

const byProject: Filter = ([project = '']) => ({ query: { project } });

/** Names are looked for as Nova's databases do: a regular expression, or the text itself where it is none. */
const byName: Filter = ([text = '']) => {
  let wanted: (name: string) => boolean = (name) => name.includes(text);
  try {
    const expression = new RegExp(text);
    if (text.length <= 100 && !/[*+{][^)]*[)][*+{]/.test(text)) wanted = (name) => expression.test(name);
  } catch {
    // Not an expression: the text itself is looked for.
  }
  return { matches: ({ name }) => wanted(name) };
};

const filters: Readonly<Record<string, Filter>> = {
  status: (statuses, request) => statusCondition(audienceOf(request), statuses, knows(request, 38)),
  vm_state: (wanted, request) => {
    const found = vmStatesFor(audienceOf(request), wanted);
    if (found.length === 0) return null;
    return { query: { status: statusesOf(found) }, matches: ({ vmState }) => found.some((known) => known === vmState) };
  },
  task_state: (wanted) => ({ matches: ({ taskState }) => wanted.includes(taskState ?? '') }),
  power_state: (wanted) => ({ matches: ({ powerState }) => wanted.includes(String(powerState)) }),
  host: ([host = '']) => ({ query: { host } }),
  uuid: (ids) => ({ query: { ids } }),
  name: byName,
  project_id: byProject,
  tenant_id: byProject,
  user_id: ([user]) => ({ matches: ({ userId }) => userId === user }),
  image: ([image]) => ({ matches: ({ imageRef }) => imageRef === image }),
  flavor: ([flavor]) => ({ matches: ({ flavorRef }) => flavorRef === flavor }),
  availability_zone: ([zone]) => ({ matches: ({ availabilityZone }) => availabilityZone === zone }),
  reservation_id: ([id]) => ({ matches: ({ reservationId }) => reservationId === id }),
  node: ([device = '']) => ({ query: { device } }),
  locked: ([text = '']) => ({ matches: ({ lock }) => (lock !== null) === (text.toLowerCase() === 'true') }),
  tags: ([list = '']) => ({ matches: ({ tags }) => every(list).every((tag) => tags.includes(tag)) }),
  'tags-any': ([list = '']) => ({ matches: ({ tags }) => every(list).some((tag) => tags.includes(tag)) }),
  'not-tags': ([list = '']) => ({ matches: ({ tags }) => !every(list).every((tag) => tags.includes(tag)) }),
  'not-tags-any': ([list = '']) => ({ matches: ({ tags }) => !every(list).some((tag) => tags.includes(tag)) }),
  // What has changed since then includes what was deleted since.
  'changes-since': ([time = '']) => ({ query: { since: momentOf('changes-since', time), deleted: 'include' } }),
  'changes-before': ([time = '']) => {
    const before = momentOf('changes-before', time);
    return { query: { deleted: 'include' }, matches: ({ updatedAt }) => updatedAt <= before };
  },
  deleted: ([text = '']) => ({
    query: { deleted: ['true', '1', 'yes', 'on'].includes(text.toLowerCase()) ? 'only' : 'exclude' },
  }),
  all_tenants: () => ({}),
};

/** `GET /servers` and `/servers/detail`. @throws Fault */
export async function listServers(request: FastifyRequest, resources: Resources, detail: boolean): Promise<object> {
  const query = request.query as Query;
  const listing = listingOf(query, rules);
  const conditions = conditionsIn(request, query);
  if (conditions === null || listing.limit === 0) return { servers: [] };
  const asked = conditions.map((condition) => condition.query ?? {});
  const { items, more } = await resources.page<ServerState>(
    Object.assign({ kind: 'server' as const, sort: { by: 'createdAt', descending: true } }, listing.query, ...asked),
    listing.limit,
    (server) => conditions.every(({ matches }) => matches?.(server) ?? true),
  );
  const servers: object[] = [];
  for (const server of items) {
    servers.push(
      detail ? serverShown(request, server, await addressesOf(resources, server)) : serverInBrief(request, server),
    );
  }
  return {
    servers,
    ...(more && { servers_links: [{ rel: 'next', href: nextPage(request, items.at(-1)!.id) }] }),
  };
}

const paging = ['limit', 'marker', 'sort_key', 'sort_dir'];

/** Null where one of them leaves nothing. From 2.75 on a parameter that nobody knows is refused. */
function conditionsIn(request: FastifyRequest, query: Query): readonly Condition[] | null {
  const conditions: Condition[] = [];
  for (const name of Object.keys(query)) {
    if (paging.includes(name)) continue;
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (!filter) {
      if (knows(request, 75)) throw badRequest(`Additional properties are not allowed ('${name}' was unexpected)`);
      continue;
    }
    const condition = filter(allOf(query, name), request);
    if (condition === null) return null;
    conditions.push(condition);
  }
  return conditions;
}

/** A status that is none is an error to newer clients, and finds nothing for older ones. */
function statusCondition(audience: Audience, statuses: readonly string[], strict: boolean): Condition | null {
  const wanted = statusFilterFor(audience, statuses);
  if (strict) for (const status of statuses) requireStatus(audience, status);
  if (wanted.vmStates.length === 0) return null;
  return {
    query: { status: statusesOf(wanted.vmStates), ...(statuses.some(isDeleted) && { deleted: 'include' }) },
    matches: (server) => matchesFilter(wanted, server),
  };
}

const isDeleted = (status: string): boolean => status.toUpperCase() === 'DELETED';

function requireStatus(audience: Audience, status: string): void {
  if (statusFilterFor(audience, [status]).vmStates.length === 0) throw badRequest('Invalid status value');
}

/** Every status that servers in these vm_states can have: what the read models are asked for. */
const statusesOf = (states: readonly string[]): string[] => [
  ...new Set(
    vmStates
      .filter((state) => states.includes(state))
      .flatMap((state) => [null, ...taskStates].map((task) => statusFor(state, task))),
  ),
  'DELETED',
];

function momentOf(name: string, text: string): string {
  const time = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(time)) throw badRequest(`Invalid filter field: ${name}.`);
  return new Date(time).toISOString();
}
