import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { resourceOf } from '../../domain/kernel/resource.ts';
import { LedgerScan, type StreamChunk } from './ledger-scan.ts';
import { Projector, type ProjectorOptions } from './projector.ts';
import { newSubject, type Subject } from './subject.ts';

export interface BulkLoadOptions extends ProjectorOptions {
  readonly ledgerFile: string;
  readonly onProgress: (events: number) => void;
  readonly isCancelled: () => boolean;
}

/** Events of one transaction: the pages at the end of each table are then written once for many of them. */
const transactionEvents = 100_000;

/** Fills empty tables without indexes from a ledger file. Lets others have a turn between its pieces. */
export async function bulkLoad(db: Database, options: BulkLoadOptions): Promise<void> {
  const projector = new Projector(db, options);
  const scan = new LedgerScan(options.ledgerFile);
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  let done = 0;
  let subject: Subject | null = null;
  try {
    let committed = 0;
    begin.run();
    for (const chunks of scan.chunks()) {
      for (const chunk of chunks) subject = load(projector, subject, chunk);
      done += chunks.reduce((sum, { events }) => sum + events.length, 0);
      if (done - committed >= transactionEvents) {
        commit.run();
        begin.run();
        committed = done;
      }
      options.onProgress(done);
      await nextTurn();
      if (options.isCancelled()) return;
    }
    projector.flush();
    db.prepare('UPDATE checkpoint SET position = ?').run(scan.head);
    commit.run();
  } finally {
    scan.close();
  }
}

/** A stream begins a new resource, or goes on with the last one where its events did not fit into one chunk. */
function load(projector: Projector, last: Subject | null, { stream, events }: StreamChunk): Subject | null {
  const resource = resourceOf(stream);
  const aggregate = resource && projector.aggregateOf(resource.kind);
  if (!aggregate) return null;
  const goesOn = last !== null && last.kind === resource.kind && last.id === resource.id;
  return projector.continue(goesOn ? last : newSubject(aggregate, resource.id), events);
}
