import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestCluster } from './eventstoredb/cluster.ts';

/** An empty place for a ledger, and how to be rid of it. */
export interface EmptyStore {
  readonly url: string;
  remove(): void;
}

const makers: Readonly<Record<string, () => Promise<EmptyStore>>> = {
  memory: async () => ({ url: 'memory:', remove: () => {} }),

  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stackledger-test-'));
    return { url: `sqlite:${join(folder, 'ledger.db')}`, remove: () => rmSync(folder, { recursive: true }) };
  },

  esdb: async () => {
    const cluster = await TestCluster.start();
    return { url: cluster.url, remove: () => cluster.stop() };
  },
};

/** The engine that tests of what stands above the store run on: `memory` unless `STACKLEDGER_TEST_ENGINE` names another. */
export const engine = process.env.STACKLEDGER_TEST_ENGINE ?? 'memory';

export async function emptyStore(on = engine): Promise<EmptyStore> {
  const make = makers[on];
  if (!make) throw new Error(`STACKLEDGER_TEST_ENGINE is one of ${Object.keys(makers).join(', ')}, not ${on}`);
  return make();
}
