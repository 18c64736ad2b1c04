import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP line to a server that can be told to break: requests get through, answers do not. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #cuts = 0;
  /** Connections whose answer was withheld. */
  cut = 0;

  private constructor(target: string) {
    const { hostname, port } = new URL(target);
    this.#server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      this.#join(client, upstream);
      client.on('data', (chunk) => upstream.write(chunk));
      upstream.on('data', (chunk) => (this.#cuts > 0 ? this.#cutOff(client, upstream) : client.write(chunk)));
    });
  }

  static async to(target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next `count` answers are lost: the server has worked, and the client does not hear of it. */
  loseAnswers(count: number): void {
    this.#cuts = count;
  }

  /** Breaks every connection there is. */
  breakAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  close(): void {
    this.breakAll();
    this.#server.close();
  }

  #join(client: Socket, upstream: Socket): void {
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#open.delete(socket);
        other.destroy();
      });
    }
  }

  #cutOff(client: Socket, upstream: Socket): void {
    this.#cuts--;
    this.cut++;
    client.destroy();
    upstream.destroy();
  }
}
