import type { EventStore } from './event-store.ts';
import type { OpenStoreOptions } from './open-options.ts';
import { unusable } from './store-error.ts';

/**
 * Opens the ledger that a URL names.
 *
 * @example
 * const store = await openStore('sqlite:./data/ledger.db');
 * const scratch = await openStore('memory:', { clock: 'manual' });
 * const shared = await openStore('esdb://n1:2113,n2:2113,n3:2113?tlsCAFile=ca.crt');
 *
 * @throws StoreError ledger-locked | unusable-ledger
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<EventStore> {
  const [scheme = '', rest = ''] = splitAtColon(url);
  const open = engines[scheme];
  if (!open) {
    const known = Object.keys(engines).map((name) => `${name}:`);
    throw unusable(url, `its URL does not begin with ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`);
  }
  return open(rest, options, url);
}

/** The file that a ledger of this URL is kept in; null where it is kept in none. */
export function ledgerFileOf(url: string): string | null {
  const [scheme, rest = ''] = splitAtColon(url);
  return scheme === 'sqlite' ? pathIn(rest) : null;
}

const pathIn = (rest: string): string => rest.replace(/^\/\/(?=.)/, '');

async function eventstoredb(_rest: string, options: OpenStoreOptions, url: string): Promise<EventStore> {
  const { openEventStoreDb } = await import('./eventstoredb/eventstoredb-store.ts');
  return openEventStoreDb({ ...options, url });
}

/** An engine is loaded when it is asked for, so that one does not pay for the libraries of another. */
const engines: Record<string, (rest: string, options: OpenStoreOptions, url: string) => Promise<EventStore>> = {
  async sqlite(rest, options, url) {
    const path = pathIn(rest);
    if (path === '') throw unusable(url, 'the path of its file is missing; write sqlite:./data/ledger.db');
    const { openSqliteStore } = await import('./sqlite/sqlite-store.ts');
    return openSqliteStore({ ...options, path });
  },

  async memory(rest, options, url) {
    if (rest !== '') throw unusable(url, 'a ledger in memory has no name; write memory:');
    if (options.readOnly) throw unusable(url, 'a ledger in memory begins empty, so there is nothing to read only');
    const { MemoryStore } = await import('./memory/memory-store.ts');
    return new MemoryStore(options);
  },

  esdb: eventstoredb,
  'esdb+discover': eventstoredb,
};

function splitAtColon(url: string): [string, string] | [] {
  const colon = url.indexOf(':');
  return colon < 0 ? [] : [url.slice(0, colon), url.slice(colon + 1)];
}
