import type { NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { refuse } from './refusals.ts';
import type { Node, Outcome } from './state.ts';
import { clipped } from './texts.ts';
import { isKnown } from './troubles.ts';
import { errorRaised, type ProvisionReport } from './work-reports.ts';

/** How an attempt came out is a fact about that attempt, even when it is told late. What would go on must stop. */
const tellsOutcome = (event: string): event is 'done' | 'fail' => event === 'done' || event === 'fail';

/** With these outcomes the node is where the report would have brought it. */
const agreesWith: Readonly<Record<'done' | 'fail', readonly Outcome[]>> = {
  done: ['succeeded', 'aborted'],
  fail: ['failed', 'aborted'],
};

/**
 * A report of the attempt that ended last: two workers tell of the same end, or one comes after a timeout. Agreeing is
 * no change, though another reason is kept as what followed. A contradiction is kept, and changes nothing.
 */
export function afterTheEnd(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] {
  const { event, error } = report;
  if (event === 'error') return errorRaised(node, report);
  if (!tellsOutcome(event)) return stale(node, report);
  if (!agreesWith[event].includes(node.operation!.outcome!)) return ignored(node, report, facts);
  const isNews = event === 'fail' && error !== undefined && !isKnown(node, clipped(error));
  return isNews ? errorRaised(node, report) : [];
}

/** A report of an attempt before the one at hand, whose own work it must not touch. */
export function ofEarlierAttempt(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] {
  const { event } = report;
  return tellsOutcome(event) || event === 'error' ? ignored(node, report, facts) : stale(node, report);
}

function ignored(node: Node, { event, holder, ...report }: ProvisionReport, { actor }: NodeFacts): NodeEvent[] {
  const attempt = report.attempt ?? attemptBefore(node);
  const error = report.error === undefined ? null : clipped(report.error);
  const told = { event, attempt, holder: holder ?? actor.id, error };
  if (JSON.stringify(told) === JSON.stringify(node.ignored)) return [];
  const data = { event, attempt, holder: told.holder, ...(error !== null && { error }), currentAttempt: node.attempts };
  return [{ type: 'NodeReportIgnored', data }];
}

/** A token alone says only that the attempt is not the one at hand, or that it is over. */
const attemptBefore = ({ attempts, operation }: Node): number => (operation?.endedAt ? attempts : attempts - 1);

export function stale(
  node: Node,
  { event, attempt, token }: { event: string; attempt?: number | undefined; token?: number | undefined },
): never {
  const named = attempt === undefined ? `token ${token}` : `attempt ${attempt}`;
  const detail = `${event} of ${named} comes too late: the node is ${node.provisionState}, and its last attempt is ${node.attempts}.`;
  return refuse('stale-report', detail, {
    retryable: false,
    attempt: node.attempts,
    provisionState: node.provisionState,
  });
}
