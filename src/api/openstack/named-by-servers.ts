import type { Server } from '../../domain/server/state.ts';
import type { Resources, State } from './resources.ts';

/** What servers name and this ledger keeps nothing else of: each name once, in order. */
export async function namedByServers(resources: Resources, member: 'flavorRef' | 'imageRef'): Promise<string[]> {
  const names = new Set<string>();
  for await (const server of resources.list<Server & State>({ kind: 'server' })) {
    const name = server[member];
    if (name !== null) names.add(name);
  }
  return [...names].sort();
}
