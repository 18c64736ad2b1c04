import { type ResourceRef, streamOf } from '../../domain/kernel/resource.ts';
import type { Clue, Proof } from '../../domain/why/explanation.ts';
import type { Happening } from '../../domain/why/world.ts';
import type { EventStore, RecordedEvent } from '../../store/event-store.ts';

/** Events read at first, and at most, from the end of a stream. */
const newest = 100;
const most = 2_000;
const page = 500;

interface Seen {
  readonly event: RecordedEvent;
  readonly happening: Happening;
}

/**
 * The end of a stream up to a revision, newest first. What lies before it is found by time, since a stream's times never
 * fall: so what an explanation costs does not grow with the history of what it explains.
 */
export class StreamTail {
  readonly #store: EventStore;
  readonly #stream: string;
  readonly #revision: number;
  readonly #seen: Seen[] = [];
  /** Older ones that were looked for, newest first. */
  readonly #older: Seen[] = [];

  constructor(store: EventStore, resource: ResourceRef, revision: number) {
    this.#store = store;
    this.#stream = streamOf(resource);
    this.#revision = revision;
  }

  get happened(): readonly Happening[] {
    return [...this.#seen, ...this.#older].map(({ happening }) => happening);
  }

  async read(): Promise<void> {
    await this.#readOn(newest);
  }

  has(types: readonly string[]): boolean {
    return [...this.#seen, ...this.#older].some(({ event }) => types.includes(event.type));
  }

  /** Reads on until one of these types is among them, or until that costs too much. */
  async readBackTo(types: readonly string[]): Promise<void> {
    while (this.#canReadOn && !this.has(types)) await this.#readOn(page);
  }

  /** Takes in the event of one of these types at a time before all others. */
  async reach(types: readonly string[], at: string): Promise<void> {
    const found = await this.#findAt(at, ({ type }) => types.includes(type));
    if (found && found.event.time === at) this.#older.push(found);
  }

  /** The event a clue means; null where it cannot be found at a bearable price. */
  async find({ types, at, where = () => true }: Clue): Promise<Proof | null> {
    const means = ({ type, time, data }: Happening): boolean =>
      types.includes(type) && (at === undefined || time === at) && where(data);
    const known = [...this.#seen, ...this.#older].find(({ happening }) => means(happening));
    if (known) return proofOf(known.event);
    const found = at === undefined ? await this.#findBefore(means) : await this.#findAt(at, means);
    return found ? proofOf(found.event) : null;
  }

  async #findBefore(means: (happening: Happening) => boolean): Promise<Seen | undefined> {
    while (this.#canReadOn) {
      const from = this.#seen.length;
      await this.#readOn(page);
      const found = this.#seen.slice(from).find(({ happening }) => means(happening));
      if (found) return found;
    }
    return undefined;
  }

  /** Halves what lies before the tail until it stands at the time. */
  async #findAt(at: string, means: (happening: Happening) => boolean): Promise<Seen | undefined> {
    let [low, high] = [0, this.#oldest - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      const event = await this.#eventFrom(middle);
      if (event && event.time < at) low = middle + 1;
      else high = middle;
    }
    let found: Seen | undefined;
    for await (const event of this.#store.readStream(this.#stream, { from: low, limit: newest })) {
      if (event.time > at || event.revision > this.#revision) break;
      const happening = happeningOf(event);
      if (means(happening)) found = { event, happening };
    }
    return found;
  }

  async #eventFrom(revision: number): Promise<RecordedEvent | null> {
    for await (const event of this.#store.readStream(this.#stream, { from: revision, limit: 1 })) return event;
    return null;
  }

  get #oldest(): number {
    return this.#seen.at(-1)?.event.revision ?? this.#revision + 1;
  }

  get #canReadOn(): boolean {
    return this.#oldest > 0 && this.#seen.length < most;
  }

  async #readOn(limit: number): Promise<void> {
    const from = this.#oldest - 1;
    if (from < 0) return;
    const direction = 'backwards';
    const before = this.#seen.length;
    for await (const event of this.#store.readStream(this.#stream, { from, direction, limit })) {
      this.#seen.push({ event, happening: happeningOf(event) });
    }
    if (this.#seen.length === before) throw new Error(`${this.#stream} has no event at revision ${from}`);
  }
}

/** Most events are looked at by type and time alone: their data is read when somebody asks for it. */
function happeningOf(event: RecordedEvent): Happening {
  const { type, time, revision, metadata } = event;
  let data: Happening['data'] | undefined;
  return {
    type,
    time,
    revision,
    actor: (metadata.actor as Happening['actor'] | undefined) ?? null,
    get data() {
      data ??= JSON.parse(event.dataText) as Happening['data'];
      return data;
    },
  };
}

const proofOf = ({ id, stream, type, revision, position, time }: RecordedEvent): Proof => ({
  eventId: id,
  stream,
  type,
  revision,
  position,
  time,
});
