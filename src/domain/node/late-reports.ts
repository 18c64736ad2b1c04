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
  if (!tellsOutcome(event)) return stale(node, report, facts);
  if (!broughtAbout[event](node)) return ignored(node, report, facts);
  const isNews = event === 'fail' && error !== undefined && !isKnown(node, clipped(error));
  return isNews ? errorRaised(node, report) : [];
}

/** A report of an attempt before the one at hand, whose own work it must not touch. */
export function ofEarlierAttempt(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] {
  const { event } = report;
  return tellsOutcome(event) || event === 'error' ? ignored(node, report, facts) : stale(node, report, facts);
}

/** The end of a lock that has been told already: of a power action, of a clean-up, of a worker who handed over. */
export const ofPastLock = (node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] =>
  tellsOutcome(report.event) ? [] : stale(node, report, facts);

function ignored(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] {
  const told = toldIn(report, facts);
  return sameJson(told, node.ignored) ? [] : [ignoring(node, told)];
}

function toldIn(report: Late, { actor }: NodeFacts): IgnoredReport {
  const { event = '', attempt = null, token = null, holder = actor.id, error } = report;
  return { event, attempt, token, holder, error: error === undefined ? null : clipped(error) };
}

function ignoring({ attempts: currentAttempt }: Node, { error, ...told }: IgnoredReport): NodeEvent {
  return { type: 'NodeReportIgnored', data: { ...told, ...(error !== null && { error }), currentAttempt } };
}

interface Late extends Claim {
  readonly error?: string | undefined;
}

/** Its sender is told to stop. That it spoke is recorded, but not each time that it does. */
export function stale(node: Node, report: Late, facts: NodeFacts): never {
  const { event, attempt, token } = report;
  const named = attempt === undefined ? `lock ${token}` : `attempt ${attempt}`;
  const detail = `${event} of ${named} comes too late: the node is ${node.provisionState}, at attempt ${node.attempts}. Stop working on it.`;
  const help = { retryable: false, attempt: node.attempts, provisionState: node.provisionState };
  const told = toldIn(report, facts);
  return refuse('stale-report', detail, help, isNews(told, node.ignored) ? [ignoring(node, told)] : []);
}

/** A ramdisk that was given up goes on beating for as long as it lives. */
function isNews(told: IgnoredReport, known: IgnoredReport | null): boolean {
  const isSameSender = known && sameJson({ ...told, event: '', error: null }, { ...known, event: '', error: null });
  return !isSameSender || (told.event !== 'Heartbeat' && told.event !== known.event);
}
