/** Where in a request something was wrong. */
export interface Flaw {
  readonly in: 'body' | 'path' | 'query' | 'header';
  /** A JSON pointer into that part. */
  readonly pointer: string;
  readonly detail: string;
}

/** A problem document (RFC 9457) as the server sends it; what helps the caller act stands beside the standard fields. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly instance?: string;
  readonly allowed?: readonly string[];
  readonly revision?: number;
  readonly errors?: readonly Flaw[];
  readonly retryable?: boolean;
  readonly [key: string]: unknown;
}

/**
 * The server understood the request and answered no. Its message is the server's own sentence.
 *
 * @example
 * try {
 *   await client.port(id).execute({ type: 'SetPortStatus', data: { status: 'ACTIVE' } });
 * } catch (error) {
 *   if (error instanceof ProblemError && error.slug === 'port-blocked') console.log(error.message, error.allowed);
 *   else throw error;
 * }
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** The last part of the problem's type, such as `port-not-found`: what a program compares. */
  readonly slug: string;
  /** The whole document. */
  readonly problem: Problem;
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs: number | null;

  constructor(problem: Problem, retryAfterMs: number | null = null) {
    super(problem.detail ?? problem.title);
    this.status = problem.status;
    this.slug = problem.type.slice(problem.type.lastIndexOf('/') + 1);
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  get title(): string {
    return this.problem.title;
  }

  /** Commands or verbs that would be accepted now. */
  get allowed(): readonly string[] {
    return this.problem.allowed ?? [];
  }

  /** The fields that were wrong. */
  get errors(): readonly Flaw[] {
    return this.problem.errors ?? [];
  }
}

/** No answer came, or none that makes sense: the server cannot be reached, the line broke, or it is something else. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly url: string;
  /** Whether another try may succeed: a broken line may heal, a web page at this address will not turn into a ledger. */
  readonly transient: boolean;

  constructor(url: string, message: string, options: { transient: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.url = url;
    this.transient = options.transient;
  }
}
