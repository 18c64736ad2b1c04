import { z } from 'zod';
import type { Aggregate } from '../domain/kernel/aggregate.ts';
import type { CommandRequest } from '../runtime/command.ts';
import type { Caller } from './auth.ts';
import { commandOf } from './command-of.ts';
import { parseCommand, requireId } from './command-schemas.ts';
import type { CommandHeaders } from './headers.ts';
import { parseJson } from './json-text.ts';
import type { Line } from './ndjson.ts';
import { apiProblem, flawsOf, invalidRequest } from './problem.ts';

/** What a line says besides the command itself. */
export const BulkEnvelope = z.looseObject({
  kind: z.string(),
  id: z.string(),
  /** Makes a retry safe, like the header `Idempotency-Key`. */
  key: z.string().min(1).max(255).optional(),
  /** The revision the command is meant for, like the header `If-Match`. */
  ifMatch: z.number().int().min(0).optional(),
});

/** What the lines of one request have in common. */
export interface BulkContext {
  readonly aggregates: ReadonlyMap<string, Aggregate>;
  readonly caller: Caller;
  readonly headers: Pick<CommandHeaders, 'correlationId' | 'traceparent' | 'requestId'>;
}

/** The command that a line stands for. @throws Problem, JsonFlaw */
export function bulkCommand(line: Line, { aggregates, caller, headers }: BulkContext): CommandRequest {
  if (line === 'too-long') throw apiProblem('body-too-large', 'The line is longer than this server takes.');
  const envelope = BulkEnvelope.safeParse(parseJson(line));
  if (!envelope.success) throw invalidRequest(flawsOf('body', envelope.error.issues));

  const { kind, id, key, ifMatch, ...body } = envelope.data;
  const aggregate = aggregates.get(kind) ?? unknownKind(kind, aggregates);
  requireId(aggregate, id, 'body');
  const { correlationId, traceparent, requestId } = headers;
  const said = { key, ifRevision: ifMatch, correlationId, traceparent, requestId };
  return commandOf({ kind: aggregate.kind, id }, parseCommand(aggregate, body), caller, said);
}

function unknownKind(kind: string, aggregates: ReadonlyMap<string, Aggregate>): never {
  const allowed = [...aggregates.keys()];
  const detail = `There is no kind "${kind.slice(0, 100)}"; there are ${allowed.join(', ')}.`;
  throw invalidRequest([{ in: 'body', pointer: '/kind', detail }]);
}
