import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Knows the open connections of a server, to tell which may be closed when it stops. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.on('close', () => this.#open.delete(socket));
    });
  }

  /**
   * Closes the connections on which nothing is in flight. Node takes one on which nothing was ever sent for one that is
   * about to send; browsers keep such connections in reserve.
   */
  closeUnused(): void {
    this.#server.closeIdleConnections();
    for (const socket of this.#open) {
      if (socket.bytesRead === 0) socket.destroy();
    }
  }
}
