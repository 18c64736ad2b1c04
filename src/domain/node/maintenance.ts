import type { Draft } from 'immer';
import type { MaintenanceCause, NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { requireUnlocked } from './lock.ts';
import type { Maintenance, Node } from './state.ts';
import { clipped, later, latest } from './texts.ts';

const operator: MaintenanceCause = 'operator';

interface MaintenanceWish {
  readonly reason?: string | null | undefined;
  readonly fault?: Exclude<MaintenanceCause, 'operator'> | undefined;
  readonly token?: number | undefined;
}

/** Takes the node out of service, for an operator or for a fault that somebody found. */
export function setMaintenance(node: Node, { reason, fault, token }: MaintenanceWish, facts: NodeFacts): NodeEvent[] {
  const cause = fault ?? operator;
  const told = reason ? clipped(reason) : null;
  if (node.maintenance?.causes.some((known) => known.cause === cause && known.reason === told)) return [];
  requireUnlocked(node, token, facts);
  return [{ type: 'NodeMaintenanceSet', data: { cause, reason: told } }];
}

interface MaintenanceEnd {
  readonly fault?: Exclude<MaintenanceCause, 'operator'> | null | undefined;
  readonly token?: number | undefined;
}

/** Ends maintenance; or one fault alone, or, with null, what an operator set alone. The other causes stay. */
export function clearMaintenance(node: Node, { fault, token }: MaintenanceEnd, facts: NodeFacts): NodeEvent[] {
  const causes = node.maintenance?.causes.map((known) => known.cause) ?? [];
  const ended = fault === undefined ? causes : causes.filter((cause) => cause === (fault ?? operator));
  if (ended.length === 0) return [];
  requireUnlocked(node, token, facts);
  return ended.map((cause): NodeEvent => ({ type: 'NodeMaintenanceCleared', data: { cause } }));
}

type Cause = Maintenance['causes'][number];

/** Adds a cause; one that is there already keeps its time and gets the new reason. */
export function addCause(node: Draft<Node>, { cause, reason, since }: Cause): void {
  const causes = node.maintenance?.causes ?? [];
  const known = causes.find((other) => other.cause === cause);
  if (known) known.reason = reason;
  node.maintenance = summary(node.maintenance?.since ?? since, known ? causes : [...causes, { cause, reason, since }]);
}

/** Removes a cause. Time stood still for a waiting node in maintenance: it gets back what it could not use. */
export function removeCause(node: Draft<Node>, cause: MaintenanceCause, time: string): void {
  const { maintenance, callBack } = node;
  if (!maintenance) return;
  const left = maintenance.causes.filter((other) => other.cause !== cause);
  node.maintenance = summary(maintenance.since, left);
  if (node.maintenance || !callBack) return;
  const stoodStillFrom = latest(maintenance.since, callBack.since);
  callBack.deadline = later(callBack.deadline, Date.parse(time) - Date.parse(stoodStillFrom));
}

/** The causes in one look: when the first began, an operator's reason before a fault's, the fault found last. */
function summary(since: string, causes: Draft<Cause>[]): Draft<Maintenance> | null {
  const lead = causes.find(({ cause }) => cause === operator) ?? causes[0];
  if (!lead) return null;
  const fault = causes.findLast(({ cause }) => cause !== operator)?.cause;
  return { reason: lead.reason, since, ...(fault !== undefined && { fault }), causes };
}
