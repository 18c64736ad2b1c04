import { timestamp } from '../../src/runtime/clock.ts';
import type { AnyFlow } from '../../src/runtime/flows.ts';
import type { RecordedEvent } from '../../src/store/event-store.ts';
import type { FaultCounts } from './faults.ts';
import { checkReplayed } from './rules/replayed.ts';
import { checkSettled } from './rules/settled.ts';
import { Violation } from './violation.ts';
import { World } from './world.ts';

const stepsOfAWorld = 150;

/** What came of a world. */
export interface Fate {
  readonly seed: number;
  readonly commands: number;
  readonly faults: FaultCounts;
  readonly log: readonly RecordedEvent[];
  /** The rule that did not hold, when, and what had been written last; null where all held. */
  readonly failure: { readonly step: string; readonly violation: Violation } | null;
}

/** Lives through one world, from its seed to its end. */
export async function simulate(seed: number, processManagers?: readonly AnyFlow[]): Promise<Fate> {
  const world = new World(seed, processManagers);
  let step = 'start';
  const fate = (failure: Fate['failure']): Fate => ({
    seed,
    commands: world.clients.count,
    faults: world.faults.counts,
    log: world.witness.log,
    failure,
  });
  try {
    for (let number = 1; number <= stepsOfAWorld; number++) {
      step = String(number);
      await world.step();
    }
    step = 'settling';
    await world.settle();
    checkSettled(world.witness, world.isRunning, timestamp(world.clock.now()));
    step = 'replaying';
    await checkReplayed(world);
    return fate(null);
  } catch (error) {
    const violation =
      error instanceof Violation ? error : new Violation('harms-nobody-else', `a bug: ${String(error)}`, error);
    return fate({ step, violation });
  } finally {
    await world.end();
  }
}

/** What a person needs who wants to know why a seed fails. */
export function report({ seed, log, failure }: Fate): string {
  if (!failure) return `seed ${seed}: all rules held, ${log.length} events`;
  const { step, violation } = failure;
  const last = log.slice(-12).map(({ stream, revision, type, dataText, time, metadata }) => {
    const { actor, commandType } = metadata as { actor?: { id: string }; commandType?: string };
    return `  ${time} ${stream} ${revision} ${type} ${dataText} by ${actor?.id} (${commandType})`;
  });
  return [
    `seed ${seed}, step ${step}: the rule ${violation.rule} is broken: ${violation.message}`,
    ...(violation.cause instanceof Error ? [String(violation.cause.stack)] : []),
    'The last events:',
    ...last,
    `Again: npm run simulate -- --seed ${seed}`,
  ].join('\n');
}
