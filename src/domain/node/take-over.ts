import { isConductorLost } from '../agent/conductor.ts';
import type { NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { released } from './lock.ts';
import type { Node } from './state.ts';
import { afterLoss, isWorkedOn } from './work.ts';

interface LostConductor {
  readonly conductor: string;
  /** Without it nobody goes on yet. */
  readonly by?: string | undefined;
  /** Locks it took later are its own, if it is back: one that is gone holds none, whatever the clocks have said since. */
  readonly lostAt?: string | undefined;
}

/**
 * A conductor is lost, or has started anew and lost what it was doing; `by` goes on with its nodes. Work that ran on it
 * has failed, in every working state alike and in maintenance too, since nobody will ever finish it. A node that waits
 * for its ramdisk, or for an operator, has lost nothing but a lock. Told twice, it has nothing left to do.
 */
export function takeOverConductor(node: Node, loss: LostConductor, facts: NodeFacts): NodeEvent[] {
  const { conductor, by, lostAt = facts.time } = loss;
  const { reservation, postponed } = node;
  const isGone = facts.related !== undefined && isConductorLost(conductor, facts.related);
  const held = reservation?.holder === conductor && (isGone || reservation.since <= lostAt);
  if (!held && node.conductor !== conductor) return [];

  const moves = by !== undefined && by !== conductor && node.conductor !== by;
  const moved: NodeEvent[] = moves ? [{ type: 'NodeTakenOver', data: { conductor, by } }] : [];
  const othersAtWork = reservation !== null && !held;
  const adrift = held || isWorkedOn(node) || node.targetPowerState !== null;
  if (othersAtWork || !adrift) return moved;

  const error = `The conductor ${conductor} ${fateOf(loss)} while the node was ${node.provisionState}.`;
  const holder = postponed?.holder === conductor ? by : postponed?.holder;
  return [...moved, ...released(node, 'take-over'), ...afterLoss(node, { cause: 'takeover', error, holder }, facts)];
}

const fateOf = ({ conductor, by }: LostConductor): string => {
  if (by === undefined) return 'was lost';
  return by === conductor ? 'was started anew' : `was lost and ${by} took over`;
};
