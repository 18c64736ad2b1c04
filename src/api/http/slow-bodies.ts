import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiProblem } from '../problems/problem.ts';

interface Arriving {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly since: number;
}

/**
 * Gives up requests whose bodies do not arrive in time. Node could do so itself, but for all requests alike: those that
 * go on for as long as the caller likes are none of this class's business. One look at all that arrive, now and then,
 * rather than a timer each.
 */
export class SlowBodies {
  readonly #patienceMs: number;
  /** In the order in which they began. */
  readonly #arriving = new Set<Arriving>();
  #looking: NodeJS.Timeout | undefined;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  start(): void {
    this.#looking = setInterval(() => this.#look(), Math.min(this.#patienceMs / 4, 1_000)).unref();
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  expect(request: FastifyRequest, reply: FastifyReply): void {
    const arriving = { request, reply, since: performance.now() };
    this.#arriving.add(arriving);
    request.raw.once('end', () => this.#arriving.delete(arriving));
  }

  #look(): void {
    const latest = performance.now() - this.#patienceMs;
    for (const arriving of this.#arriving) {
      const { request, reply, since } = arriving;
      const isGone = request.raw.destroyed || reply.sent;
      if (!isGone && since > latest) continue;
      this.#arriving.delete(arriving);
      if (isGone) continue;
      const detail = `The body did not arrive within ${this.#patienceMs} ms.`;
      // The rest of it would be taken for the next request.
      reply.header('connection', 'close').send(apiProblem('request-timeout', detail));
    }
  }
}
