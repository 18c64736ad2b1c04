import type { NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { afterTheEnd, ofEarlierAttempt, ofPastLock } from './late-reports.ts';
import { lockedBy, released, workerFor } from './lock.ts';
import { powerOutcome } from './power.ts';
import { kindOf, ruleOf } from './provision-machine.ts';
import { refuse } from './refusals.ts';
import { type Standing, standingOf } from './standing.ts';
import type { LockKind, Node } from './state.ts';
import { clipped } from './texts.ts';
import { alreadyTold, atWork, errorRaised, isReportable, meaningOf, type ProvisionReport } from './work-reports.ts';

type Answer = (node: Node, report: ProvisionReport, facts: NodeFacts) => NodeEvent[];

/** A worker, or the node's ramdisk, says what has happened. What that means depends on who says it. */
export function reportProvisionEvent(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] {
  return answers[standingOf(node, report, facts)](node, report, facts);
}

const answers: Readonly<Record<Standing, Answer>> = {
  holder: (node, report, facts) => (node.reservation ? byLock[node.reservation.kind] : atWork)(node, report, facts),
  free: (node, report, facts) => atWork(node, report, facts),
  blocked: (node, report, facts) => postponed(node, report, facts),
  outsider: (node, report) => outsider(node, report),
  ended: (node, report, facts) => afterTheEnd(node, report, facts),
  superseded: (node, report, facts) => ofEarlierAttempt(node, report, facts),
  past: (node, report, facts) => ofPastLock(node, report, facts),
};

/** What the holder of a lock reports is about what the lock is for. */
const byLock: Readonly<Record<LockKind, Answer>> = {
  provision: (node, report, facts) => atWork(node, report, facts),
  other: (node, report, facts) => atWork(node, report, facts),
  power: (node, report, facts) => powerOutcome(node, report, facts) ?? aside(node, report, facts),
  'clean-up': (node, report, facts) => tidiedUp(node, report) ?? atWork(node, report, facts),
};

/** A report that is not about the lock at hand. */
const aside: Answer = (node, report, facts) =>
  kindOf(node.provisionState) === 'waiting' ? postponed(node, report, facts) : outsider(node, report);

/** The tidying up after an abort has ended. Where it failed, the abort stands, and the trouble is told. */
function tidiedUp(node: Node, report: ProvisionReport): NodeEvent[] | null {
  if (report.event === 'done') return released(node, 'work-done');
  if (report.event !== 'fail') return null;
  const during = 'clean-up after abort';
  const error = clipped(report.error ?? 'The clean-up failed; no reason was given.');
  const fault: NodeEvent[] =
    ruleOf(node.provisionState).activity === 'rescue'
      ? [{ type: 'NodeMaintenanceSet', data: { cause: 'rescue abort failure', reason: error } }]
      : [];
  return [...errorRaised(node, { ...report, error, during }), ...fault, ...released(node, 'work-done')];
}

/** The node calls back while a console, say, holds the lock: the report is kept and acted on when the lock is free. */
function postponed(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] {
  const { reservation, postponed: waiting, attempts: attempt } = node;
  if (!reservation || report.event === 'step' || report.event === 'error') return atWork(node, report, facts);

  const event = meaningOf(node, report.event);
  if (!isReportable(node.provisionState, event)) return alreadyTold(node, report.event);
  if (waiting?.event === event) return [];
  if (waiting) {
    const { detail, help } = lockedBy(reservation, facts.time);
    return refuse('node-locked', `${detail} ${waiting.event} is to be acted on then.`, help);
  }
  const { holder, purpose } = reservation;
  const sender = workerFor(node, report.holder, facts);
  const error = report.error === undefined ? {} : { error: clipped(report.error) };
  const data = { attempt, event, holder: sender, ...error, blockedBy: { holder, purpose } };
  return [{ type: 'NodeReportPostponed', data }];
}

function outsider(node: Node, report: ProvisionReport): NodeEvent[] {
  if (report.event === 'error') return errorRaised(node, report);
  const { holder, purpose } = node.reservation!;
  const detail = `The lock is held by ${holder} for ${purpose}; ${report.event} did not come from there: give the token of the lock, or the name of its holder.`;
  return refuse('reservation-not-held', detail, { holder, purpose });
}
