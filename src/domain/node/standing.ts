import type { NodeFacts } from './facts.ts';
import { kindOf, nextState } from './provision-machine.ts';
import { refuse } from './refusals.ts';
import type { Node, Reservation } from './state.ts';

/** How a worker says who it is. The token of its lock proves most, the attempt less, a name least. */
export interface Claim {
  readonly event?: string | undefined;
  readonly holder?: string | undefined;
  readonly token?: number | undefined;
  readonly attempt?: number | undefined;
}

/**
 * What a report's sender is to the node.
 * `holder`: holds the lock. `free`: nobody does, and the report is of the attempt at hand, or names none.
 * `blocked`: the node waits, and somebody else holds the lock for the moment. `outsider`: somebody else is at work.
 * `ended`: the attempt it names is over. `superseded`: and another has begun since.
 * `past`: held a lock in this attempt or after it, has told of its end, and the work goes on under another.
 */
export type Standing = 'holder' | 'free' | 'blocked' | 'outsider' | 'ended' | 'superseded' | 'past';

export function standingOf(node: Node, claim: Claim, { actor }: NodeFacts): Standing {
  const { reservation: lock, operation } = node;
  const { attempt, token } = claim;
  requireKnown(node, claim);
  if (lock && lock.token === token) return 'holder';
  if ((attempt ?? node.attempts) < node.attempts) return 'superseded';
  if (token !== undefined && operation) {
    if (token < operation.firstToken) return 'superseded';
    if (token !== node.workToken) return 'past';
  }

  const named = lock !== null && token === undefined && (claim.holder ?? actor.id) === lock.holder;
  if (named && lock.kind === 'clean-up') return 'holder';
  if (operation?.endedAt && (attempt ?? token) !== undefined) return 'ended';
  if (!lock) return 'free';
  if (named && isMeant(lock, node, claim)) return 'holder';
  return kindOf(node.provisionState) === 'waiting' ? 'blocked' : 'outsider';
}

function requireKnown({ attempts, lastToken }: Node, { attempt = 0, token = 0 }: Claim): void {
  if (attempt <= attempts && token <= lastToken) return;
  const detail = `The node has given out attempts up to ${attempts} and tokens up to ${lastToken}.`;
  refuse('unknown-attempt', detail, { attempt: attempts, token: lastToken });
}

/** Whether somebody who only gives the holder's name means the work that the lock is for. */
function isMeant({ kind, holder, purpose }: Reservation, node: Node, { attempt, event }: Claim): boolean {
  if (kind === 'other') return kindOf(node.provisionState) === 'working';
  if (kind !== 'power') return true;
  if (attempt !== undefined) return false;
  if (event && nextState(node.provisionState, event)) {
    const detail = `${event} may be about the ${purpose} of ${holder} or about a node that is ${node.provisionState}.`;
    refuse('ambiguous-report', `${detail} Give the token for the one, the attempt for the other.`);
  }
  return true;
}
