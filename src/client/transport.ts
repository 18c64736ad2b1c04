import { Body } from './body.ts';
import { ConnectionError, type Problem, ProblemError } from './errors.ts';
import { parseRetryAfter, type RetryPolicy, withRetries } from './retry.ts';
import { type TimeLimit, timeLimit } from './time-limit.ts';

export interface TransportOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly retry: RetryPolicy;
  /** How long one try may take: to the whole answer, or to its first byte where the answer is a stream. */
  readonly timeoutMs: number;
}

type QueryValue = string | number | boolean;

/** An array is a parameter that comes several times; what is undefined does not come at all. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;

export interface ApiRequest {
  readonly path: string;
  readonly query?: Query;
  /** Present: a POST. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer<T> {
  readonly value: T;
  readonly headers: Headers;
}

/** One HTTP exchange and what may go wrong with it. Knows nothing of resources. */
export class Transport {
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.retry = options.retry;
    this.timeoutMs = options.timeoutMs;
    this.#options = options;
  }

  /** Asks until there is an answer, as patiently as the policy says. Every request given here is safe to repeat. */
  async json<T>(request: ApiRequest): Promise<T> {
    return (await this.exchange<T>(request)).value;
  }

  /** The same, for those who need the answer's headers too. */
  exchange<T>(request: ApiRequest): Promise<Answer<T>> {
    return withRetries(this.retry, request.signal, () => this.once<T>(request));
  }

  /** One try, for what is not safe to repeat. */
  async once<T>(request: ApiRequest): Promise<Answer<T>> {
    const limit = timeLimit(this.timeoutMs, request.signal);
    try {
      const response = await this.#send(request, limit.signal);
      const value = parseJson<T>(this.url(request), await this.#read(request, response));
      return { value, headers: response.headers };
    } catch (error) {
      throw this.#reasonOfFailure(request, limit, error);
    } finally {
      limit.release();
    }
  }

  /** One try for an answer that is read as it comes. The request's signal ends the reading too. */
  async stream(request: ApiRequest): Promise<Body> {
    const limit = timeLimit(this.timeoutMs, request.signal);
    try {
      const url = this.url(request);
      const { body } = await this.#send(request, limit.signal);
      if (body) return new Body(url, body, limit);
      throw new ConnectionError(url, `${url} answered without a body.`, { transient: false });
    } catch (error) {
      limit.release();
      throw this.#reasonOfFailure(request, limit, error);
    } finally {
      limit.stopClock();
    }
  }

  url({ path, query = {} }: ApiRequest): string {
    const search = new URLSearchParams();
    for (const [name, values] of Object.entries(query))
      for (const value of [values ?? []].flat()) search.append(name, String(value));
    return `${this.#options.baseUrl.replace(/\/+$/, '')}${path}${search.size > 0 ? `?${search}` : ''}`;
  }

  async #send(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const { body } = request;
    const response = await this.#connect(request, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...this.#options.headers, ...request.headers },
      signal,
      ...(body !== undefined && { body }),
    });
    if (response.ok) return response;
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now());
    const text = await this.#read(request, response);
    throw new ProblemError(problemOf(this.url(request), response, text), retryAfterMs);
  }

  async #connect(request: ApiRequest, init: RequestInit): Promise<Response> {
    try {
      return await this.#options.fetch(this.url(request), init);
    } catch (error) {
      throw this.#connectionError(request, error);
    }
  }

  async #read(request: ApiRequest, response: Response): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      throw this.#connectionError(request, error);
    }
  }

  /** What made a try fail: the caller who gave up, the clock, or the error itself. */
  #reasonOfFailure(request: ApiRequest, limit: TimeLimit, error: unknown): unknown {
    if (request.signal?.aborted) return request.signal.reason;
    if (!limit.expired) return error;
    const url = this.url(request);
    const message = `${url} did not answer within ${this.timeoutMs} ms.`;
    return new ConnectionError(url, message, { transient: true, cause: error });
  }

  #connectionError(request: ApiRequest, error: unknown): ConnectionError {
    const url = this.url(request);
    return new ConnectionError(url, `No answer from ${url}: ${reasonOf(error)}`, { transient: true, cause: error });
  }
}

function parseJson<T>(url: string, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const message = `${url} answered with something that is not JSON. Is it a Stackledger?`;
    throw new ConnectionError(url, message, { transient: false, cause });
  }
}

/** The server's own problem document, or one made of the status line where a proxy answered in its place. */
function problemOf(url: string, response: Response, text: string): Problem {
  if (/\bjson\b/.test(response.headers.get('content-type') ?? '')) {
    const document = parseJson<Partial<Problem>>(url, text);
    return { type: 'about:blank', title: response.statusText, ...document, status: response.status };
  }
  const title = `${response.status} ${response.statusText}`.trim();
  return { type: 'about:blank', title, status: response.status, detail: `${url} answered ${title}.` };
}

/** Node hides the reason in `cause`, browsers give none but the message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || (cause as { code?: string }).code || cause.name;
}
