import type { Deadline } from '../kernel/aggregate.ts';
import type { NodeEvent } from './events.ts';
import { type NodeFacts, settingsOf } from './facts.ts';
import { stale } from './late-reports.ts';
import { released } from './lock.ts';
import { moves } from './moves.ts';
import { type Activity, ruleOf } from './provision-machine.ts';
import { type Claim, type Standing, standingOf } from './standing.ts';
import type { Node } from './state.ts';
import { later, latest } from './texts.ts';
import { afterLoss, faultOnFailure, worked } from './work.ts';

/** What a waiting node is waited for, in the words of the operator who reads that it did not come. */
const awaited: Readonly<Partial<Record<Activity, string>>> = {
  deploy: 'deploy call-back timeout',
  clean: 'clean call-back timeout',
  inspect: 'inspection timeout',
  rescue: 'rescue call-back timeout',
  service: 'service call-back timeout',
};

const leaseExpiry = 'reservation expiry';

/** By when a waiting node must have called back. Time stands still while it is in maintenance, or locked. */
function callBackDeadline(node: Node, heardAt: string | null): Deadline | null {
  const { callBack, maintenance, reservation, provisionState, attempts: attempt } = node;
  const { activity } = ruleOf(provisionState);
  if (!callBack || !activity || maintenance || reservation) return null;
  const name = awaited[activity]!;
  const extended = heardAt && activity !== 'inspect' ? later(heardAt, callBack.timeoutMs) : callBack.deadline;
  const at = latest(extended, callBack.deadline);
  return { name, at, command: { type: 'DeadlinePassed', data: { name, attempt } } };
}

/** By when a lock that was only lent must have been given back. */
function leaseDeadline({ reservation }: Node): Deadline | null {
  if (!reservation?.expiresAt) return null;
  const { token, expiresAt } = reservation;
  const data = { name: leaseExpiry, token };
  return { name: leaseExpiry, at: expiresAt, command: { type: 'DeadlinePassed', data } };
}

export const deadlinesOf = (node: Node, heardAt: string | null): Deadline[] =>
  [callBackDeadline(node, heardAt), leaseDeadline(node)].filter((deadline) => deadline !== null);

interface PassedDeadline {
  readonly name: string;
  readonly attempt?: number | undefined;
  readonly token?: number | undefined;
}

/** The clock's own command. It acts only where the wait it was set for still lasts, and has lasted long enough. */
export function deadlinePassed(node: Node, passed: PassedDeadline, facts: NodeFacts): NodeEvent[] {
  const heardAt = facts.related?.heardAt(facts.resource) ?? null;
  const due = deadlinesOf(node, heardAt).find(({ name, at, command }) => {
    const { attempt, token } = command.data as PassedDeadline;
    return name === passed.name && attempt === passed.attempt && token === passed.token && at <= facts.time;
  });
  if (!due) return [];
  return due.name === leaseExpiry ? leaseExpired(node, facts) : callBackMissed(node, due, facts);
}

function callBackMissed(node: Node, { name }: Deadline, facts: NodeFacts): NodeEvent[] {
  const { provisionState, stateSince, step } = node;
  const inStep = step ? `, in the step ${step.name}` : '';
  const error = `Timed out (${name}): the node did not call back in time. It had been in ${provisionState} since ${stateSince}${inStep}.`;
  return [...moves(node, ['fail'], { cause: 'timeout', facts, error }), ...faultOnFailure(node, 'fail', error)];
}

function leaseExpired(node: Node, facts: NodeFacts): NodeEvent[] {
  const { holder, purpose, expiresAt } = node.reservation!;
  const error = `The lock of ${holder} for ${purpose} expired at ${expiresAt} and was not renewed.`;
  return [...released(node, 'expired'), ...afterLoss(node, { cause: 'lock-expired', error }, facts)];
}

const isOver: readonly Standing[] = ['ended', 'superseded', 'past'];

/**
 * A sign of life of the node's ramdisk. It gives a waiting node more time, which the runtime keeps in memory; it is
 * recorded only where half of the time has gone, so that it is not lost with the process. Mostly it is no event.
 */
export function heartbeat(node: Node, claim: Claim, facts: NodeFacts): NodeEvent[] {
  const standing = standingOf(node, claim, facts);
  if (isOver.includes(standing)) stale(node, { ...claim, event: 'Heartbeat' }, facts);

  const { callBack, maintenance, provisionState, attempts: attempt } = node;
  const { activity } = ruleOf(provisionState);
  if (!callBack || activity === 'inspect') return [];
  if (maintenance) return settingsOf(facts).allowProvisioningInMaintenance ? [] : gaveUpInMaintenance(node, facts);
  const deadline = later(facts.time, callBack.timeoutMs);
  const isHalfOver = Date.parse(deadline) - Date.parse(callBack.deadline) >= callBack.timeoutMs / 2;
  return isHalfOver ? [{ type: 'NodeCallBackExtended', data: { attempt, deadline } }] : [];
}

function gaveUpInMaintenance(node: Node, facts: NodeFacts): NodeEvent[] {
  const error = 'The node called back while in maintenance, in which this site does not provision nodes.';
  return node.reservation ? [] : worked(node, 'fail', { holder: facts.actor.id, error }, facts);
}
