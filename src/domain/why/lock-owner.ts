import type { Reservation } from '../node/state.ts';
import type { Owner } from './explanation.ts';
import { agentOwner, latest, ref, type Seen, type World } from './world.ts';

/**
 * Who holds a node's lock. A holder is known by what it says about the node; where agents of its name are registered,
 * by their life as well: it is taken for dead where all of them are. One whose nodes were taken over is lost.
 */
export function lockOwner(node: Seen['node'], { holder, since }: Reservation, world: World): Owner {
  const agents = world.agentsOn(holder).flatMap((agent) => agentOwner(world, agent) ?? []);
  const takenOver = latest(world, ref('node', node.id), ['NodeTakenOver'], ({ conductor }) => conductor === holder);
  const alive = takenOver ? false : agents.length === 0 ? null : agents.some((agent) => agent.alive);
  const words = [...agents.map(({ lastSeenAt }) => lastSeenAt), node.lastHeardAt, since].filter((at) => at !== null);
  return { kind: 'worker', id: holder, host: holder, alive, lastSeenAt: words.sort().at(-1) ?? null };
}
