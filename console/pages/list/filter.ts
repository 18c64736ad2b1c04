import type { ListFilter } from '../../../src/client/index.ts';

/** What a list can be narrowed by: as it stands in the address, as people read it, and as the client calls it. */
export const filters = [
  { parameter: 'status', words: 'status', name: 'status' },
  { parameter: 'sub_state', words: 'task or target', name: 'subState' },
  { parameter: 'host', words: 'host', name: 'host' },
  { parameter: 'blocked_by', words: 'waits for', name: 'blockedBy' },
  { parameter: 'name', words: 'name', name: 'name' },
  { parameter: 'project', words: 'project', name: 'project' },
  { parameter: 'network', words: 'network', name: 'network' },
  { parameter: 'device', words: 'device', name: 'device' },
  { parameter: 'depends_on', words: 'depends on', name: 'dependsOn' },
  { parameter: 'since', words: 'changed since', name: 'since' },
  { parameter: 'status_before', words: 'in its status since before', name: 'statusBefore' },
  { parameter: 'deleted', words: 'deleted ones', name: 'deleted' },
] as const satisfies readonly { parameter: string; words: string; name: keyof ListFilter }[];

const pageSize = 50;

export const defaultSort = 'status_since:desc';

export function filterOf(query: URLSearchParams): ListFilter {
  const chosen = filters.flatMap(({ parameter, name }) => {
    const values = query.getAll(parameter);
    return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]];
  });
  const marker = query.get('marker');
  return {
    ...(Object.fromEntries(chosen) as ListFilter),
    sort: query.get('sort') ?? defaultSort,
    limit: pageSize,
    ...(marker !== null && { marker }),
  };
}

export const hasFilter = (query: URLSearchParams): boolean => filters.some(({ parameter }) => query.has(parameter));
