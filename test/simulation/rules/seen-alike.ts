import type { Runtime } from '../../../src/runtime/runtime.ts';
import { spoiled } from '../actors/vandal.ts';
import { Violation } from '../violation.ts';
import type { Witness } from '../witness.ts';
import { stateTextAt } from './acknowledged.ts';

/** A process says of each resource what the ledger says, also of what another process has changed. @throws Violation */
export async function checkSeenAlike(witness: Witness, runtime: Runtime): Promise<void> {
  for (const past of witness.pasts()) {
    if (past.resource.id === spoiled) continue;
    const { stream } = past.events[0]!;
    const last = past.events.length - 1;
    const current = await runtime.current(past.resource);
    if (current?.revision !== last)
      throw new Violation('processes-agree', `${stream} is at ${current?.revision} for one process, not ${last}`);
    if (current.stateText !== stateTextAt(past, last))
      throw new Violation('processes-agree', `${stream} reads otherwise in one process than it is recorded`);
  }
}
