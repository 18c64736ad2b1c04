import { streamOf } from '../../../src/domain/kernel/resource.ts';
import { spoiled } from '../actors/vandal.ts';
import { Violation } from '../violation.ts';
import type { World } from '../world.ts';
import { stateTextAt } from './acknowledged.ts';

/** A new process on the same ledger sees what was there before, from snapshots and tails, and writes nothing by looking. */
export async function checkReplayed(world: World): Promise<void> {
  const before = world.witness.log.length;
  const { runtime } = await world.restart();
  for (const past of world.witness.pasts()) {
    if (past.resource.id === spoiled) continue;
    const stream = streamOf(past.resource);
    const current = await runtime.current(past.resource);
    const last = past.events.length - 1;
    if (current?.revision !== last)
      throw new Violation('state-is-fold', `${stream} is at ${current?.revision}, not ${last}`);
    if (current.stateText !== stateTextAt(past, last))
      throw new Violation('state-is-fold', `${stream} reads otherwise after a restart`);
    if (stateTextAt({ ...past, state: null }, last) !== stateTextAt(past, last))
      throw new Violation('state-is-fold', `${stream} folds otherwise from the start`);
  }
  const written = world.witness.log.slice(before);
  if (written.length > 0) {
    const { stream, type } = written[0]!;
    throw new Violation('no-effect-on-replay', `${type} was written to ${stream} by reading what was there`);
  }
}
