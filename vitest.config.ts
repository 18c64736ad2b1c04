import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const client = fileURLToPath(new URL('src/client/index.ts', import.meta.url));

export default defineConfig({
  resolve: { alias: { 'stackledger/client': client } },
  test: {
    // What takes long on a cluster is played by `npm run test:esdb` alone.
    include: ['test/**/*.test.ts', ...(process.env.STACKLEDGER_TEST_ENGINE === 'esdb' ? ['test/**/*.esdb.ts'] : [])],
    // Much of the time goes by in servers that suites start: two at a time also where there are two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
