import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { apiProblem, type Problem } from '../problems/problem.ts';

/** What a command's headers say about it. */
export interface CommandHeaders {
  readonly key?: string | undefined;
  readonly ifRevision?: number | undefined;
  readonly correlationId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly requestId?: string | undefined;
}

const traceContext = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const strongTag = /^"(0|[1-9]\d{0,14})"$/;

/** Preconditions that HTTP knows and commands do not: to pass over them would be to break them. */
const foreignPreconditions = ['if-none-match', 'if-unmodified-since', 'if-modified-since', 'if-range'] as const;

/** @throws Problem where a header has a value that cannot be */
export function commandHeaders(headers: IncomingHttpHeaders): CommandHeaders {
  const options: { -readonly [N in keyof CommandHeaders]: CommandHeaders[N] } = {};
  const key = headers['idempotency-key'] as string | undefined;
  const correlationId = headers['x-correlation-id'] as string | undefined;
  const requestId = headers['x-request-id'] as string | undefined;
  const traceparent = headers.traceparent as string | undefined;
  const ifMatch = headers['if-match'];

  if (key !== undefined) options.key = textOf('Idempotency-Key', key);
  if (correlationId !== undefined) options.correlationId = textOf('X-Correlation-Id', correlationId);
  if (requestId !== undefined) options.requestId = textOf('X-Request-Id', requestId);
  // A trace context that cannot be read is to be passed over, says its specification.
  if (traceparent !== undefined && traceContext.test(traceparent)) options.traceparent = traceparent;
  if (ifMatch !== undefined) options.ifRevision = revisionOf(ifMatch);
  for (const name of foreignPreconditions) {
    if (headers[name] !== undefined) {
      throw invalid(name, `A command does not know the precondition ${name}; If-Match is the one it keeps.`);
    }
  }
  return options;
}

/** A header's value as text of 1 to 255 characters. Node reads bytes; people write UTF-8. */
export function textOf(name: string, value: string | readonly string[]): string {
  const bytes = Buffer.from(String(value), 'latin1');
  const text = isUtf8(bytes) ? bytes.toString('utf8') : String(value);
  if (text.length >= 1 && text.length <= 255) return text;
  throw invalid(name.toLowerCase(), `${name} must have 1 to 255 characters; this one has ${text.length}.`);
}

function revisionOf(ifMatch: string): number {
  const tag = strongTag.exec(ifMatch);
  if (tag) return Number(tag[1]);
  throw invalid(
    'if-match',
    `If-Match takes one strong entity tag, a revision in quotes as it came in ETag, such as "4"; not ${ifMatch}.`,
  );
}

const invalid = (name: string, detail: string): Problem =>
  apiProblem('invalid-header', detail, { errors: [{ in: 'header', pointer: `/${name}`, detail }] });
