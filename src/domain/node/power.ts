import type { NodeEvent, PowerState } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { released, requireUnlocked, reserved, workerFor } from './lock.ts';
import { kindOf, type ProvisionState } from './provision-machine.ts';
import { refuse } from './refusals.ts';
import type { Node } from './state.ts';
import { clipped } from './texts.ts';
import { afterRelease } from './work.ts';
import type { ProvisionReport } from './work-reports.ts';

/** Where each power action leads. */
const powerActions: Readonly<Record<string, PowerState>> = {
  'power on': 'power on',
  'power off': 'power off',
  rebooting: 'power on',
  'soft rebooting': 'power on',
  'soft power off': 'power off',
};

interface PowerRequest {
  readonly target: string;
  readonly timeoutMs?: number | undefined;
  readonly holder?: string | undefined;
}

/** Cleaning needs the power for itself. */
const withoutPowerActions: readonly ProvisionState[] = ['cleaning', 'clean wait'];

/** Asks for a power action. It runs under a lock like any other work, and changes no provision state. */
export function setPowerState(
  node: Node,
  { target: requested, timeoutMs, holder }: PowerRequest,
  facts: NodeFacts,
): NodeEvent[] {
  const target = Object.hasOwn(powerActions, requested) ? powerActions[requested] : undefined;
  const allowed = Object.keys(powerActions);
  if (!target) {
    return refuse('invalid-power-state-requested', `${requested} is not a power action.`, { allowed });
  }
  if (withoutPowerActions.includes(node.provisionState)) {
    refuse('invalid-power-state-requested', `No power action is accepted while the node is ${node.provisionState}.`, {
      allowed: [],
    });
  }
  requireUnlocked(node, undefined, facts);
  if (node.disablePowerOff && target === 'power off') {
    refuse('power-off-disabled', `${requested} would turn the node off, and disablePowerOff is set.`);
  }
  return [
    reserved(
      node,
      { holder: workerFor(node, holder, facts), kind: 'power', purpose: requested, leaseMs: timeoutMs },
      facts,
    ),
    { type: 'NodePowerStateRequested', data: { requested, target } },
  ];
}

/** What became of a power action, or null where the report is about something else. */
export function powerOutcome(node: Node, report: ProvisionReport, facts: NodeFacts): NodeEvent[] | null {
  const { targetPowerState: target } = node;
  if (!target) return null;
  const over = [...released(node, 'work-done'), ...afterRelease(node, facts)];
  if (report.event === 'done') {
    const powerState = report.powerState ?? target;
    return [
      { type: 'NodePowerStateReported', data: { powerState, completes: true } },
      ...recovered(node, 'power action'),
      ...over,
    ];
  }
  if (report.event !== 'fail') return null;
  const error = clipped(report.error ?? `The power action towards ${target} failed; no reason was given.`);
  return [{ type: 'NodePowerRequestFailed', data: { target, error } }, ...over];
}

/** The power of a node in these states is its own affair, or nobody can ask for it yet. */
const withoutPowerSync: readonly ProvisionState[] = ['wait call-back', 'clean wait', 'enroll', 'adopt failed'];

interface PowerReport {
  readonly powerState?: PowerState | undefined;
  readonly error?: string | undefined;
}

/**
 * What the power sync saw, or that it has given up asking. A node at work tells of its power itself. A power failure is
 * the one fault that heals without a person; what an operator set stays.
 */
export function reportPowerState(node: Node, { powerState, error }: PowerReport): NodeEvent[] {
  if (node.reservation) return [];
  const failing = node.maintenance?.causes.some(({ cause }) => cause === 'power failure') ?? false;
  if (error !== undefined) {
    if (failing || withoutPowerSync.includes(node.provisionState)) return [];
    const reason = clipped(error);
    return [
      { type: 'NodeMaintenanceSet', data: { cause: 'power failure', reason } },
      { type: 'NodeErrorRaised', data: { during: 'power sync', error: reason, attempt: node.attempts } },
    ];
  }
  if (powerState === undefined) return [];
  const changed: NodeEvent[] =
    powerState === node.powerState ? [] : [{ type: 'NodePowerStateReported', data: { powerState, completes: false } }];
  const healed: NodeEvent[] = failing ? [{ type: 'NodeMaintenanceCleared', data: { cause: 'power failure' } }] : [];
  return [...changed, ...healed, ...recovered(node, 'power sync')];
}

/** An error of a node that is well again is history. One that explains a failed state stays as long as the state. */
function recovered({ provisionState, trouble }: Node, by: string): NodeEvent[] {
  const isWell = kindOf(provisionState) === 'stable' && provisionState !== 'error';
  return isWell && trouble ? [{ type: 'NodeErrorResolved', data: { by } }] : [];
}
