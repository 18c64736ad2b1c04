import type Database from 'better-sqlite3';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import { formatPosition } from '../../store/event-store.ts';
import type { Answer, Ask, QueryName } from '../queries.ts';
import { type Answerer, answerer } from './answers.ts';
import { bulkLoad } from './bulk-load.ts';
import {
  createFile,
  type Identity,
  identityOf,
  openExisting,
  remove,
  replace,
  seal,
  type Verdict,
} from './model-file.ts';
import type { FeedEvent } from './projection.ts';
import { type Aggregates, type Changed, Projector } from './projector.ts';

export interface ModelOptions {
  readonly path: string;
  readonly ledgerId: string;
  /** `serve`: what is there, if it is of use. `build`: goes on with what is there, or begins anew. */
  readonly purpose: 'serve' | 'build';
  /** The ledger's own file, where it can be read directly. */
  readonly ledgerFile: string | null;
  readonly cachedResources: number;
}

/** Events in the order of the ledger. */
export interface Batch {
  /** The position that they follow. */
  readonly after: number;
  /** Up to where the ledger is considered with them. */
  readonly upTo: number;
  readonly events: readonly FeedEvent[];
  /** Whether to tell what changed. */
  readonly watched: boolean;
}

export interface Applied {
  readonly position: number;
  /** False where the batch does not follow the checkpoint, so that nothing was applied. */
  readonly fits: boolean;
  readonly changes: readonly Changed[];
  readonly parked: ParkedCounts;
}

export interface Retried {
  /** The revision to go on with; null where there is nothing more to try. */
  readonly next: number | null;
  readonly changes: readonly Changed[];
  readonly parked: ParkedCounts;
}

/** Parked resources, by the projection that cannot process their events. */
export type ParkedCounts = Readonly<Record<string, number>>;

/** Where a model stands. */
export interface Whereabouts {
  readonly verdict: Verdict;
  readonly position: number;
  /** A new file whose ledger can be read directly waits for its bulk load. */
  readonly needsLoad: boolean;
  readonly parked: ParkedCounts;
}

/**
 * One file of read models, open: applies, answers, builds. Synchronous but for the bulk load, and the only user of its
 * connection; lives in a thread of its own, or in the process of whoever wants it so.
 */
export class Model {
  readonly #options: ModelOptions;
  readonly #aggregates: Aggregates;
  readonly #identity: Identity;
  #path: string;
  #db: Database.Database | null;
  #verdict: Verdict;
  #toLoad = false;
  #projector: Projector | null = null;
  #answerer: Answerer | null = null;
  #dataVersion: unknown;
  #closing = false;

  constructor(options: ModelOptions, aggregates: Aggregates) {
    this.#options = options;
    this.#aggregates = aggregates;
    this.#path = options.path;
    this.#identity = identityOf(options.ledgerId, aggregates);
    const { db, verdict } = openExisting(options.path, this.#identity);
    this.#db = db;
    this.#verdict = verdict;
    if (options.purpose === 'build' && verdict !== 'current') this.#beginAnew();
  }

  whereabouts(): Whereabouts {
    const parked = this.#db && !this.#toLoad ? parkedCounts(this.#db) : {};
    return { verdict: this.#verdict, position: this.position, needsLoad: this.#toLoad, parked };
  }

  get position(): number {
    if (!this.#db || this.#toLoad) return 0;
    return this.#db.prepare('SELECT position FROM checkpoint').pluck().get() as number;
  }

  /** Fills a new file from the ledger's own; does nothing for one that has a checkpoint already. */
  async load(onProgress: (events: number) => void): Promise<Whereabouts> {
    if (!this.#toLoad) return this.whereabouts();
    const db = this.#open();
    await bulkLoad(db, {
      aggregates: this.#aggregates,
      cachedResources: 1,
      ledgerFile: this.#options.ledgerFile!,
      onProgress,
      isCancelled: () => this.#closing,
    });
    if (this.#closing) return { verdict: 'unusable', position: 0, needsLoad: true, parked: {} };
    seal(db, this.#path, this.#identity);
    this.#toLoad = false;
    return this.whereabouts();
  }

  /** Rows and checkpoint change in one transaction. A batch that was applied before changes nothing. */
  apply({ after, upTo, events, watched }: Batch): Applied {
    return this.#inTransaction((projector) => {
      const position = this.position;
      const parked = (): ParkedCounts => parkedCounts(this.#open());
      if (after > position) return { position, fits: false, changes: [], parked: parked() };
      if (upTo <= position) return { position, fits: true, changes: [], parked: parked() };
      projector.watched = watched ? [] : null;
      projector.apply(
        events[0] && events[0].position > position ? events : events.filter((e) => e.position > position),
      );
      this.#open().prepare('UPDATE checkpoint SET position = ?').run(upTo);
      return { position: upTo, fits: true, changes: inOrder(projector.watched ?? []), parked: parked() };
    });
  }

  /** @see Projector.retry */
  retry(resource: ResourceRef, events: readonly FeedEvent[], complete: boolean): Retried {
    return this.#inTransaction((projector) => {
      projector.watched = [];
      const next = projector.retry(resource, events, complete);
      return { next, changes: inOrder(projector.watched), parked: parkedCounts(this.#open()) };
    });
  }

  ask<N extends QueryName>(name: N, ask: Ask<N>): { position: string; value: Answer<N> } {
    this.#answerer ??= answerer(this.#open());
    return { position: formatPosition(this.position), value: this.#answerer(name, ask) };
  }

  /** Takes the place of another file, which nobody may have open. Where that fails, it stays where it is. */
  promote(path: string): void {
    const db = this.#open();
    const from = this.#path;
    if (from === path) return;
    this.#forget();
    db.close();
    try {
      replace(path, from);
      this.#path = path;
    } finally {
      this.#db = openExisting(this.#path, this.#identity).db;
    }
  }

  close(): void {
    this.#closing = true;
    if (!this.#db) return;
    if (!this.#toLoad) this.#db.pragma('optimize');
    this.#db.close();
    this.#db = null;
    if (this.#toLoad) remove(this.#path);
  }

  #beginAnew(): void {
    this.#db?.close();
    this.#toLoad = this.#options.ledgerFile !== null;
    this.#db = createFile(this.#path, this.#identity, this.#toLoad);
    this.#verdict = 'current';
  }

  #open(): Database.Database {
    if (!this.#db) throw new Error(`There are no read models at ${this.#path}`);
    return this.#db;
  }

  #inTransaction<T>(work: (projector: Projector) => T): T {
    const db = this.#open();
    try {
      db.exec('BEGIN IMMEDIATE');
      this.#forgetIfChangedElsewhere(db);
      this.#projector ??= new Projector(db, { ...this.#options, aggregates: this.#aggregates });
      const result = work(this.#projector);
      db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#forget();
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Somebody with the sqlite3 shell, or another process, may have changed the file. */
  #forgetIfChangedElsewhere(db: Database.Database): void {
    const version = db.pragma('data_version', { simple: true });
    if (version !== this.#dataVersion) this.#projector = null;
    this.#dataVersion = version;
  }

  #forget(): void {
    this.#projector = null;
    this.#answerer = null;
  }
}

/** Those of one batch are found stream by stream. Whoever has seen one has then seen all with a lower position. */
const inOrder = (changes: readonly Changed[]): Changed[] => changes.toSorted((a, b) => a.position - b.position);

function parkedCounts(db: Database.Database): ParkedCounts {
  const rows = db.prepare('SELECT projection, count(*) FROM parked GROUP BY projection').raw().all();
  return Object.fromEntries(rows as [string, number][]);
}
