import { agentNow } from '../../domain/agent/liveness.ts';
import type { Agent } from '../../domain/agent/state.ts';
import type { JsonObject } from '../../domain/kernel/json.ts';
import type { Kind, ResourceRef } from '../../domain/kernel/resource.ts';
import { timestamp } from '../../runtime/clock.ts';
import { CurrentState, Done } from '../../runtime/command.ts';
import type { Runtime } from '../../runtime/runtime.ts';

type Live = (state: JsonObject, resource: ResourceRef, runtime: Runtime) => object;

/** Kinds whose state is more than what was recorded, because their signs of life are kept in memory. */
const live: Partial<Record<Kind, Live>> = {
  agent(state, resource, runtime) {
    const time = timestamp(runtime.clock.now());
    return agentNow(state as unknown as Agent, runtime.heardAt(resource), runtime.lastHeardAt(resource), time);
  },
};

/** Whether the state may change without an event: its revision then says nothing about whether it has. */
export const isLive = (kind: Kind): boolean => kind in live;

/** A resource as it is at this moment. */
export function currentNow(resource: ResourceRef, current: CurrentState | null, runtime: Runtime): CurrentState | null {
  const now = live[resource.kind];
  if (!now || !current || current.deletedAt !== undefined) return current;
  return new CurrentState(
    current.revision,
    current.position,
    JSON.stringify(now(current.state, resource, runtime)),
    undefined,
  );
}

/** What a command has led to, with the resource as it is at this moment. */
export function doneNow(done: Done, runtime: Runtime): Done {
  const now = live[done.resource.kind];
  if (!now) return done;
  const { resource, revision, position, eventsText, state } = done;
  if ('deletedAt' in state) return done;
  return new Done(resource, revision, position, eventsText, JSON.stringify(now(state, resource, runtime)));
}
