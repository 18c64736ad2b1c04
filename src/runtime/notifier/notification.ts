import { LRUCache } from 'lru-cache';
import { ownerOf, portToServer, toldBy } from '../../domain/flows/port-to-server.ts';
import { type Aggregate, fold, type Lifetime } from '../../domain/kernel/aggregate.ts';
import { upcast } from '../../domain/kernel/events.ts';
import type { JsonObject } from '../../domain/kernel/json.ts';
import { type ResourceRef, resourceOf, streamOf } from '../../domain/kernel/resource.ts';
import type { DataOf } from '../../domain/port/events.ts';
import type { Port } from '../../domain/port/state.ts';
import type { EventStore, RecordedEvent } from '../../store/event-store.ts';

/** One item of a request to Nova. Nova refuses properties that it does not know. */
export interface NovaEvent {
  readonly name: string;
  readonly server_uuid: string;
  readonly status?: string;
  /** The port. */
  readonly tag: string;
}

/** What Nova is to be told, and the event of the ledger that says so. */
export interface Notification {
  readonly position: string;
  readonly time: string;
  readonly event: NovaEvent;
  /** Of the event that says so, in the port's own stream; its id, and the operation it belongs to. */
  readonly revision: number;
  readonly eventId: string;
  readonly correlationId: string;
}

const repeated = 'NotificationRepeated';
/** Neutron's occasions, and that somebody wants Nova to be told once more. */
export const tellingTypes: readonly string[] = [...portToServer.types, repeated];

/** Neutron sends these without a status: they say that something is so, not how something ended. */
const withoutStatus: readonly string[] = ['network-vif-deleted', 'network-changed'];

/** The story of a port makes no sense to this version of the program. */
export class UnfoldablePort extends Error {}

/** Ports whose state is kept, so that only what has happened since is read. */
const portsKept = 1000;

/** What the events of the ledger tell Nova. */
export class Notifications {
  readonly #store: EventStore;
  readonly #ports: Aggregate;
  readonly #states = new LRUCache<string, Lifetime>({ max: portsKept });

  constructor(store: EventStore, ports: Aggregate) {
    this.#store = store;
    this.#ports = ports;
  }

  /** Null for nothing. @throws UnfoldablePort, StoreError */
  async of(recorded: RecordedEvent): Promise<Notification | null> {
    const resource = resourceOf(recorded.stream);
    if (resource?.kind !== 'port') return null;
    const { type, v, position, time, revision, id: eventId, metadata } = recorded;
    const data = orUnfoldable(resource, () => upcast(this.#ports.events, type, v, recorded.data as JsonObject));
    if (!data) return null;
    const event =
      type === repeated
        ? eventOf(data as DataOf<typeof repeated>, resource)
        : await this.#news(recorded, resource, data);
    if (!event) return null;
    return { position, time, event, revision, eventId, correlationId: String(metadata.$correlationId) };
  }

  async #news({ type, revision }: RecordedEvent, resource: ResourceRef, data: JsonObject): Promise<NovaEvent | null> {
    const told = orUnfoldable(resource, () => toldBy({ type, data, resource }));
    // Nova knows no failure that may pass: it would give up the boot that is to go on waiting.
    if (!told || told.retryable) return null;
    const server = ownerOf((await this.#stateAt(resource, revision)) as Port | null);
    if (!server) return null;
    const { name, status } = told;
    return eventOf({ server: server.id, name, ...(!withoutStatus.includes(name) && { status }) }, resource);
  }

  /**
   * The port as it was when the event happened: Nova may be told much later, when the port belongs to another server, and
   * a second telling must say the same as the first.
   */
  async #stateAt(resource: ResourceRef, revision: number): Promise<Lifetime | null> {
    const stream = streamOf(resource);
    const known = this.#states.get(stream);
    let state = known && known.revision < revision ? known : await this.#snapshotBefore(stream, revision);
    // Folding changes it in place: until that has succeeded, it is nobody's.
    this.#states.delete(stream);
    const from = state ? state.revision + 1 : 0;
    for await (const event of this.#store.readStream(stream, { from, limit: revision - from + 1 }))
      state = orUnfoldable(resource, () => fold(this.#ports, resource.id, state, event));
    if (state) this.#states.set(stream, state);
    return state;
  }

  async #snapshotBefore(stream: string, revision: number): Promise<Lifetime | null> {
    const kept = await this.#store.loadSnapshot(stream);
    if (!kept || kept.foldVersion !== this.#ports.foldVersion || kept.revision >= revision) return null;
    return JSON.parse(kept.state) as Lifetime;
  }
}

const eventOf = ({ server, name, status }: DataOf<typeof repeated>, { id }: ResourceRef): NovaEvent => ({
  name,
  server_uuid: server,
  ...(status !== undefined && { status }),
  tag: id,
});

function orUnfoldable<T>({ id }: ResourceRef, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new UnfoldablePort(`The events of port ${id} cannot be folded: ${(cause as Error).message}`, { cause });
  }
}
