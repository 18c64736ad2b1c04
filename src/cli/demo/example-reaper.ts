import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The program of `examples/reaper`: beside the sources while these run, and built with them. */
function program(): string {
  const { url } = import.meta;
  const path = url.endsWith('.ts') ? '../../../examples/reaper/main.ts' : '../../examples/reaper/main.js';
  return new URL(path, url).pathname;
}

export interface ReaperOptions {
  readonly url: string;
  readonly token: string;
  readonly holder: string;
  readonly stateFile: string;
}

/** The example reaper as its users run it: a program of its own, which knows nothing of the demo. */
export class ExampleReaper {
  /** What it said, without the times: it lives in real time, and the play does not. */
  readonly said: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor({ url, token, holder, stateFile }: ReaperOptions) {
    const flags = ['--url', url, '--holder', holder, '--state-file', stateFile];
    const env = { ...process.env, STACKLEDGER_TOKEN: token };
    this.#child = spawn(process.execPath, [...process.execArgv, program(), ...flags], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const output of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface(output).on('line', (line) => this.said.push(line.replace(/^\d{4}-\S+Z /, '')));
    }
    this.#ended = once(this.#child, 'close');
    process.once('exit', this.#kill);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async stop(): Promise<void> {
    this.#kill();
    await this.#ended;
    process.off('exit', this.#kill);
  }

  readonly #kill = (): void => {
    this.#child.kill('SIGTERM');
  };
}
