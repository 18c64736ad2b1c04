import type { Database, Statement } from 'better-sqlite3';
import { archiveFacts, findArchive } from './archive-file.ts';
import { EventStatements } from './reader-statements.ts';

export interface ArchiveToRead {
  /** Its file; null where the ledger has none. */
  readonly file: string | null;
  /** Whether the ledger may get one while it is read: another process writes it. */
  readonly mayCome: boolean;
}

/** What was archived of a stream: up to this revision, to be asked for with these statements. */
export interface ReadablePart {
  readonly revision: number;
  readonly sql: EventStatements;
}

/** The archive as a reader's connection sees it, where there is one. */
export class AttachedArchive {
  readonly #db: Database;
  readonly #mayCome: boolean;
  readonly #mark: Statement;
  #events: EventStatements | null = null;
  #position: Statement | null = null;
  #revision: Statement<[string]> | null = null;

  constructor(db: Database, { file, mayCome }: ArchiveToRead) {
    this.#db = db;
    this.#mayCome = mayCome;
    this.#mark = db.prepare('SELECT 1 FROM meta WHERE key = ?').pluck();
    if (file !== null) this.#attach(file);
  }

  /** What the archive holds; null where there is none. */
  get events(): EventStatements | null {
    return this.#events;
  }

  get isThere(): boolean {
    return this.#events !== null;
  }

  /** Whether the ledger has got an archive since it was looked at last: what was read since may lack what went there. */
  hasCome(): boolean {
    if (this.#events || !this.#mayCome || this.#mark.get(archiveFacts.file) === undefined) return false;
    const file = findArchive(this.#db.name);
    if (file !== null) this.#attach(file);
    return this.isThere;
  }

  /** The archive, where it holds events from this position on. */
  from(position: number): EventStatements | null {
    if (!this.#events) return null;
    return Number(this.#position!.get(archiveFacts.position)) >= position ? this.#events : null;
  }

  /** What was archived of a stream; null where all of it is in the ledger's own file. */
  ofStream(name: string): ReadablePart | null {
    if (!this.#events) return null;
    const revision = this.#revision!.get(name) as number | undefined;
    return revision === undefined ? null : { revision, sql: this.#events };
  }

  #attach(file: string): void {
    this.#db.prepare('ATTACH ? AS archive').run(file);
    this.#events = new EventStatements(this.#db, 'archive');
    this.#position = this.#db.prepare('SELECT value FROM meta WHERE key = ?').pluck();
    this.#revision = this.#db
      .prepare('SELECT a.revision FROM streams s CROSS JOIN archived a ON a.stream = s.id WHERE s.name = ?')
      .pluck();
  }
}
