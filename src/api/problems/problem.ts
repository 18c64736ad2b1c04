import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { pointerTo } from '../../domain/kernel/json-pointer.ts';
import { Refusal, type RefusalHelp } from '../../domain/kernel/refusal.ts';
import { isStoreError, StoreError } from '../../store/store-error.ts';
import { JsonFlaw } from './json-text.ts';
import { type ApiProblemSlug, apiProblems, type ProblemType, statusOfCategory } from './problem-types.ts';

/** Where something is wrong: which part of the request, and a JSON pointer into it. */
export interface Flaw {
  readonly in: 'body' | 'path' | 'query' | 'header';
  readonly pointer: string;
  readonly detail: string;
}

/** An answer that is a problem document (RFC 9457). Thrown where the request ends with it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly slug: string;
  readonly type: ProblemType;
  /** What helps the caller act, sent beside the standard members. */
  readonly help: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    slug: string,
    type: ProblemType,
    detail: string,
    help: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    // Thrown by the thousand a second where there is too much to do, and nobody reads where.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = stackTraceLimit;
    this.slug = slug;
    this.type = type;
    this.help = help;
    this.headers = headers;
  }
}

export const apiProblem = (
  slug: ApiProblemSlug,
  detail: string,
  help?: Readonly<Record<string, unknown>>,
  headers?: Readonly<Record<string, string>>,
): Problem => new Problem(slug, apiProblems[slug], detail, help, headers);

/** A problem that goes away by itself: the caller is told when to come back. */
export const passingProblem = (
  slug: ApiProblemSlug,
  detail: string,
  help?: Readonly<Record<string, unknown>>,
  retryAfterSeconds = 1,
): Problem => apiProblem(slug, detail, { retryable: true, ...help }, { 'retry-after': String(retryAfterSeconds) });

export const invalidRequest = (errors: readonly Flaw[]): Problem =>
  apiProblem('invalid-request', errors.map(({ pointer, detail }) => `${pointer || 'body'}: ${detail}`).join(' '), {
    errors,
  });

/** The refusal of a rule as a problem document. */
export function refusalProblem({ slug, definition, message, help }: Refusal, revision: number): Problem {
  const { category, title, explanation } = definition;
  const type = { status: statusOfCategory[category], title, explanation };
  return new Problem(slug, type, message, { ...(revision >= 0 && { revision }), ...help }, retryAfter(category, help));
}

function retryAfter(category: string, { retryAfter: seconds }: RefusalHelp): Record<string, string> {
  if (typeof seconds === 'number') return { 'retry-after': String(seconds) };
  return category === 'unavailable' ? { 'retry-after': '1' } : {};
}

/** What a zod schema found wrong, one flaw a field. */
export function flawsOf(
  part: Flaw['in'],
  issues: readonly z.core.$ZodIssue[],
  base: readonly PropertyKey[] = [],
): Flaw[] {
  return issues.flatMap((issue): Flaw[] => {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ in: part, pointer: pointerTo([...path, key]), detail: 'is not known here.' }));
    }
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      return flawsOf(part, issue.errors.toSorted((a, b) => a.length - b.length)[0]!, path);
    }
    return [{ in: part, pointer: pointerTo(path), detail: `${issue.message}.` }];
  });
}

/** What went wrong, as the caller is told it. Whatever is not foreseen is a fault of this program. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Refusal) return refusalProblem(error, -1);
  if (error instanceof JsonFlaw) return jsonProblem(error);
  if (error instanceof StoreError) return storeProblem(error);
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' ? frameworkProblems[code] : undefined;
  if (known) return known(error as Error);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return apiProblem('invalid-request', (error as Error).message);
  }
  return apiProblem('internal-error', 'The server failed to carry this out. It is logged with the request id.');
}

function jsonProblem({ message, place }: JsonFlaw): Problem {
  return 'pointer' in place
    ? apiProblem('invalid-json', message, { errors: [{ in: 'body', pointer: place.pointer, detail: message }] })
    : apiProblem('invalid-json', `At ${spot(place)}: ${message}`, place);
}

const spot = ({ line, column }: { line: number; column: number }): string =>
  line === 1 ? `character ${column}` : `line ${line}, character ${column}`;

function storeProblem(error: StoreError): Problem {
  if (isStoreError(error, 'append-too-large')) {
    const { bytes, limit } = error.fault;
    return apiProblem('append-too-large', error.message, { bytes, limit });
  }
  if (isStoreError(error, 'not-writable')) return passingProblem('not-writable', error.message, {}, 5);
  if (isStoreError(error, 'unreachable')) return passingProblem('ledger-unreachable', error.message, {}, 5);
  if (isStoreError(error, 'closed')) return passingProblem('shutting-down', 'The server is stopping.');
  return apiProblem('internal-error', 'The store failed. It is logged with the request id.');
}

/** Fastify's own errors, by its codes. */
const frameworkProblems: Readonly<Record<string, (error: Error) => Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => apiProblem('body-too-large', 'The body is longer than this server takes.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    apiProblem('unsupported-media-type', 'The Content-Type of the body is missing or not one that is read here.'),
  FST_ERR_BAD_URL: (error) => apiProblem('invalid-url', error.message),
};

/** The document itself, as JSON text. The standard members come first and are never overridden. */
export const problemText = (problem: Problem, more: Readonly<Record<string, unknown>>): string => {
  const { slug, type, message, help } = problem;
  const standard = { type: `/problems/${slug}`, title: type.title, status: type.status, detail: message };
  return JSON.stringify({ ...standard, ...help, ...standard, ...more });
};

/** Ends a request with a problem document. */
export const sendProblem = (request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply =>
  reply
    .code(problem.type.status)
    .headers(problem.headers)
    .header('x-request-id', request.id)
    .type('application/problem+json')
    .send(problemText(problem, { instance: request.url, requestId: request.id }));
