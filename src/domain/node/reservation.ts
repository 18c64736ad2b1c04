import type { NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { extended, released, requireUnlocked, reserved } from './lock.ts';
import { refuse } from './refusals.ts';
import type { Node, Reservation } from './state.ts';
import { afterLoss, afterRelease, isWorkedOn } from './work.ts';

interface Claim {
  readonly holder?: string | undefined;
  readonly token?: number | undefined;
}

/** Whether a caller may act for the holder: by the lock's token, or by being or naming the holder. */
const holds = (lock: Reservation, { holder, token }: Claim, { actor }: NodeFacts): boolean =>
  token === undefined ? (holder ?? actor.id) === lock.holder : token === lock.token;

interface Wish {
  readonly holder?: string | undefined;
  readonly purpose: string;
  readonly leaseMs?: number | undefined;
}

/** Takes the lock, or gives a lock of the same holder and purpose more time. */
export function reserveNode(node: Node, { holder, purpose, leaseMs }: Wish, facts: NodeFacts): NodeEvent[] {
  const name = holder ?? facts.actor.id;
  const lock = node.reservation;
  if (!lock) return [reserved(node, { holder: name, kind: 'other', purpose, leaseMs }, facts)];
  if (lock.holder !== name || lock.purpose !== purpose) requireUnlocked(node, undefined, facts);
  return extended(node, leaseMs, facts);
}

export function releaseNode(node: Node, claim: Claim, facts: NodeFacts): NodeEvent[] {
  const lock = node.reservation;
  if (!lock) return [];
  const { holder, purpose } = lock;
  if (!holds(lock, claim, facts)) {
    const detail = `The lock is held by ${holder} for ${purpose}, not by the caller.`;
    refuse('reservation-not-held', detail, { holder, purpose });
  }
  if (isWorkedOn(node)) {
    refuse('work-under-way', `${holder} holds the lock for ${purpose}, and the node is ${node.provisionState}.`);
  }
  return [...released(node, 'released'), ...afterRelease(node, facts)];
}

/**
 * The way out where a holder is gone for good. Who did it and why is recorded, and the work is given up. With a token,
 * it is that lock alone: whoever repeats the command does not break the lock of the next holder.
 */
export function breakReservation(
  node: Node,
  { reason, token: meant }: { reason: string; token?: number | undefined },
  facts: NodeFacts,
): NodeEvent[] {
  const lock = node.reservation;
  if (!lock || lock.token !== (meant ?? lock.token)) return [];
  const { holder, token, purpose } = lock;
  const error = `The lock of ${holder} for ${purpose} was broken: ${reason}`;
  return [
    { type: 'NodeReservationBroken', data: { holder, token, purpose, reason } },
    ...afterLoss(node, { cause: 'lock-broken', error }, facts),
  ];
}
