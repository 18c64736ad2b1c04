import Database from 'better-sqlite3';
import type { Snapshot } from '../event-store.ts';
import { inspectLedger, locate } from './ledger-file.ts';

/** Removed in one transaction, so that a server that writes the file waits for moments only. */
const removedAtOnce = 500;
/** How long to wait for a server that is just writing. */
const busyTimeoutMs = 10_000;

/**
 * Takes snapshots out of a ledger's file, also beside a server that writes it: one that was replaced meanwhile stays.
 *
 * @returns how many were removed
 * @throws StoreError unusable-ledger
 */
export async function removeSnapshots(
  from: string,
  unwanted: AsyncIterable<Pick<Snapshot, 'stream' | 'revision' | 'foldVersion'>>,
): Promise<number> {
  const path = locate(from, true);
  inspectLedger(path);
  const db = new Database(path, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    const remove = db.prepare(
      `DELETE FROM snapshots WHERE stream = (SELECT id FROM streams WHERE name = ?) AND revision = ? AND fold_version = ?`,
    );
    let batch: Pick<Snapshot, 'stream' | 'revision' | 'foldVersion'>[] = [];
    let removed = 0;
    const flush = db.transaction(() => {
      for (const { stream, revision, foldVersion } of batch)
        removed += remove.run(stream, revision, foldVersion).changes;
    });
    for await (const snapshot of unwanted) {
      batch.push(snapshot);
      if (batch.length < removedAtOnce) continue;
      flush.immediate();
      batch = [];
    }
    flush.immediate();
    return removed;
  } finally {
    db.close();
  }
}
