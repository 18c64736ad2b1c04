import { sameJson } from '../kernel/json.ts';
import type { NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { refuse } from './refusals.ts';
import type { Claim } from './standing.ts';
import type { IgnoredReport, Node } from './state.ts';
import { clipped } from './texts.ts';
import { isKnown } from './troubles.ts';
import { broughtAbout, errorRaised, type ProvisionReport } from './work-reports.ts';

/** How an attempt came out is a fact about that attempt, even when it is told late. What would go on must stop. */
const tellsOutcome = (event: string): event is 'done' | 'fail' => event === 'done' || event === 'fail';

/**
 * A report of the attempt that ended last: two workers tell of the same end, or one comes after a timeout. Agreeing is
 * no change, though another reason is kept as what followed. A contradiction is kept, and changes nothing.
 */
export function afterTheEnd(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] {
  const { event, error } = report;
  if (event === 'error') return errorRaised(node, report);
  if (!tellsOutcome(event)) return stale(node, report);
  if (!broughtAbout[event](node)) return ignored(node, report, facts);
  const isNews = event === 'fail' && error !== undefined && !isKnown(node, clipped(error));
  return isNews ? errorRaised(node, report) : [];
}

/** A report of an attempt before the one at hand, whose own work it must not touch. */
export function ofEarlierAttempt(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] {
  const { event } = report;
  return tellsOutcome(event) || event === 'error' ? ignored(node, report, facts) : stale(node, report);
}

/** The end of a lock that has been told already: of a power action, of a clean-up, of a worker who handed over. */
export const ofPastLock = (node: Node, report: ProvisionReport): NodeEvent[] =>
  tellsOutcome(report.event) ? [] : stale(node, report);

function ignored(node: Node, report: ProvisionReport, { actor }: NodeFacts): NodeEvent[] {
  const { event, attempt = null, token = null, holder = actor.id } = report;
  const error = report.error === undefined ? null : clipped(report.error);
  const told: IgnoredReport = { event, attempt, token, holder, error };
  if (sameJson(told, node.ignored)) return [];
  const data = { event, attempt, token, holder, ...(error !== null && { error }), currentAttempt: node.attempts };
  return [{ type: 'NodeReportIgnored', data }];
}

export function stale(node: Node, { event, attempt, token }: Claim): never {
  const named = attempt === undefined ? `lock ${token}` : `attempt ${attempt}`;
  const detail = `${event} of ${named} comes too late: the node is ${node.provisionState}, at attempt ${node.attempts}.`;
  return refuse('stale-report', detail, {
    retryable: false,
    attempt: node.attempts,
    provisionState: node.provisionState,
  });
}
