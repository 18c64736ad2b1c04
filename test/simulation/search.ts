import type { Agent } from '../../src/domain/agent/state.ts';
import type { Search } from '../../src/domain/flows/searching-flow.ts';
import type { Lifetime } from '../../src/domain/kernel/aggregate.ts';
import type { Network } from '../../src/domain/network/state.ts';
import type { Node } from '../../src/domain/node/state.ts';
import type { Port } from '../../src/domain/port/state.ts';

/** Whether a resource of the kind that is searched for is meant: the read models' searches, on states in memory. */
export function isMeant(search: Search, state: Lifetime): boolean {
  if ('conductor' in search) return isNodeOf(state as Node, search.conductor);
  if ('provisionStates' in search) return search.provisionStates.includes((state as Node).provisionState);
  if ('type' in search) return (state as Agent).type === search.type && (state as Agent).alive;
  if ('dhcpHost' in search) return (state as Network).dhcpAgents.some(({ host }) => host === search.dhcpHost);
  const { networkId, binding, otherBindings, blocks } = state as Port;
  const isBlocked = 'blockedBy' in search && blocks.some(({ entity }) => entity === search.blockedBy);
  if ('networkId' in search) return networkId === search.networkId && isBlocked;
  const isThere = [binding, ...otherBindings].some(({ host }) => host === search.host);
  return isThere && ('vifType' in search ? binding.vifType === search.vifType : isBlocked);
}

const isNodeOf = ({ conductor, reservation }: Node, name: string): boolean =>
  conductor === name || reservation?.holder === name;
