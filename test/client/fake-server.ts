import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What one request is answered; destroying the response's socket is an answer too. */
export type Answer = (response: ServerResponse, request: Received) => unknown;

/** An HTTP server that plays a script: the nth request gets the nth answer, and the last answer repeats. */
export class FakeServer {
  readonly requests: Received[] = [];
  readonly #server: Server;

  private constructor(script: readonly Answer[]) {
    this.#server = createServer(async (incoming, response) => {
      const request = {
        method: incoming.method!,
        url: new URL(incoming.url!, 'http://fake'),
        headers: incoming.headers,
        body: await text(incoming),
      };
      this.requests.push(request);
      await script[Math.min(this.requests.length, script.length) - 1]!(response, request);
    });
  }

  static async playing(...script: Answer[]): Promise<FakeServer> {
    const fake = new FakeServer(script);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

export const problem =
  (slug: string, status: number, more: object = {}, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ type: `/problems/${slug}`, title: slug, status, detail: `It is ${slug}.`, ...more }));

/** The line breaks before an answer came. */
export const dropped: Answer = (response) => response.socket?.destroy();
