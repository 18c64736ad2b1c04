import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const client = fileURLToPath(new URL('src/client/index.ts', import.meta.url));

export default defineConfig({
  resolve: { alias: { 'stackledger/client': client } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
