import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { plainEnvironment } from '../support/environment.ts';
import { TestCluster } from '../support/eventstoredb/cluster.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the demo plays on EventStoreDB as it does on a file', { timeout: 120_000 }, async () => {
  const cluster = await TestCluster.start();
  onTestFinished(() => cluster.stop());
  const line = ['--import', 'tsx', 'src/cli/main.ts', 'demo', '--on', cluster.url];
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) =>
    execFile(process.execPath, line, { cwd: root, env: plainEnvironment, maxBuffer: 64_000_000 }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), stdout }),
    ),
  );
  expect(stdout).toContain('All of it is as it should be.');
  expect(stdout).toMatch(/✓ (\d+) states of \1 the same, byte for byte\./);
  expect(code).toBe(0);
});
