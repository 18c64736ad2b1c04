import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { plainEnvironment } from '../support/environment.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The built server as a process of its own, one that must expect to be killed. */
export class Victim {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #stderr = '';
  /** Where it listens; null where it ended before it did. */
  readonly url: Promise<string | null>;

  constructor(flags: readonly string[]) {
    this.#child = spawn(process.execPath, [main, 'serve', '--port', '0', '--log-level', 'warn', ...flags], {
      env: plainEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exited = once(this.#child, 'close');
    this.#child.stderr!.on('data', (chunk) => {
      this.#stderr += chunk;
    });
    this.url = this.#firstUrl();
  }

  /** What it had to say for itself. */
  get complaints(): string {
    return this.#stderr;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Asks it to stop, as an operator would. */
  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  /** Ends it at once, whatever it does. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async ended(): Promise<void> {
    await this.#exited;
  }

  async #firstUrl(): Promise<string | null> {
    for await (const line of createInterface({ input: this.#child.stdout! })) {
      const url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
      if (url) return url;
    }
    return null;
  }
}
