import type { Problem } from '../problems/problem.ts';

/** An answer that is an error, in the words of an OpenStack service. Thrown where the request ends with it. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly status: number;
  /** The name by which the service's clients know it, such as `NodeLocked` or `itemNotFound`. */
  readonly kind: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, kind: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.kind = kind;
    this.headers = headers;
  }
}

/** How a service speaks of errors. */
export interface FaultStyle {
  /** What a problem is to the service's clients; it may have another status there. */
  readonly of: (problem: Problem) => Fault;
  readonly body: (fault: Fault) => object;
}
