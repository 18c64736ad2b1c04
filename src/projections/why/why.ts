import { isAlive } from '../../domain/kernel/aggregate.ts';
import type { Kind, ResourceRef } from '../../domain/kernel/resource.ts';
import { ruleOf } from '../../domain/node/provision-machine.ts';
import { isOpen } from '../../domain/server/waits.ts';
import { deviceOf } from '../../domain/why/device.ts';
import { causesOf, explain } from '../../domain/why/explain.ts';
import type { WaitedFor, Why } from '../../domain/why/explanation.ts';
import { ref, type Seen, type World } from '../../domain/why/world.ts';
import { type EventStore, formatPosition, parsePosition } from '../../store/event-store.ts';
import { type Moment, stateAt } from '../state-at.ts';
import { loadWorld, type Scene, type SeenState, type WhySources } from './load-world.ts';
import { prove } from './prove.ts';

/** The present, as the runtime knows it. */
export interface Present {
  now(): string;
  current(resource: ResourceRef): Promise<{ revision: number; position: string; stateText: string } | null>;
  heardAt(resource: ResourceRef): string | null;
}

/** Why the resource is as it is now; null where nothing was ever recorded. */
export async function whyNow(sources: WhySources, present: Present, resource: ResourceRef): Promise<Why | null> {
  const root = await present.current(resource);
  if (!root) return null;
  const scene = presentScene(present);
  return why(sources, scene, resource, { ...root, time: scene.time });
}

export function presentScene(present: Present): Scene {
  return {
    time: present.now(),
    heardAt: (of) => present.heardAt(of),
    async stateOf(of): Promise<SeenState | null> {
      const current = await present.current(of);
      return current && { state: JSON.parse(current.stateText), revision: current.revision };
    },
  };
}

/**
 * Why the resource was as it was. The others are looked at as they were at the same moment. Whoever asks has made sure
 * that the resource existed by then.
 */
export async function whyThen(
  sources: WhySources,
  resource: ResourceRef,
  moment: Moment,
  root: { readonly revision: number; readonly position: string },
): Promise<Why> {
  const { store, aggregates } = sources;
  const shared = moment.by === 'revision' ? ({ by: 'position', position: root.position } as const) : moment;
  const time = shared.by === 'time' ? shared.time : await timeOf(store, shared.position);
  const scene: Scene = {
    time,
    heardAt: () => null,
    async stateOf(of) {
      const then = await stateAt(store, aggregates[of.kind as Kind], of, shared);
      return then.found === 'state' ? { state: JSON.parse(then.stateText), revision: then.revision } : null;
    },
  };
  return why(sources, scene, resource, { ...root, time });
}

async function why(
  sources: WhySources,
  scene: Scene,
  resource: ResourceRef,
  { revision, position, time }: Why['at'],
): Promise<Why> {
  const world = await loadWorld(sources, scene, resource);
  const explanation = await prove(explain(resource, world), world.tails);
  return {
    at: { revision, position, time },
    ...explanation,
    causes: causesOf(explanation),
    waitedForBy: waitedFor(resource, world),
    partial: world.partial,
  };
}

/** The server, or the node, that waits for the resource. */
function waitedFor(resource: ResourceRef, world: World): WaitedFor[] {
  const above = aboveOf(resource, world);
  const state = above && world.stateOf(above);
  if (!above || !state || !isAlive(state)) return [];
  const waits =
    above.kind === 'node' ? nodeWaits(state as Seen['node']) : serverWaits(resource, state as Seen['server']);
  return waits.map((wait) => ({ resource: { ...above, name: state.name || null }, ...wait }));
}

type Above = ResourceRef & { kind: 'server' | 'node' };

function aboveOf(resource: ResourceRef, world: World): Above | null {
  const { kind, id } = resource;
  if (kind === 'node') {
    const instanceId = world.stateOf(ref('node', id))?.instanceId;
    return instanceId ? ref('server', instanceId) : null;
  }
  const port = kind === 'port' && world.stateOf(ref('port', id));
  return port ? deviceOf(port) : null;
}

type Waiting = Omit<WaitedFor, 'resource'>;

const nodeWaits = ({ provisionState, stateSince, callBack }: Seen['node']): Waiting[] =>
  ruleOf(provisionState).activity === 'deploy'
    ? [{ what: 'deploy', since: stateSince, deadline: callBack?.deadline ?? null }]
    : [];

function serverWaits({ kind, id }: ResourceRef, { waits, nodeId, operation, build }: Seen['server']): Waiting[] {
  if (kind === 'port') {
    const own = waits.filter((wait) => isOpen(wait) && wait.tag === id);
    return own.map(({ event, since, deadline }) => ({ what: event, since, deadline }));
  }
  if (nodeId !== id) return [];
  if (operation) return [{ what: operation.action, since: operation.since, deadline: null }];
  return build ? [{ what: 'build', since: build.since, deadline: build.deadline }] : [];
}

async function timeOf(store: EventStore, position: string): Promise<string> {
  const before = formatPosition(parsePosition(position) - 1);
  for await (const { time } of store.readAll({ after: before, limit: 1 })) return time;
  throw new Error(`nothing is recorded at ${position}`);
}
