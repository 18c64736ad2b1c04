import type { Search } from '../domain/flows/searching-flow.ts';
import type { Network } from '../domain/network/state.ts';
import type { Port } from '../domain/port/state.ts';
import { everyPage } from './every-page.ts';
import type { ListQuery } from './queries.ts';
import type { Views } from './views.ts';

/** What to list for a search, and which of it is meant where a list cannot say so. */
interface Plan {
  readonly list: ListQuery;
  readonly means?: (viewText: string) => boolean;
}

function planOf(search: Search): Plan {
  const { kind } = search;
  if ('provisionStates' in search) return { list: { kind, status: search.provisionStates } };
  if ('conductor' in search) return { list: { kind, dependsOn: { kind: 'host', id: search.conductor } } };
  if ('type' in search) return { list: { kind, name: search.type, status: ['alive'] } };
  if ('dhcpHost' in search) return { list: { kind }, means: servedFrom(search.dhcpHost) };
  if ('networkId' in search) return { list: { kind, network: search.networkId, blockedBy: search.blockedBy } };
  const { host } = search;
  if ('blockedBy' in search) return { list: { kind, host, blockedBy: search.blockedBy } };
  return { list: { kind, host }, means: (text) => (JSON.parse(text) as Port).binding.vifType === search.vifType };
}

const servedFrom = (host: string) => (viewText: string) =>
  (JSON.parse(viewText) as Network).dhcpAgents.some((agent) => agent.host === host);

/** The ids of the resources that a search means, as far as the read models have come. */
export async function searchViews(views: Pick<Views, 'ask'>, search: Search): Promise<string[]> {
  const { list, means = () => true } = planOf(search);
  const found = new Set<string>('conductor' in search ? await lockedBy(views, search.conductor) : []);
  for await (const page of everyPage(views, 'list', list)) {
    for (const { id, viewText } of page) if (means(viewText)) found.add(id);
  }
  return [...found];
}

/** A conductor may also have the lock of a node that is another one's. */
async function lockedBy(views: Pick<Views, 'ask'>, holder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const page of everyPage(views, 'waiting', { kind: 'node', holder })) {
    found.push(...page.map(({ resource }) => resource.id));
  }
  return found;
}
