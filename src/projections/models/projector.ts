import type { Database, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import { type Kind, type ResourceRef, resourceOf } from '../../domain/kernel/resource.ts';
import { activity } from './activity.ts';
import { foldPiece } from './fold-piece.ts';
import { links } from './links.ts';
import { operations } from './operations.ts';
import { Parking, UnprocessableEvent } from './parking.ts';
import type { FeedEvent, Piece, Projection, ProjectionWriter } from './projection.ts';
import { resources } from './resources.ts';
import { spellings } from './spellings.ts';
import { stays } from './stays.ts';
import { type Subject, SubjectReader } from './subject.ts';
import { waits } from './waits.ts';

/** Every read model. They share one fold, one file and one checkpoint. */
export const projections: readonly Projection[] = [resources, waits, links, spellings, stays, operations, activity];

export type Aggregates = Readonly<Partial<Record<Kind, Aggregate>>>;

/** A resource that a batch changed, for those who watch. */
export interface Changed extends ResourceRef {
  readonly revision: number;
  readonly position: number;
  readonly view: string;
  /** What it looked like before; null where it is new. */
  readonly before: string | null;
}

export interface ProjectorOptions {
  readonly aggregates: Aggregates;
  /** Folded resources kept in memory. */
  readonly cachedResources: number;
}

/**
 * Applies events to the tables. Whoever calls it has begun a transaction and commits or rolls it back; after a rollback
 * the projector is to be thrown away, since it remembers what was written.
 */
export class Projector {
  readonly #aggregates: Aggregates;
  readonly #reader: SubjectReader;
  readonly #parking: Parking;
  readonly #writers: readonly { readonly name: string; readonly writer: ProjectionWriter }[];
  readonly #subjects: LRUCache<string, Subject>;
  readonly #view: Statement<[number], string>;
  /** Where changes are noted; null where nobody watches. */
  watched: Changed[] | null = null;

  constructor(db: Database, { aggregates, cachedResources }: ProjectorOptions) {
    this.#aggregates = aggregates;
    this.#reader = new SubjectReader(db);
    this.#parking = new Parking(db);
    this.#writers = projections.map(({ name, open }) => ({ name, writer: open(db) }));
    this.#subjects = new LRUCache({ max: cachedResources });
    this.#view = db.prepare<[number], string>('SELECT view FROM states WHERE resource = ?').pluck();
  }

  /** Applies events in the order of the ledger. Those of one stream are taken together: no model looks across streams. */
  apply(events: readonly FeedEvent[]): void {
    for (const [stream, ofStream] of byStream(events)) {
      const subject = this.#subjectOf(stream);
      if (subject) this.#subjects.set(stream, this.continue(subject, ofStream));
    }
    this.flush();
  }

  /**
   * Applies the next events of one resource and returns it as it then is. Events it has seen change nothing; those of a
   * parked resource wait.
   */
  continue(subject: Subject, events: readonly FeedEvent[]): Subject {
    const fresh = events[0]!.revision > subject.revision ? events : events.filter((e) => e.revision > subject.revision);
    if (fresh.length === 0) return subject;
    if (this.#parking.lastRevisionOf(subject) !== undefined) {
      this.#parking.extend(subject, fresh.at(-1)!.revision);
      return subject;
    }
    try {
      this.#write(this.#derive(subject, fresh));
      return subject;
    } catch (error) {
      if (!(error instanceof UnprocessableEvent)) throw error;
      return this.#carefully(subject, fresh).subject;
    }
  }

  /**
   * Tries the events of a parked resource again, from the one that failed on. `complete`: the stream has no more of them.
   * Answers where to go on, or null where there is nothing more to try.
   */
  retry(resource: ResourceRef, events: readonly FeedEvent[], complete: boolean): number | null {
    const waiting = this.#parking.lastRevisionOf(resource);
    const aggregate = this.#aggregates[resource.kind];
    if (waiting === undefined || !aggregate) return null;
    const before = this.#reader.find(aggregate, resource.id);
    const { subject, failed } = this.#carefully(
      before,
      events.filter(({ revision }) => revision > before.revision),
    );
    this.#subjects.set(`${resource.kind}-${resource.id}`, subject);
    this.flush();
    if (failed) return null;
    const next = subject.revision + 1;
    if (complete && next > waiting) {
      this.#parking.release(resource);
      return null;
    }
    this.#parking.continueFrom(next, resource);
    return next;
  }

  /** Before each commit. */
  flush(): void {
    for (const { writer } of this.#writers) writer.flush();
  }

  aggregateOf(kind: Kind): Aggregate | undefined {
    return this.#aggregates[kind];
  }

  #subjectOf(stream: string): Subject | null {
    const cached = this.#subjects.get(stream);
    if (cached) return cached;
    const resource = resourceOf(stream);
    const aggregate = resource && this.#aggregates[resource.kind];
    return aggregate ? this.#reader.find(aggregate, resource.id) : null;
  }

  /** One event at a time, up to the one that cannot be processed; the resource is parked there. */
  #carefully(subject: Subject, events: readonly FeedEvent[]): { subject: Subject; failed: boolean } {
    let sound = this.#again(subject);
    for (const event of events) {
      try {
        this.#write(this.#derive(sound, [event]));
      } catch (error) {
        if (!(error instanceof UnprocessableEvent)) throw error;
        sound = this.#again(sound);
        this.#parking.park(sound, event, events.at(-1)!.revision, error);
        return { subject: sound, failed: true };
      }
    }
    return { subject: sound, failed: false };
  }

  /** The subject as it was last written. */
  #again(subject: Subject): Subject {
    this.flush();
    return this.#reader.again(subject);
  }

  /** Everything that can fail on an event happens here, before anything of it is written. */
  #derive(subject: Subject, events: readonly FeedEvent[]) {
    const piece = attempt(resources.name, () => foldPiece(subject, events));
    const writes = this.#writers.map(({ name, writer }) => attempt(name, () => writer.derive(piece)));
    return { piece, writes };
  }

  #write({ piece, writes }: { piece: Piece; writes: readonly ((key: number) => void)[] }): void {
    const { subject } = piece;
    const before = this.watched && subject.key > 0 ? this.#view.get(subject.key) : undefined;
    for (const write of writes) write(subject.key); // the first gives a new resource its key
    if (this.watched) this.#note(subject, before ?? null);
  }

  #note({ kind, id, key, revision, position }: Subject, before: string | null): void {
    this.flush();
    const view = this.#view.get(key);
    if (view !== undefined) this.watched!.push({ kind, id, revision, position, view, before });
  }
}

function attempt<T>(projection: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UnprocessableEvent(projection, error);
  }
}

function byStream(events: readonly FeedEvent[]): Map<string, FeedEvent[]> {
  const streams = new Map<string, FeedEvent[]>();
  for (const event of events) {
    const ofStream = streams.get(event.stream);
    if (ofStream) ofStream.push(event);
    else streams.set(event.stream, [event]);
  }
  return streams;
}
