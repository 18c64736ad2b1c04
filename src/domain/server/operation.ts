import type { Json } from '../kernel/json.ts';
import { type Action, type ActionName, actionOf, type End, type Step, stepsOf } from './actions.ts';
import { attemptEnded, runningAttempt } from './build-outcome.ts';
import { toCondition, toHost } from './changes.ts';
import type { ServerEvent } from './events.ts';
import type { ServerFacts } from './facts.ts';
import { type Failure, faultOf } from './faults.ts';
import type { Operation, Server } from './state.ts';
import { type Condition, conditionOf, type PowerState, power, type VmState } from './states.ts';

export type Arguments = Record<string, Json>;

/** Whatever runs is cut short: what it did until then is not known. */
export function interrupt(server: Server, reason: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  if (runningAttempt(server)) events.push(...attemptEnded(server, 'abandoned'));
  if (server.operation) {
    events.push({ type: 'ServerActionEnded', data: { action: server.operation.action, result: 'superseded', reason } });
  }
  return events;
}

/** Begins an action that was admitted. */
export function begin(server: Server, name: ActionName, given: Arguments, cause: string): ServerEvent[] {
  const action = actionOf(name);
  const endsIn = destinationOf(action, server);
  const [first] = stepsOf(action, endsIn);
  const before = { ...conditionOf(server), host: server.host };
  const overruled = server.lock && action.guard.lock ? { despiteLock: server.lock.by } : {};
  return [
    ...interrupt(server, name),
    { type: 'ServerActionStarted', data: { action: name, arguments: given, before, endsIn, ...overruled } },
    ...(first ? toStep(server, first, { cause, action: name }) : []),
  ];
}

/** A server that was stopped when it was resized is stopped again when it is resized back. */
function destinationOf({ ends }: Action, server: Server): VmState {
  const wasStopped = (server.resizedFrom ?? server).vmState === 'stopped';
  switch (ends.vmState) {
    case 'as-before':
      return server.vmState;
    case 'by-power':
      return server.powerState === power.shutdown ? 'stopped' : 'active';
    case 'as-it-ran':
      return wasStopped ? 'stopped' : 'active';
    default:
      return ends.vmState;
  }
}

export const toStep = (server: Server, { task, enters }: Step, cause: { cause: string; action: string }) =>
  toCondition(server, { ...enters, taskState: task }, cause);

/** The step the server is at, counted from 0; -1 for an action without task_states. */
export const positionOf = ({ taskState }: Server, steps: readonly Step[]): number =>
  steps.findIndex(({ task }) => task === taskState);

const nameOf = (operation: Operation): ActionName => operation.action as ActionName;

export function finishOperation(
  server: Server,
  { powerState, host }: { powerState: PowerState | null; host: string | null },
  cause: string,
): ServerEvent[] {
  const operation = server.operation!;
  const name = nameOf(operation);
  const action = actionOf(name);
  const end = endOf(server, action, operation);
  const condition: Condition = {
    vmState: end.vmState,
    taskState: null,
    powerState: powerState ?? end.powerState ?? server.powerState,
  };
  return [
    ...(action.moves && host !== null ? toHost(server, host) : []),
    ...toCondition(server, condition, { cause, action: name }),
    ...(end.leavesHost ? toHost(server, null) : []),
    ...(action.launches ? [{ type: 'ServerLaunched' as const, data: { host: host ?? server.host } }] : []),
    ...toFlavor(server, flavorAfter(server, operation)),
    { type: 'ServerActionEnded', data: { action: name, result: 'succeeded' } },
    ...(end.vmState === 'deleted' ? [deleted(server)] : []),
  ];
}

function endOf(server: Server, action: Action, { endsIn }: Operation): End & { vmState: VmState } {
  const steps = stepsOf(action, endsIn);
  const special = steps[positionOf(server, steps)]?.ends;
  if (special) return special as End & { vmState: VmState };
  const stopped = action.ends.vmState === 'as-it-ran' && endsIn === 'stopped';
  return { ...action.ends, vmState: endsIn, ...(stopped && { powerState: power.shutdown }) };
}

/** A resize ends on the flavor it was asked for; a revert on the one before. */
function flavorAfter(server: Server, operation: Operation): Json | undefined {
  return operation.action === 'RevertResize' ? server.resizedFrom?.flavorRef : operation.arguments.flavorRef;
}

const toFlavor = (server: Server, flavorRef: Json | undefined): ServerEvent[] =>
  typeof flavorRef === 'string' && flavorRef !== server.flavorRef
    ? [{ type: 'ServerUpdated', data: { changes: { flavorRef } } }]
    : [];

export const deleted = ({ host, nodeId, ports, ownPorts }: Server): ServerEvent => ({
  type: 'ServerDeleted',
  data: { host, nodeId: nodeId ?? null, ports: [...ports], ownPorts: [...ownPorts] },
});

export interface OperationFailure extends Failure {
  readonly outcome?: 'as-before' | 'unknown' | undefined;
  readonly powerState?: PowerState | undefined;
}

/**
 * A failure that left the guest alone leaves the server's state as it was before the action; one that did not, or of
 * which nobody knows, makes it ERROR.
 */
export function failOperation(
  server: Server,
  { outcome: reported, powerState, ...failure }: OperationFailure,
  facts: ServerFacts,
  cause: string,
): ServerEvent[] {
  const operation = server.operation!;
  const name = nameOf(operation);
  const action = actionOf(name);
  const steps = stepsOf(action, operation.endsIn);
  const outcome = reported ?? steps[positionOf(server, steps)]?.failure ?? 'unknown';
  const fault = faultOf(failure, facts.time);
  const about = { cause, action: name, reason: fault.kind, fault };

  // A build that was cut short by a deletion cannot go on where it was.
  const restored = outcome === 'as-before' && server.vmState !== 'building';
  const condition = {
    ...(!restored && { vmState: 'error' as const }),
    taskState: null,
    ...(powerState !== undefined && { powerState }),
  };
  return [
    ...(restored && action.moves ? toHost(server, operation.before.host) : []),
    ...toCondition(server, condition, about),
    { type: 'ServerActionEnded', data: { action: name, result: 'failed', outcome, reason: fault.kind, fault } },
  ];
}
