import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChannelModel, connect } from 'amqplib';
import { pathOf, rabbitmq } from './external.ts';

/** What Debian's own command starts, without its change of user. */
const debian = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** A RabbitMQ of the test's own: its own node, ports, cookie, folder, and port mapper. Nothing of it outlives the test. */
export class Broker {
  readonly url: string;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #mapper: ChildProcess;
  #server: ChildProcess | null = null;

  private constructor(folder: string, [port, distPort, mapperPort]: readonly number[]) {
    this.url = `amqp://guest:guest@127.0.0.1:${port}`;
    this.#folder = folder;
    this.#env = {
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      HOME: folder,
      ERL_EPMD_PORT: String(mapperPort),
      ERL_EPMD_ADDRESS: '127.0.0.1',
      RABBITMQ_NODENAME: `stackledger-test-${port}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(distPort),
      RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
      RABBITMQ_LOG_BASE: join(folder, 'log'),
      RABBITMQ_PID_FILE: join(folder, 'pid'),
      RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
      RABBITMQ_CONF_ENV_FILE: '/dev/null',
    };
    // In the foreground: a port mapper that the broker starts itself would stay when the broker has gone.
    this.#mapper = spawn('epmd', ['-port', String(mapperPort), '-address', '127.0.0.1'], { stdio: 'ignore' });
  }

  static async start(): Promise<Broker> {
    const folder = await mkdtemp(join(tmpdir(), 'stackledger-rabbitmq-'));
    await writeFile(join(folder, 'plugins'), '[].\n');
    await writeFile(join(folder, 'rabbitmq.conf'), 'log.console = false\nlog.file.level = error\n');
    const broker = new Broker(folder, await freePorts(3));
    await broker.#run();
    return broker;
  }

  /** As after a power cut. */
  async crashAndRestart(): Promise<void> {
    await this.#kill();
    await this.#run();
  }

  async stop(): Promise<void> {
    await this.#kill();
    this.#mapper.kill('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(): Promise<void> {
    const program = existsSync(debian) ? debian : pathOf(rabbitmq.program)!;
    // A group of its own, since the script starts the server as a child.
    this.#server = spawn(program, { env: this.#env, stdio: 'ignore', detached: true, cwd: this.#folder });
    const connection = await this.#connected();
    await connection.close();
  }

  async #connected(): Promise<ChannelModel> {
    for (;;) {
      if (this.#server?.exitCode !== null) throw new Error('The broker has ended before it took a connection.');
      try {
        return await connect(this.url);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async #kill(): Promise<void> {
    const { pid, exitCode } = this.#server!;
    if (pid === undefined || exitCode !== null) return;
    const gone = once(this.#server!, 'exit');
    process.kill(-pid, 'SIGKILL');
    await gone;
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
