import type { Aggregate, Lifetime } from '../../domain/kernel/aggregate.ts';
import { type Kind, type ResourceRef, streamOf } from '../../domain/kernel/resource.ts';
import type { PortSettings } from '../../domain/port/drivers/configured.ts';
import { explainers } from '../../domain/why/explain.ts';
import type { World } from '../../domain/why/world.ts';
import type { EventStore } from '../../store/event-store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { Views } from '../views.ts';
import { ViewsError } from '../views-error.ts';
import { StreamTail } from './stream-tail.ts';

/** Where explanations get what they look at. */
export interface WhySources {
  readonly store: EventStore;
  readonly aggregates: Readonly<Record<Kind, Aggregate>>;
  readonly settings: PortSettings;
  /** For what names a resource rather than being named by it; without it, explanations do without. */
  readonly views: () => Pick<Views, 'ask'> | null;
}

/** A resource as it was at some moment, with the revision up to which its events count. */
export interface SeenState {
  readonly state: Lifetime;
  readonly revision: number;
}

/** One moment: how to see a resource at it. */
export interface Scene {
  readonly time: string;
  readonly stateOf: (resource: ResourceRef) => Promise<SeenState | null>;
  readonly heardAt: (resource: ResourceRef) => string | null;
}

/** As many resources as one explanation looks at: those that are nearest, and the most telling of them. */
const mostResources = 64;

/** Kinds of resource whose state may name one of this kind, and that it does not name itself. */
const namers: Readonly<Partial<Record<Kind, (state: Lifetime) => readonly Kind[]>>> = {
  node: () => ['port'],
  server: ({ deletedAt }) => (deletedAt === undefined ? [] : ['port', 'node']),
};

/** How many of them. */
const mostNamers = 20;

/** A world that was gathered, and what else is to be found in it. */
export interface Gathered extends World {
  readonly tails: ReadonlyMap<string, StreamTail>;
  /** Whether something was left out: too many resources, or no read models to ask. */
  readonly partial: boolean;
}

/** Gathers what the explanation of a resource looks at, from resource to resource, each once. */
export async function loadWorld(sources: WhySources, scene: Scene, root: ResourceRef): Promise<Gathered> {
  const gathering = new Gathering(sources, scene);
  await gathering.run(root);
  return gathering.world();
}

/** Whether what the resource depends on is of interest as well. */
interface Found {
  readonly resource: ResourceRef;
  readonly goOn: boolean;
}

class Gathering {
  readonly #sources: WhySources;
  readonly #scene: Scene;
  readonly #states = new Map<string, Lifetime>();
  readonly #tails = new Map<string, StreamTail>();
  readonly #dependants = new Map<string, readonly ResourceRef[]>();
  readonly #agentsOn = new Map<string, readonly ResourceRef[]>();
  readonly #queued = new Set<string>();
  #partial = false;

  constructor(sources: WhySources, scene: Scene) {
    this.#sources = sources;
    this.#scene = scene;
  }

  async run(root: ResourceRef): Promise<void> {
    let queue: Found[] = [{ resource: root, goOn: true }];
    this.#queued.add(streamOf(root));
    while (queue.length > 0) {
      const found = await Promise.all(queue.map(({ resource, goOn }) => this.#visit(resource, goOn)));
      queue = found.flat().filter(({ resource }) => this.#isNew(resource));
    }
  }

  #isNew(resource: ResourceRef): boolean {
    const stream = streamOf(resource);
    if (this.#queued.has(stream)) return false;
    if (this.#queued.size >= mostResources) {
      this.#partial = true;
      return false;
    }
    this.#queued.add(stream);
    return true;
  }

  world(): Gathered {
    const { settings } = this.#sources;
    const { time, heardAt } = this.#scene;
    return {
      time,
      settings,
      heardAt,
      stateOf: (of) => (this.#states.get(streamOf(of)) ?? null) as never,
      happened: (of) => this.#tails.get(streamOf(of))?.happened ?? [],
      dependants: (of) => (this.#dependants.get(streamOf(of)) ?? []).filter((other) => this.#names(other, of.id)),
      agentsOn: (host) => this.#agentsOn.get(host) ?? [],
      tails: this.#tails,
      partial: this.#partial,
    };
  }

  /** Takes the resource in, and answers what it leads to. */
  async #visit(resource: ResourceRef, goOn: boolean): Promise<readonly Found[]> {
    const then = await this.#look(resource);
    if (!then) return [];
    const { kind } = resource;
    const { state, revision } = then;
    const tail = new StreamTail(this.#sources.store, resource, revision);
    await tail.read();
    await this.#seeStatusChange(resource, tail);
    this.#states.set(streamOf(resource), state);
    this.#tails.set(streamOf(resource), tail);
    if (!goOn) return [];
    const [naming, agents] = await Promise.all([this.#naming(resource, state), this.#agentsOfHolder(state)]);
    const { looksAt, belongsTo = () => [] } = explainers[kind];
    const below = looksAt(state, { settings: this.#sources.settings, happened: () => tail.happened });
    return [
      ...[...below, ...naming, ...agents].map((found) => ({ resource: found, goOn: true })),
      ...belongsTo(state).map((found) => ({ resource: found, goOn: false })),
    ];
  }

  /** When the status began is known to the read models; to look for that event one by one could take long. */
  async #seeStatusChange(resource: ResourceRef, tail: StreamTail): Promise<void> {
    const types = explainers[resource.kind].mustSee;
    if (!types || tail.has(types)) return;
    const { time } = this.#scene;
    const stays = await this.#ask((views) => views.ask('statusHistory', { ...resource, from: time, to: time }));
    const since = stays?.value.items.at(-1)?.statusSince;
    if (since !== undefined) await tail.reach(types, since);
    await tail.readBackTo(types);
  }

  /** One resource that cannot be folded is left out; the others still explain themselves. */
  async #look(resource: ResourceRef): Promise<SeenState | null> {
    try {
      return await this.#scene.stateOf(resource);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      this.#partial = true;
      return null;
    }
  }

  /** Read models know only the present; whether it was so at the moment is seen in the states of then. */
  async #naming(resource: ResourceRef, state: Lifetime): Promise<readonly ResourceRef[]> {
    const kinds = namers[resource.kind]?.(state) ?? [];
    const lists = await Promise.all(
      kinds.map((kind) =>
        this.#list(kind, (views) => views.ask('list', { kind, device: resource.id, limit: mostNamers })),
      ),
    );
    this.#dependants.set(streamOf(resource), lists.flat());
    return lists.flat();
  }

  #names(other: ResourceRef, id: string): boolean {
    const state = this.#states.get(streamOf(other)) as { deviceId?: string; instanceId?: string | null } & Lifetime;
    return state !== undefined && state.deletedAt === undefined && (state.deviceId ?? state.instanceId) === id;
  }

  async #agentsOfHolder(state: Lifetime): Promise<readonly ResourceRef[]> {
    const { reservation } = state as { reservation?: { holder: string } | null };
    if (!reservation) return [];
    const host = reservation.holder;
    const agents = await this.#list('agent', (views) => views.ask('list', { kind: 'agent', host, limit: mostNamers }));
    this.#agentsOn.set(host, agents);
    return agents;
  }

  async #list(
    kind: Kind,
    ask: (views: Pick<Views, 'ask'>) => Promise<{ value: { items: readonly { id: string }[] } }>,
  ): Promise<ResourceRef[]> {
    const answered = await this.#ask(ask);
    return answered?.value.items.map(({ id }) => ({ kind, id })) ?? [];
  }

  /** Null where the read models do not answer; the explanation says that something was left out. */
  async #ask<T>(ask: (views: Pick<Views, 'ask'>) => Promise<T>): Promise<T | null> {
    const views = this.#sources.views();
    try {
      if (!views) throw new ViewsError({ code: 'not-ready' });
      return await ask(views);
    } catch (error) {
      if (!(error instanceof ViewsError)) throw error;
      this.#partial = true;
      return null;
    }
  }
}
