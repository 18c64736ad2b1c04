import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../domain/kernel/actor.ts';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import { pathOf } from '../http/methods.ts';

/** A refusal: who wanted what, and why it was not done. Never what was sent along: bodies and headers hold secrets. */
export interface RefusedAttempt {
  readonly requestId: string;
  /** Null where nobody knows who it was. */
  readonly actor: Actor | null;
  /** The address it came from; behind a proxy the proxy's. */
  readonly from: string;
  readonly method: string;
  readonly path: string;
  /** Null where the request never became a command. */
  readonly command: Attempted | null;
  readonly status: number;
  /** The problem's slug, or the word of the OpenStack service. */
  readonly problem: string;
}

/** A command as somebody wanted to give it. */
export interface Attempted extends ResourceRef {
  readonly type: string;
}

/** Where refusals are written. */
export type WriteRefusal = (attempt: RefusedAttempt & { readonly suppressed?: number }) => void;

/** Whoever is refused very often at once does not fill the disk: what comes beyond is counted. */
const maxPerSecond = 500;

const maxPathLength = 500;

/** What is refused is no event of a resource, and yet has to be known: by whom, when, why. */
export class Audit {
  readonly #write: WriteRefusal;
  readonly #now: () => number;
  #second = 0;
  #written = 0;
  #suppressed = 0;

  constructor(write: WriteRefusal, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  /** Notes how a request ended, where it was refused. Reads count where somebody may not make them. */
  ended(request: FastifyRequest, status: number, problem: string): void {
    const isRefusal = status >= 400 && status < 500 && status !== 429;
    const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    if (!isRefusal || (isRead && status !== 401 && status !== 403)) return;
    this.refused(request, request.attempted, status, problem);
  }

  /** Notes a refused command, also where it is one of many in a request. */
  refused(request: FastifyRequest, command: Attempted | null, status: number, problem: string): void {
    if (!this.#hasRoom()) {
      this.#suppressed += 1;
      return;
    }
    const { id: requestId, caller, ip: from, method, url } = request;
    const path = pathOf(url).slice(0, maxPathLength);
    const suppressed = this.#suppressed;
    this.#suppressed = 0;
    const who = { requestId, actor: caller?.actor ?? null, from };
    this.#write({ ...who, method, path, command, status, problem, ...(suppressed > 0 && { suppressed }) });
  }

  #hasRoom(): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#written = 0;
    }
    this.#written += 1;
    return this.#written <= maxPerSecond;
  }
}
