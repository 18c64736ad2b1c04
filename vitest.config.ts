import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const client = fileURLToPath(new URL('src/client/index.ts', import.meta.url));

export default defineConfig({
  resolve: { alias: { 'stackledger/client': client } },
  test: {
    // What takes long on a cluster is played by `npm run test:esdb` alone.
    include: ['test/**/*.test.ts', ...(process.env.STACKLEDGER_TEST_ENGINE === 'esdb' ? ['test/**/*.esdb.ts'] : [])],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
