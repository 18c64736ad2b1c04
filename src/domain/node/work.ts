import type { Cause, NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { cleanUpLock, released, reserved } from './lock.ts';
import { moves } from './moves.ts';
import { type Activity, kindOf, nextState, type ProvisionEvent, ruleOf } from './provision-machine.ts';
import type { Node } from './state.ts';
import { clipped } from './texts.ts';

/** What a worker, or the node's ramdisk, says has happened. */
interface WorkReport {
  readonly holder: string;
  readonly error?: string | null | undefined;
  readonly timeoutMs?: number | undefined;
  readonly leaseMs?: number | undefined;
}

/** One step of the machine that a worker reports, with the lock it needs or gives up, and what else follows from it. */
export function worked(node: Node, event: ProvisionEvent, report: WorkReport, facts: NodeFacts): NodeEvent[] {
  const { holder, timeoutMs, leaseMs } = report;
  const error = event === 'fail' || event === 'abort' ? (report.error ?? unexplained[event](node)) : undefined;
  const worker = kindOf(nextState(node.provisionState, event)!) === 'working';
  const moved = moves(node, [event], { cause: 'worker', facts, error, worker, timeoutMs });
  const consequences = error === undefined ? [] : faultOnFailure(node, event, error);
  const after = [...moved, ...consequences, ...aftermath(node, event)];

  const lock = { holder, leaseMs, purpose: `${node.operation?.verb ?? event} (attempt ${node.attempts})` };
  if (event === 'abort') return [reserved(node, cleanUpLock(holder, leaseMs), facts), ...after];
  if (!worker) return [...after, ...released(node, 'work-done')];
  return node.reservation?.kind === 'provision'
    ? after
    : [reserved(node, { ...lock, kind: 'provision' }, facts), ...after];
}

/** No failure without a reason: where the worker gave none, the ledger says what it knows. */
const unexplained = {
  fail: ({ provisionState }: Node) => `The worker reported a failure in ${provisionState} and gave no reason.`,
  abort: ({ step }: Node) => abortedText(step?.name),
};

export const abortedText = (step: string | undefined): string =>
  step ? `Aborted by request, during or after the step ${step}.` : 'Aborted by request.';

/** Failing within a step of a cleaning or a service leaves the hardware in doubt: the node needs a person to look. */
const faultOf: Partial<Record<Activity, 'clean failure' | 'service failure'>> = {
  clean: 'clean failure',
  service: 'service failure',
};

export function faultOnFailure(node: Node, event: ProvisionEvent, error: string): NodeEvent[] {
  const { activity } = ruleOf(node.provisionState);
  const cause = event === 'fail' && activity && node.step ? faultOf[activity] : undefined;
  return cause ? [{ type: 'NodeMaintenanceSet', data: { cause, reason: clipped(error) } }] : [];
}

/** An undeployment gives the instance up whether or not it went well; a failed adoption knows nothing of the power. */
function aftermath({ provisionState, instanceId, powerState }: Node, event: ProvisionEvent): NodeEvent[] {
  if (provisionState === 'deleting' && instanceId) {
    const why = event === 'fail' ? 'undeploy-failed' : 'undeployed';
    return [{ type: 'NodeInstanceReleased', data: { instanceId, why } }];
  }
  if (provisionState === 'adopting' && event === 'fail' && powerState !== null) {
    return [{ type: 'NodePowerStateReported', data: { powerState: null, completes: false } }];
  }
  return [];
}

/** Whether the node's own work runs, so that the node would hang without the lock. */
export const isWorkedOn = ({ provisionState, reservation }: Node): boolean =>
  kindOf(provisionState) === 'working' && (reservation === null || reservation.kind === 'provision');

interface Loss {
  readonly cause: Cause;
  readonly error: string;
  /** Who acts on a postponed report instead of the one that left it. */
  readonly holder?: string | undefined;
}

/**
 * A lock is gone, and its holder with it: what it was held for comes to an end in the same append. Work that ran fails,
 * a power action is given up, a report that waited for the lock is acted on.
 */
export function afterLoss(node: Node, { cause, error, holder }: Loss, facts: NodeFacts): NodeEvent[] {
  const { targetPowerState: target, reservation } = node;
  const power: NodeEvent[] = target ? [{ type: 'NodePowerRequestFailed', data: { target, error } }] : [];
  // With a conductor goes all work on the node, whatever the lock was called.
  const works = cause === 'takeover' ? kindOf(node.provisionState) === 'working' : isWorkedOn(node);
  if (works) return [...moves(node, ['fail'], { cause, error, facts }), ...power];

  const cleanUp: NodeEvent[] =
    reservation?.kind === 'clean-up'
      ? [{ type: 'NodeErrorRaised', data: { during: reservation.purpose, error, attempt: node.attempts } }]
      : [];
  return [...power, ...cleanUp, ...afterRelease(node, facts, holder)];
}

/** Acts on the report that came while somebody else held the lock. */
export function afterRelease(node: Node, facts: NodeFacts, holder = node.postponed?.holder): NodeEvent[] {
  const { postponed, provisionState } = node;
  if (!postponed || holder === undefined || !nextState(provisionState, postponed.event)) return [];
  return worked({ ...node, reservation: null }, postponed.event, { holder, error: postponed.error }, facts);
}
