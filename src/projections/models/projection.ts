import type { Database } from 'better-sqlite3';
import type { Origin } from './origin.ts';
import type { Subject } from './subject.ts';

/** An event as it comes from the ledger: its texts are not parsed yet. */
export interface FeedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly v: number;
  readonly time: string;
  readonly data: string;
  readonly metadata: string;
}

/** What people ask about in intervals. */
export interface Condition {
  readonly status: string;
  readonly statusSince: string;
  readonly subState: string | null;
  readonly subStateSince: string;
  readonly host: string | null;
}

/** A moment at which a resource's condition changed; null where it ceased to exist. */
export interface Turn {
  readonly time: string;
  readonly condition: Condition | null;
  readonly previousStatus: string | null;
}

/** Consecutive events of one resource, folded. */
export interface Piece {
  /** The resource as it is after these events. */
  readonly subject: Subject;
  readonly events: readonly FeedEvent[];
  /** Where each of the events comes from. */
  readonly origins: readonly Origin[];
  /** The command that led to the event before these. */
  readonly commandBefore: string;
  readonly turns: readonly Turn[];
}

/**
 * A read model: its tables, how a piece of a stream changes them, and (beside it in its file) the queries on them. Raise
 * `version` when the tables or what is written into them change; every model is then built anew.
 */
export interface Projection {
  readonly name: string;
  readonly version: number;
  readonly tables: string;
  /** Made after a bulk load, which is faster than keeping them up to date during it. */
  readonly indexes: string;
  readonly open: (db: Database) => ProjectionWriter;
}

export interface ProjectionWriter {
  /** Works out what a piece changes, and returns how to write that. Throws, if at all, before anything is written. */
  derive(piece: Piece): (key: number) => void;
  /** Before each commit: writes what was gathered over many pieces. */
  flush(): void;
}
