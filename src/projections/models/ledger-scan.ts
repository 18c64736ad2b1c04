import Database, { type Statement } from 'better-sqlite3';
import { findArchive } from '../../store/sqlite/archive-file.ts';
import { mergedRows } from '../../store/sqlite/merged-rows.ts';
import type { FeedEvent } from './projection.ts';

/** Events read at once: enough to share the price of a query, few enough to be thrown away young. */
const chunkEvents = 2000;
const chunkCharacters = 8_000_000;

/**
 * The texts of an event come as one, which costs half as much as five: id and time have a fixed length, and the rest is
 * parted by a character that no JSON text holds.
 */
const parting = '\u0001';
const idLength = 36;
const typeStart = idLength + '2026-01-01T00:00:00.000Z'.length;

type Row = [stream: number, revision: number, position: number, v: number, texts: string];

/** Consecutive events of one stream. */
export interface StreamChunk {
  readonly stream: string;
  readonly events: readonly FeedEvent[];
}

/**
 * Reads a ledger file stream by stream instead of in the order of the ledger: each resource is then folded in one go and
 * written once, and no more than one is held in memory. It reads up to the head that it found when it began, in short
 * reads, so it holds up no writer. What lies in the ledger's archive is read with it.
 */
export class LedgerScan {
  readonly #db: Database.Database;
  readonly #hasArchive: boolean;
  readonly head: number;
  readonly streams: number;

  constructor(path: string) {
    this.#db = new Database(path, { readonly: true, fileMustExist: true, timeout: 2000 });
    const archive = findArchive(path);
    this.#hasArchive = archive !== null;
    if (archive !== null) this.#db.prepare('ATTACH ? AS archive').run(archive);
    this.#db.pragma('mmap_size = 1073741824');
    this.head = (this.#db.prepare('SELECT max(position) FROM events').pluck().get() as number | null) ?? 0;
    this.streams = this.#db.prepare('SELECT count(*) FROM streams').pluck().get() as number;
  }

  *chunks(): Generator<StreamChunk[]> {
    const name = this.#db.prepare<[number], string>('SELECT name FROM streams WHERE id = ?').pluck();
    const live = this.#after('main.events e');
    const archived = this.#hasArchive
      ? this.#after('archive.events e CROSS JOIN archived a ON a.stream = e.stream AND e.revision <= a.revision')
      : null;
    let last: Row | undefined;
    for (;;) {
      const chunks: { stream: string; events: FeedEvent[] }[] = [];
      let current = -1;
      let characters = 0;
      let left = chunkEvents;
      const after = [last?.[0] ?? 0, last?.[1] ?? -1, this.head] as const;
      const ours = live.iterate(...after);
      for (const row of archived ? mergedRows(ours, () => archived.iterate(...after), byStream) : ours) {
        const [streamId, , , , texts] = row;
        if (streamId !== current) chunks.push({ stream: name.get(streamId)!, events: [] });
        const { stream, events } = chunks.at(-1)!;
        events.push(eventOf(stream, row));
        current = streamId;
        last = row;
        characters += texts.length;
        left -= 1;
        if (left === 0 || characters > chunkCharacters) break;
      }
      if (chunks.length === 0) return;
      yield chunks;
    }
  }

  close(): void {
    this.#db.close();
  }

  #after(events: string): Statement<[number, number, number], Row> {
    return this.#db
      .prepare<[number, number, number], Row>(
        `SELECT e.stream, e.revision, e.position, e.v, e.id || e.time || e.type || char(1) || e.data || char(1) || e.metadata
         FROM ${events} WHERE (e.stream, e.revision) > (?, ?) AND e.position <= ?
         ORDER BY e.stream, e.revision LIMIT ${chunkEvents}`,
      )
      .raw();
  }
}

const byStream = ([stream, revision]: Row, [otherStream, otherRevision]: Row): number =>
  stream - otherStream || revision - otherRevision;

function eventOf(stream: string, [, revision, position, v, texts]: Row): FeedEvent {
  const typeEnd = texts.indexOf(parting, typeStart);
  const dataEnd = texts.indexOf(parting, typeEnd + 1);
  return {
    stream,
    revision,
    position,
    id: texts.slice(0, idLength),
    type: texts.slice(typeStart, typeEnd),
    v,
    time: texts.slice(idLength, typeStart),
    data: texts.slice(typeEnd + 1, dataEnd),
    metadata: texts.slice(dataEnd + 1),
  };
}
