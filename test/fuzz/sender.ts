import { Agent, type IncomingMessage, request } from 'node:http';
import type { WireRequest } from './request.ts';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Longer than this, nobody waits for an answer. */
const patienceMs = 15_000;

/** Sends requests as they are, one after the other, over connections that stay open. */
export class Sender {
  readonly #origin: URL;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(origin: string) {
    this.#origin = new URL(origin);
  }

  /** Null where the request is none that Node would send. @throws Error where no answer comes */
  async send(wanted: WireRequest): Promise<Reply | null> {
    const { hostname, port } = this.#origin;
    const { method, path, body } = wanted;
    const headers = { ...wanted.headers, ...(body !== null && { 'content-length': String(Buffer.byteLength(body)) }) };
    return new Promise((resolve, reject) => {
      try {
        const outgoing = request({ hostname, port, method, path, headers, agent: this.#agent });
        outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error(`no answer within ${patienceMs} ms`)));
        outgoing.on('error', reject).on('response', (answer) => collect(answer).then(resolve, reject));
        outgoing.end(body ?? undefined);
      } catch {
        resolve(null); // a header or a path that Node keeps to itself
      }
    });
  }

  /** Sends a request that is known to be right, again where the server asks for patience. */
  async sendUntilTaken(wanted: WireRequest): Promise<Reply> {
    for (;;) {
      const reply = await this.send(wanted);
      if (reply && reply.status !== 503) return reply;
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function collect(answer: IncomingMessage): Promise<Reply> {
  const { statusCode: status = 0, headers } = answer;
  // A stream has no end of its own: that it began is the answer.
  if (headers['content-type']?.startsWith('text/event-stream')) {
    answer.on('error', () => {}).destroy();
    return { status, headers, body: '' };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { status, headers, body: Buffer.concat(chunks).toString() };
}
