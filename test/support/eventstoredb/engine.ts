import { afterAll, beforeAll } from 'vitest';
import { openStore } from '../../../src/store/open-store.ts';
import type { OpenEngine } from '../../contract/support.ts';
import { type ClusterOptions, TestCluster } from './cluster.ts';

/** Names a real database to run against, such as `esdb://localhost:2113?tls=false`, in the place of the test server. */
export const realDatabase = process.env.STACKLEDGER_TEST_ESDB;

/**
 * A database for the tests of one file: the one that was named, or a test server. What was named holds what other files
 * have left, so stories use ids of their own, and look at nothing else.
 */
export function database(options: ClusterOptions = {}): { readonly url: () => string; readonly open: OpenEngine } {
  let cluster: TestCluster | null = null;
  beforeAll(async () => {
    if (!realDatabase) cluster = await TestCluster.start(options);
  });
  afterAll(() => cluster?.stop());
  const url = (): string => realDatabase ?? cluster!.url;
  return { url, open: () => openStore(url()) };
}
