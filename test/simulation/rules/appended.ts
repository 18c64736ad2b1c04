import { aggregates } from '../../../src/domain/aggregates.ts';
import { isAlive, type Lifetime } from '../../../src/domain/kernel/aggregate.ts';
import type { Kind } from '../../../src/domain/kernel/resource.ts';
import { isBound, type Port } from '../../../src/domain/port/state.ts';
import { Violation } from '../violation.ts';
import type { Past } from '../witness.ts';

/** What must hold of a resource after each append to it. @throws Violation */
export function checkAppended(past: Past): void {
  const { resource, state, events } = past;
  const { metadata, stream, time } = events.at(-1)!;
  for (const field of ['$correlationId', '$causationId', 'actor', 'commandId', 'commandType', 'chain']) {
    if (!metadata[field]) throw new Violation('reason-with-status', `${stream} has an event without ${field}`);
  }
  if (time < (events.at(-2)?.time ?? '')) throw new Violation('acknowledged-once', `${stream} goes back in time`);
  if (!state) throw new Violation('state-is-fold', `${stream} has events and no state`);
  if (!isAlive(state)) return;
  if (!aggregates[resource.kind].status(state)) throw new Violation('reason-with-status', `${stream} has no status`);
  checks[resource.kind]?.(state);
}

const checks: Partial<Record<Kind, (state: Lifetime) => void>> = {
  port: (state) => neverActiveInVain(state as Port),
};

/** No port is ACTIVE that is blocked, unbound, or bound where nothing wires it. */
function neverActiveInVain({ id, status, blocks, binding, otherBindings, round, adminStateUp }: Port): void {
  const fail = (why: string): never => {
    throw new Violation('port', `the port ${id} is ${status} and ${why}`);
  };
  const isReady = blocks.length === 0 && isBound(binding) && binding.device !== 'down';
  if (status === 'ACTIVE' && blocks.length > 0) fail(`waits for ${blocks.map(({ entity }) => entity).join(', ')}`);
  if (status === 'ACTIVE' && !isReady) fail(`bound as ${binding.vifType} with its device ${binding.device}`);
  if (isReady && round.provisioned && adminStateUp && status !== 'ACTIVE') fail('nothing stands against ACTIVE');
  if (otherBindings.some(({ host }) => host === binding.host)) fail('is bound twice to one host');
}
