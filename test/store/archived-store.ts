import type { AppendRequest, EventStore } from '../../src/store/event-store.ts';
import { prepareArchive } from '../../src/store/sqlite/archive-file.ts';
import { LedgerArchiver } from '../../src/store/sqlite/archiver.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

/** What moves streams out of a ledger's file, whoever has that open. */
export const archiverOf = (path: string): LedgerArchiver => new LedgerArchiver(path, prepareArchive(path));

/** Archives streams as they stand, whatever is in them. */
export function archive(path: string, ends: readonly { stream: string; revision: number }[]): void {
  const archiver = archiverOf(path);
  try {
    while (!archiver.move(ends).done);
  } finally {
    archiver.close();
  }
}

/**
 * A ledger of which a part is archived all the time: after every second append its stream goes, and of that which the
 * ledger ends with, all but the last event.
 */
export async function openArchivedStore(path: string): Promise<EventStore> {
  const store = await openSqliteStore({ path, archives: true });
  const archiver = archiverOf(path);
  let appends = 0;
  const append = async (request: AppendRequest) => {
    const result = await store.append(request);
    if (request.events.length > 0 && appends++ % 2 === 0)
      archiver.move([{ stream: request.stream, revision: result.revision }]);
    return result;
  };
  const close = async (): Promise<void> => {
    await store.close();
    archiver.close();
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') return append;
      if (name === 'close') return close;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
