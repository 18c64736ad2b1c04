import type { ServerEvent } from './events.ts';
import type { Fault } from './faults.ts';
import type { Server } from './state.ts';
import { type Condition, conditionOf, sameCondition } from './states.ts';

/** Why a state changed: the command, and what else is known. */
export interface Cause {
  readonly cause: string;
  readonly action?: string;
  readonly reason?: string;
  readonly fault?: Fault;
  readonly forced?: string;
}

/** The event that leads to the changed condition; none where it is so already. */
export function toCondition(before: Condition, change: Partial<Condition>, cause: Cause): ServerEvent[] {
  const from = conditionOf(before);
  const to = { ...from, ...change };
  return sameCondition(from, to) ? [] : [{ type: 'ServerStateChanged', data: { from, to, ...cause } }];
}

export function toHost(server: Server, to: string | null, nodeId: string | null = null): ServerEvent[] {
  if (server.host === to && (nodeId === null || server.nodeId === nodeId)) return [];
  const left = server.nodeId !== undefined && server.nodeId !== nodeId ? { leavesNode: server.nodeId } : {};
  return [{ type: 'ServerMoved', data: { from: server.host, to, nodeId, ...left } }];
}
