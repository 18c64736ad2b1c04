import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { plainEnvironment } from '../support/environment.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** Limits for tests that start several processes, each of which is compiled as it starts. */
export const patient = { testTimeout: 120_000, hookTimeout: 120_000 };

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the command line as a process of its own. */
export function start(args: readonly string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], { env: { ...plainEnvironment, ...env } });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** Runs it to its end. */
export async function run(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<Ran> {
  const child = start(args, options.env);
  child.stdin.end(options.input ?? '');
  return finished(child);
}

/** Waits for the end of a process, and for all it wrote. */
export async function finished(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
