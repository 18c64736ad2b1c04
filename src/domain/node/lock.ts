import type { NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { refuse } from './refusals.ts';
import type { LockKind, Node, Reservation } from './state.ts';
import { later } from './texts.ts';

/** Seconds after which a caller that met a lock without an end should come again. */
const retryAfter = 1;

/** What a caller who is kept out is told: by whom, for what, and when to come again. */
export function lockedBy({ holder, purpose, since, expiresAt }: Reservation, time: string) {
  const untilExpiry = expiresAt ? Math.ceil((Date.parse(expiresAt) - Date.parse(time)) / 1000) : retryAfter;
  return {
    detail: `The node is locked by ${holder} for ${purpose} since ${since}; try again when that has ended.`,
    help: { reason: 'locked', retryable: true, retryAfter: Math.max(untilExpiry, retryAfter), holder, purpose, since },
  };
}

/** Keeps everybody out but the one who proves to hold the lock. */
export function requireUnlocked({ reservation }: Node, token: number | undefined, { time }: NodeFacts): void {
  if (!reservation || reservation.token === token) return;
  const { detail, help } = lockedBy(reservation, time);
  refuse('node-locked', detail, help);
}

/** Whoever asks does the work, unless the node has a conductor, or somebody is named. */
export const workerFor = (
  { conductor }: Node,
  named: string | undefined,
  { actor }: Pick<NodeFacts, 'actor'>,
): string => named ?? conductor ?? actor.id;

interface LockRequest {
  readonly holder: string;
  readonly kind: LockKind;
  readonly purpose: string;
  readonly leaseMs?: number | undefined;
}

export const reserved = (node: Node, { leaseMs, ...lock }: LockRequest, { time }: NodeFacts): NodeEvent => ({
  type: 'NodeReserved',
  data: { ...lock, token: node.lastToken + 1, expiresAt: leaseMs === undefined ? null : later(time, leaseMs) },
});

export const released = (
  { reservation }: Node,
  why: 'released' | 'work-done' | 'expired' | 'take-over',
): NodeEvent[] =>
  reservation ? [{ type: 'NodeReleased', data: { holder: reservation.holder, token: reservation.token, why } }] : [];

/** After an abort a worker tidies up, on a node that has come to rest already. */
export const cleanUpLock = (holder: string, leaseMs?: number | undefined): LockRequest => ({
  holder,
  leaseMs,
  kind: 'clean-up',
  purpose: 'clean-up after abort',
});

/** The lock for so much longer from now. */
export function extended({ reservation }: Node, leaseMs: number | undefined, { time }: NodeFacts): NodeEvent[] {
  if (!reservation || leaseMs === undefined) return [];
  const expiresAt = later(time, leaseMs);
  if (reservation.expiresAt === expiresAt) return [];
  return [{ type: 'NodeReservationExtended', data: { token: reservation.token, expiresAt } }];
}
