import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Resident memory, in MiB. */
  residentMiB(): number;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The room for young objects that `npm start` gives. */
const room = '--max-semi-space-size=64';

/** The built server in a process of its own, as `npm start` runs it. */
export const startServer = (flags: readonly string[]): Promise<ServerProcess> =>
  start([`${root}dist/cli/main.js`, 'serve', '--port', '0', '--log-level', 'warn', ...flags]);

/** The same route with the same schema on a bare Fastify that stores nothing, or only a row in this file. */
export const startBareRoute = (...file: [] | [string]): Promise<ServerProcess> =>
  start(['--import', 'tsx', fileURLToPath(new URL('bare-route.ts', import.meta.url)), ...file]);

async function start(args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, [room, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await listeningUrl(child);
  const pid = child.pid!;
  return {
    url,
    pid,
    residentMiB: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
    if (url) return url;
  }
  throw new Error(`the server ended with ${child.exitCode} before it listened`);
}
