import type { Markers, NodeEvent, PowerState } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { extended, workerFor } from './lock.ts';
import { kindOf, nextState, type ProvisionEvent, type ProvisionState, ruleOf } from './provision-machine.ts';
import { refuse } from './refusals.ts';
import type { Claim } from './standing.ts';
import type { Node, Operation, Outcome } from './state.ts';
import { clipped } from './texts.ts';
import { isKnown } from './troubles.ts';
import { worked } from './work.ts';

/** Words of the machine that workers report. */
const workEvents = ['done', 'fail', 'wait', 'resume', 'hold', 'clean', 'manage'] as const;
type WorkEvent = (typeof workEvents)[number];

/** And two that move the node nowhere. */
export const reportEvents = [...workEvents, 'step', 'error'] as const;
export type ReportEvent = (typeof reportEvents)[number];

interface StepReport {
  /** What the worker believes is being done; it is refused where something else is. */
  readonly kind?: string | undefined;
  readonly interface?: string | null | undefined;
  readonly name: string;
  readonly priority?: number | undefined;
  readonly abortable?: boolean | undefined;
}

export interface ProvisionReport extends Claim {
  readonly event: ReportEvent;
  readonly error?: string | undefined;
  readonly during?: string | undefined;
  readonly step?: StepReport | undefined;
  readonly progress?: number | undefined;
  readonly markers?: Markers | undefined;
  readonly powerState?: PowerState | undefined;
  readonly timeoutMs?: number | undefined;
  readonly leaseMs?: number | undefined;
}

/** The work itself. A report that has been acted on already is no event. */
export function atWork(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] {
  const { event } = report;
  if (event === 'error') return errorRaised(node, report);
  if (event === 'step') {
    return [...stepReported(node, report), ...marked(node, report), ...extended(node, report.leaseMs, facts)];
  }
  const meant = meaningOf(node, event);
  if (!isReportable(node.provisionState, meant)) return alreadyTold(node, event);
  const work = { ...report, holder: workerFor(node, report.holder ?? node.reservation?.holder, facts) };
  return [...powerSeen(node, report), ...marked(node, report), ...worked(node, meant, work, facts)];
}

const powerSeen = ({ powerState: known }: Node, { powerState }: ProvisionReport): NodeEvent[] =>
  powerState === undefined || powerState === known
    ? []
    : [{ type: 'NodePowerStateReported', data: { powerState, completes: false } }];

/**
 * What a word means on this node. A cleaning that was asked for by hand, or of a retired node, ends in `manageable`;
 * an operation that is to end with its step ends when that step has.
 */
export function meaningOf(node: Node, event: WorkEvent): ProvisionEvent {
  const backToManageable = node.cleaning === 'manual' || node.retired;
  if (event === 'done' && node.provisionState === 'cleaning' && backToManageable) return 'manage';
  if (event === 'resume' && node.step?.abortAfter && nextState(node.provisionState, 'abort')) return 'abort';
  return event;
}

/** `clean` and `manage` are words of people too: a worker says them only at the end of a tear-down or a cleaning. */
const onlyFrom: Partial<Record<ProvisionEvent, ProvisionState>> = { clean: 'deleting', manage: 'cleaning' };

export const isReportable = (from: ProvisionState, event: ProvisionEvent): boolean =>
  nextState(from, event) !== undefined && (onlyFrom[event] ?? from) === from;

export const reportableEvents = ({ provisionState }: Node): WorkEvent[] =>
  workEvents.filter((event) => isReportable(provisionState, event));

const over = (operation: Operation | null, ...outcomes: readonly Outcome[]): boolean =>
  outcomes.some((outcome) => outcome === operation?.outcome);

/** Whether the node is where the report would have brought it. */
export const broughtAbout: Readonly<Record<WorkEvent, (node: Node) => boolean>> = {
  done: ({ operation }) => over(operation, 'succeeded', 'aborted'),
  manage: ({ operation }) => over(operation, 'succeeded'),
  fail: ({ operation }) => over(operation, 'failed', 'aborted'),
  wait: ({ provisionState }) => kindOf(provisionState) === 'waiting',
  resume: ({ provisionState, operation }) => kindOf(provisionState) === 'working' || over(operation, 'aborted'),
  hold: ({ provisionState }) => kindOf(provisionState) === 'held',
  clean: ({ provisionState }) => ruleOf(provisionState).activity === 'clean',
};

export function alreadyTold(node: Node, event: WorkEvent): NodeEvent[] {
  if (broughtAbout[event](node)) return [];
  const allowed = reportableEvents(node);
  const detail = `${event} is no report on a node that is ${node.provisionState}.`;
  return refuse('report-not-applicable', detail, { allowed, provisionState: node.provisionState });
}

/** Sub-operations fail too, an attached interface for one; that is kept beside the work and moves nothing. */
export function errorRaised(node: Node, report: ProvisionReport): NodeEvent[] {
  const error = clipped(report.error ?? 'A worker reported an error and gave no reason.');
  const during = report.during ?? ruleOf(node.provisionState).activity ?? node.provisionState;
  const attempt = node.attempts;
  return isKnown(node, error, during) ? [] : [{ type: 'NodeErrorRaised', data: { during, error, attempt } }];
}

/** What is at work now; without a name, how far it is. */
function stepReported(node: Node, { step = node.step ?? undefined, progress }: ProvisionReport): NodeEvent[] {
  const { activity, kind } = ruleOf(node.provisionState);
  const isFitting = step && activity && kind !== 'failed' && (step.kind ?? activity) === activity;
  if (!isFitting) {
    const detail = `No such step can be at work on a node that is ${node.provisionState}.`;
    return refuse('report-not-applicable', detail, { allowed: reportableEvents(node), activity });
  }
  const reported = {
    kind: activity,
    interface: step.interface ?? null,
    name: step.name,
    priority: step.priority ?? 0,
    abortable: step.abortable ?? false,
    progress: progress ?? null,
  };
  const current: object = node.step ?? {};
  const isNews = Object.entries(reported).some(([name, value]) => current[name as keyof object] !== value);
  return isNews ? [{ type: 'NodeStepReported', data: { attempt: node.attempts, ...reported } }] : [];
}

function marked(node: Node, { markers }: ProvisionReport): NodeEvent[] {
  const known = node.operation?.markers ?? {};
  const news = Object.entries(markers ?? {}).filter(([name, value]) => known[name] !== value);
  if (news.length === 0 || !node.operation) return [];
  return [{ type: 'NodeAttemptMarked', data: { attempt: node.attempts, markers: Object.fromEntries(news) } }];
}
