import type { NodeFacts } from './facts.ts';
import { kindOf } from './provision-machine.ts';
import { refuse } from './refusals.ts';
import type { Node } from './state.ts';

/** How a worker says who it is. The token of its lock proves most, the attempt less, a name least. */
export interface Claim {
  readonly holder?: string | undefined;
  readonly token?: number | undefined;
  readonly attempt?: number | undefined;
}

/**
 * What a report's sender is to the node.
 * `holder`: holds the lock. `free`: nobody does, and the report is of the attempt at hand, or names none.
 * `blocked`: the node waits, and somebody else holds the lock for the moment. `outsider`: somebody else is at work.
 * `ended`: the attempt it names is over. `superseded`: and another has begun since.
 */
export type Standing = 'holder' | 'free' | 'blocked' | 'outsider' | 'ended' | 'superseded';

export function standingOf(node: Node, claim: Claim, { actor }: NodeFacts): Standing {
  const { reservation: lock, operation, attempts } = node;
  const { attempt, token } = claim;
  if ((attempt ?? 0) > attempts || (token ?? 0) > node.lastToken) {
    const detail = `The node has given out attempts up to ${attempts} and tokens up to ${node.lastToken}.`;
    refuse('unknown-attempt', detail, { attempt: attempts, token: node.lastToken });
  }
  if (lock && lock.token === token) return 'holder';
  if ((attempt ?? attempts) < attempts) return 'superseded';
  if (token !== undefined && token < (operation?.firstToken ?? 0)) return 'superseded';

  const named = lock !== null && token === undefined && (claim.holder ?? actor.id) === lock.holder;
  if (named && lock.kind === 'clean-up') return 'holder';
  if (operation?.endedAt && (attempt ?? token) !== undefined) return 'ended';
  if (!lock) return 'free';
  // A name does for the work at hand, and for a power action, but not to tell a console's lock from a worker's.
  if (named && (lock.kind === 'provision' || (lock.kind === 'power' && attempt === undefined))) return 'holder';
  return kindOf(node.provisionState) === 'waiting' ? 'blocked' : 'outsider';
}
