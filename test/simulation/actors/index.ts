import type { Random } from '../../support/random.ts';
import type { Act } from './actor.ts';
import { bindPort, changeNetwork, changePort, createPort, migratePort } from './binders.ts';
import { build, createServer, performAction, reap, restartCompute, schedule, wishOfServer } from './builders.ts';
import { callBack, enroll, operate, work } from './conductors.ts';
import { reportDhcp, reportOther, reportWiring } from './reporters.ts';

/** Who acts, and how often beside the others. */
const acts: readonly (readonly [Act, number])[] = [
  [changeNetwork, 4],
  [createPort, 4],
  [bindPort, 3],
  [migratePort, 1],
  [changePort, 1],
  [reportWiring, 8],
  [reportDhcp, 4],
  [reportOther, 1],
  [createServer, 4],
  [schedule, 5],
  [build, 7],
  [performAction, 4],
  [restartCompute, 0.3],
  [wishOfServer, 2],
  [reap, 4],
  [enroll, 3],
  [work, 8],
  [callBack, 4],
  [operate, 3],
];
const total = acts.reduce((sum, [, weight]) => sum + weight, 0);

/** Whoever's turn it is. */
export function nextAct(random: Random): Act {
  let rest = random.next() * total;
  for (const [act, weight] of acts) {
    rest -= weight;
    if (rest < 0) return act;
  }
  return acts[0]![0];
}
