import { isAlive } from '../../domain/kernel/aggregate.ts';
import type { Kind, ResourceRef } from '../../domain/kernel/resource.ts';
import type { Server } from '../../domain/server/state.ts';
import { isOpen } from '../../domain/server/waits.ts';
import { causesOf, explain } from '../../domain/why/explain.ts';
import type { Explanation, Proof, RootCause } from '../../domain/why/explanation.ts';
import { ref, type World } from '../../domain/why/world.ts';
import { type EventStore, formatPosition, parsePosition } from '../../store/event-store.ts';
import { type Moment, stateAt } from '../state-at.ts';
import { loadWorld, type Scene, type StateThen, type WhySources } from './load-world.ts';
import { prove } from './prove.ts';

/** Why a resource is, or was, as it is. */
export interface Why extends Explanation<Proof> {
  /** The moment it is told for: the resource's last event by then, and the time by the ledger's clock. */
  readonly at: { readonly revision: number; readonly position: string; readonly time: string };
  /** What lies at the bottom, first cause first. */
  readonly causes: readonly RootCause<Proof>[];
  /** Who waits for this resource. */
  readonly waitedForBy: readonly WaitedFor[];
  /** Whether something was left out: too many resources, or read models that do not answer yet. */
  readonly partial: boolean;
}

export interface WaitedFor {
  readonly resource: ResourceRef & { readonly name: string | null };
  readonly what: string;
  readonly since: string;
  readonly deadline: string | null;
}

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
    async stateOf(of): Promise<StateThen | null> {
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

/** The servers that wait for the resource. */
function waitedFor(resource: ResourceRef, world: World): WaitedFor[] {
  const id = serverAbove[resource.kind]?.(world.stateOf(resource) as never);
  const server = id ? world.stateOf(ref('server', id)) : null;
  if (!server || !isAlive(server)) return [];
  const { kind, name } = { kind: 'server' as const, name: server.name || null };
  return waitsFor(resource, server).map((wait) => ({ resource: { kind, id: server.id, name }, ...wait }));
}

const serverAbove: Partial<Readonly<Record<Kind, (state: never) => string | null>>> = {
  port: ({ deviceId }: { deviceId: string }) => deviceId || null,
  node: ({ instanceId }: { instanceId: string | null }) => instanceId,
};

function waitsFor(resource: ResourceRef, server: Server): Omit<WaitedFor, 'resource'>[] {
  if (resource.kind === 'port') {
    return server.waits
      .filter((wait) => isOpen(wait) && wait.tag === resource.id)
      .map(({ event, since, deadline }) => ({ what: event, since, deadline }));
  }
  if (server.nodeId !== resource.id) return [];
  const { operation, build } = server;
  if (operation) return [{ what: operation.action, since: operation.since, deadline: null }];
  return build ? [{ what: 'build', since: build.since, deadline: build.deadline }] : [];
}

async function timeOf(store: EventStore, position: string): Promise<string> {
  const before = formatPosition(parsePosition(position) - 1);
  for await (const { time } of store.readAll({ after: before, limit: 1 })) return time;
  throw new Error(`nothing is recorded at ${position}`);
}
