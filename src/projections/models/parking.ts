import type { Database, Statement } from 'better-sqlite3';
import { type Kind, type ResourceRef, streamOf } from '../../domain/kernel/resource.ts';
import type { FeedEvent } from './projection.ts';

export const parkingTable = `
CREATE TABLE parked (
  kind          TEXT    NOT NULL,
  id            TEXT    NOT NULL,
  projection    TEXT    NOT NULL,
  revision      INTEGER NOT NULL,
  position      INTEGER NOT NULL,
  type          TEXT    NOT NULL,
  error         TEXT    NOT NULL,
  attempts      INTEGER NOT NULL,
  last_revision INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
`;

/** An event that a projection could not process. */
export class UnprocessableEvent extends Error {
  override readonly name = 'UnprocessableEvent';
  readonly projection: string;

  constructor(projection: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.projection = projection;
  }
}

/** Longer messages are cut: one bad resource must not fill the file. */
const maxErrorLength = 2000;

/** The resources that stand still: their first bad event, and up to where their stream goes on behind it. */
export class Parking {
  readonly #lastRevisions = new Map<string, number>();
  readonly #park: Statement;
  readonly #retarget: Statement;
  readonly #extend: Statement;
  readonly #remove: Statement;

  constructor(db: Database) {
    this.#park = db.prepare(
      `INSERT INTO parked VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET projection = excluded.projection,
         revision = excluded.revision, position = excluded.position, type = excluded.type, error = excluded.error,
         attempts = attempts + 1, last_revision = max(last_revision, excluded.last_revision)`,
    );
    this.#retarget = db.prepare('UPDATE parked SET revision = ? WHERE kind = ? AND id = ?');
    this.#extend = db.prepare('UPDATE parked SET last_revision = ? WHERE kind = ? AND id = ?');
    this.#remove = db.prepare('DELETE FROM parked WHERE kind = ? AND id = ?');
    const rows = db.prepare('SELECT kind, id, last_revision AS last FROM parked').all() as (ResourceRef & {
      last: number;
    })[];
    for (const row of rows) this.#lastRevisions.set(streamOf(row), row.last);
  }

  /** The last event known of a parked resource; undefined where it is not parked. */
  lastRevisionOf(resource: ResourceRef): number | undefined {
    return this.#lastRevisions.get(streamOf(resource));
  }

  park(resource: ResourceRef, event: FeedEvent, lastRevision: number, { projection, message }: UnprocessableEvent) {
    const { kind, id } = resource;
    const { revision, position, type } = event;
    const error = message.slice(0, maxErrorLength);
    this.#park.run(kind, id, projection, revision, position, type, error, lastRevision);
    this.#lastRevisions.set(streamOf(resource), Math.max(lastRevision, this.lastRevisionOf(resource) ?? -1));
  }

  /** More events of a parked resource wait. */
  extend({ kind, id }: ResourceRef, lastRevision: number): void {
    if (lastRevision <= this.lastRevisionOf({ kind, id })!) return;
    this.#extend.run(lastRevision, kind, id);
    this.#lastRevisions.set(streamOf({ kind, id }), lastRevision);
  }

  /** The resource moves again, but is not at the end of its stream yet. */
  continueFrom(revision: number, { kind, id }: { kind: Kind; id: string }): void {
    this.#retarget.run(revision, kind, id);
  }

  release({ kind, id }: ResourceRef): void {
    this.#remove.run(kind, id);
    this.#lastRevisions.delete(streamOf({ kind, id }));
  }
}
