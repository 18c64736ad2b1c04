import { streamOf } from '../../../src/domain/kernel/resource.ts';
import { spoiled } from '../actors/vandal.ts';
import { Violation } from '../violation.ts';
import type { World } from '../world.ts';
import { stateTextAt } from './acknowledged.ts';
import { checkSeenAlike } from './seen-alike.ts';

/** A new process on the same ledger sees what was there before, from snapshots and tails, and writes nothing by looking. */
export async function checkReplayed(world: World): Promise<void> {
  const { witness } = world;
  const before = witness.log.length;
  const { runtime } = await world.restart();
  await checkSeenAlike(witness, runtime);
  for (const past of witness.pasts()) {
    if (past.resource.id === spoiled) continue;
    const last = past.events.length - 1;
    if (stateTextAt({ ...past, state: null }, last) !== stateTextAt(past, last))
      throw new Violation('state-is-fold', `${streamOf(past.resource)} folds otherwise from the start`);
  }
  const written = witness.log.slice(before);
  if (written.length > 0) {
    const { stream, type } = written[0]!;
    throw new Violation('no-effect-on-replay', `${type} was written to ${stream} by reading what was there`);
  }
}
