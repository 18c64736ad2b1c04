import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('../peer/', import.meta.url));

/** One connection for all, which can hold one transaction at a time, or a connection for each transaction, its default. */
export type Connections = 'shared' | 'own';

/** What a task of the peer came to. `retried` counts the failures, by their messages, that doing the same again got over. */
export interface PeerAnswer {
  readonly answer: unknown;
  readonly retried: Readonly<Record<string, number>>;
}

/** The peer did not do what it was asked to, however often it was tried. */
export class PeerFailed extends Error {
  override readonly name = 'PeerFailed';
  readonly retried: PeerAnswer['retried'];

  constructor(message: string, retried: PeerAnswer['retried'] = {}) {
    super(message);
    this.retried = retried;
  }
}

/** The peer is no dependency of the program: its own package is installed where somebody asks for the comparison. */
export function installPeer(): void {
  if (existsSync(`${home}node_modules/@event-driven-io/emmett-sqlite`)) return;
  console.error('Installing the peer, as it is not part of `npm ci` here: npm ci --prefix bench/peer');
  console.error('Its SQLite driver is compiled where none is ready-made for this machine, which takes some minutes.');
  const { status } = spawnSync('npm', ['ci', '--prefix', home, '--no-audit', '--no-fund'], { stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  throw new Error(
    'The peer could not be installed; `npm ci --prefix bench/peer` says why. The other parts need no peer.',
  );
}

/** How much longer a peer may take to say that its time is up. */
const graceMs = 10_000;

/** The peer at work on a file of its own. One task at a time. */
export class PeerProcess {
  readonly #child: ChildProcess;

  constructor(file: string, connections: Connections) {
    this.#child = fork(`${home}main.mjs`, [file, connections], {
      // It prints each failed transaction; what failed comes with the answer.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
      // Each of its transactions waits for the file's lock in a thread of this pool, the one that holds it needs one as well.
      env: { ...process.env, UV_THREADPOOL_SIZE: '128' },
    });
  }

  /** @throws PeerFailed where it fails, ends, or has not answered in time */
  async ask(task: string, given: object = {}, withinMs = 60_000): Promise<PeerAnswer> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) throw new PeerFailed('it has ended');
    child.send({ task, withinMs, ...given });
    const signal = AbortSignal.timeout(withinMs + graceMs);
    const answered = once(child, 'message', { signal }).catch(() => {
      child.kill('SIGKILL');
      throw new PeerFailed(`no answer within ${(withinMs + graceMs) / 1000} s`);
    });
    const ended = once(child, 'exit', { signal }).then(([code, killedBy]) => {
      throw new PeerFailed(`it ended with ${code ?? killedBy}`);
    });
    ended.catch(() => {});
    const [message] = await Promise.race([answered, ended]);
    if ('failed' in message) throw new PeerFailed(message.failed, message.retried);
    return message;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
