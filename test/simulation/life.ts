import type { FaultCounts } from './faults.ts';
import { report, simulate } from './simulate.ts';

/** What a campaign keeps of one world. */
export interface Life {
  readonly seed: number;
  readonly commands: number;
  readonly events: number;
  readonly faults: FaultCounts;
  /** What a person needs to know of a broken rule; null where all held. */
  readonly finding: string | null;
}

export async function lifeOf(seed: number): Promise<Life> {
  const fate = await simulate(seed);
  const { commands, faults, log, failure } = fate;
  return { seed, commands, events: log.length, faults, finding: failure && report(fate) };
}
