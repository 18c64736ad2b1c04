import type { Draft } from 'immer';
import type { Begin, Evolve } from '../kernel/aggregate.ts';
import type { DataOf, NodeEvent } from './events.ts';
import { addCause, removeCause } from './maintenance.ts';
import { kindOf, machine, type ProvisionEvent, ruleOf, type StateKind } from './provision-machine.ts';
import type { Node, Outcome } from './state.ts';
import { raise, settle } from './troubles.ts';

export const begin: Begin<Node, NodeEvent, 'NodeEnrolled'> = {
  NodeEnrolled(enrolled, { id, time }) {
    return {
      id,
      ...enrolled,
      targetProvisionState: null,
      stateSince: time,
      lastHeardAt: null,
      lastError: null,
      trouble: null,
      pastTroubles: [],
      reservation: null,
      workToken: 0,
      operation: null,
      cleaning: null,
      step: null,
      callBack: null,
      postponed: null,
      ignored: null,
      maintenance: null,
      powerState: null,
      targetPowerState: null,
      instanceId: null,
      observation: null,
      lateObservation: null,
    };
  },
};

export const evolve: Evolve<Node, NodeEvent, 'NodeEnrolled'> = {
  NodeUpdated(node, { changes }) {
    Object.assign(node, changes);
  },

  NodeDeleted(node, _data, { time }) {
    node.deletedAt = time;
    node.callBack = null;
  },

  NodeProvisionStateChanged(node, data, { time }) {
    const { activity, kind } = machine[data.to];
    const goesOn = activity !== null && kind !== 'failed';
    const during = machine[data.from].activity ?? data.from;
    if (data.settlesError) settle(node, time);
    endOrReopen(node, data, time);
    if (data.error !== undefined) raise(node, { message: data.error, during, time });
    if (data.cause === 'worker') node.lastHeardAt = time;
    node.provisionState = data.to;
    node.targetProvisionState = data.targetAfter;
    node.stateSince = time;
    node.callBack = data.callBack ? { since: time, ...data.callBack } : null;
    node.postponed = null;
    node.cleaning = activity === 'clean' ? (node.cleaning ?? 'automated') : null;
    if (!goesOn || activity !== node.step?.kind) node.step = null;
  },

  NodeOperationStarted(node, { attempt, verb, token, cleaning, steps, given }, { time }) {
    settle(node, time);
    node.attempts = attempt;
    node.cleaning = cleaning;
    node.step = null;
    node.operation = {
      attempt,
      verb,
      startedAt: time,
      endedAt: null,
      outcome: null,
      error: null,
      failedStep: null,
      firstToken: token,
      steps,
      given,
      markers: {},
    };
  },

  NodeStepReported(node, { attempt: _, ...step }, { time }) {
    const isSame = node.step?.name === step.name && node.step.interface === step.interface;
    const { since, abortAfter } = isSame && node.step ? node.step : { since: time, abortAfter: false };
    node.step = { ...step, since, abortAfter };
    node.lastHeardAt = time;
  },

  NodeAbortRequested(node) {
    if (node.step) node.step.abortAfter = true;
  },

  NodeAttemptMarked(node, { markers }, { time }) {
    if (node.operation) Object.assign(node.operation.markers, markers);
    node.lastHeardAt = time;
  },

  NodeReportPostponed(node, { event, attempt, holder, error, blockedBy }, { time }) {
    node.postponed = { event, attempt, holder, error: error ?? null, since: time, blockedBy };
    node.lastHeardAt = time;
  },

  NodeReportIgnored(node, { event, attempt, token, holder, error }) {
    node.ignored = { event, attempt, token, holder, error: error ?? null };
  },

  NodeCallBackExtended(node, { deadline }, { time }) {
    if (node.callBack) node.callBack.deadline = deadline;
    node.lastHeardAt = time;
  },

  NodeReserved(node, { expiresAt, ...lock }, { time }) {
    node.reservation = { ...lock, since: time, ...(expiresAt !== null && { expiresAt }) };
    node.lastToken = lock.token;
    if (lock.kind === 'provision') node.workToken = lock.token;
  },

  NodeReservationExtended(node, { expiresAt }) {
    if (node.reservation) node.reservation.expiresAt = expiresAt;
  },

  NodeReleased(node) {
    node.reservation = null;
  },

  NodeReservationBroken(node) {
    node.reservation = null;
  },

  NodeTakenOver(node, { by }) {
    node.conductor = by;
  },

  NodeMaintenanceSet(node, { cause, reason }, { time }) {
    addCause(node, { cause, reason, since: time });
  },

  NodeMaintenanceCleared(node, { cause }, { time }) {
    removeCause(node, cause, time);
  },

  /** The error of earlier work leaves the node's face, but not its record: the power may fail because of it. */
  NodePowerStateRequested(node, { target }) {
    node.targetPowerState = target;
    node.lastError = null;
  },

  NodePowerRequestFailed(node, { error }, { time }) {
    node.targetPowerState = null;
    raise(node, { message: error, during: 'power action', time });
  },

  NodePowerStateReported(node, { powerState, completes }) {
    node.powerState = powerState;
    if (completes) node.targetPowerState = null;
  },

  NodeErrorRaised(node, { during, error: message }, { time }) {
    raise(node, { message, during, time });
  },

  NodeErrorResolved(node, _data, { time }) {
    settle(node, time);
  },

  NodeObserved(node, observed, { time }) {
    if (observed.late) {
      node.lateObservation = { ...observed, at: time };
      return;
    }
    node.observation = { ...observed, at: time };
    if (node.deletedAt === undefined) comeTo(node, observed, time);
  },

  NodeInstanceAssociated(node, { instanceId }) {
    node.instanceId = instanceId;
  },

  NodeInstanceReleased(node, { why }) {
    node.instanceId = null;
    if (why !== 'updated') node.instanceInfo = {};
  },
};

const outcomes: Partial<Record<ProvisionEvent, Outcome>> = {
  done: 'succeeded',
  fail: 'failed',
  abort: 'aborted',
};

const atRest: readonly StateKind[] = ['stable', 'failed', 'foreign'];

/** The node is somewhere, by whatever way it came there. */
function comeTo(node: Draft<Node>, { provisionState: to, target }: DataOf<'NodeObserved'>, time: string): void {
  const { activity, kind } = ruleOf(to);
  node.targetProvisionState = target;
  node.cleaning = activity === 'clean' ? (target === 'manageable' ? 'manual' : 'automated') : null;
  if (to === node.provisionState) return;
  node.provisionState = to;
  node.stateSince = time;
  node.callBack = null;
  node.postponed = null;
  if (activity !== node.step?.kind) node.step = null;
  if (!node.operation || node.operation.endedAt !== null || !atRest.includes(kind)) return;
  node.operation.endedAt = time;
  node.operation.outcome = kind === 'failed' || to === 'error' ? 'failed' : 'succeeded';
  node.operation.markers = {};
}

/** An operation ends where the node comes to rest. A failed service may go on waiting, and then it goes on, too. */
function endOrReopen(node: Draft<Node>, data: DataOf<'NodeProvisionStateChanged'>, time: string): void {
  const { operation } = node;
  if (!operation) return;
  const rests = atRest.includes(kindOf(data.to));
  if (!rests) {
    operation.endedAt = null;
    operation.outcome = null;
    return;
  }
  if (operation.endedAt !== null) return;
  operation.endedAt = time;
  operation.outcome = outcomes[data.event] ?? (data.cause === 'command' ? 'aborted' : 'succeeded');
  operation.error = data.error ?? null;
  operation.failedStep = data.event === 'fail' ? (node.step?.name ?? null) : null;
  operation.markers = {};
}
