import { z } from 'zod';
import type { Aggregate } from '../domain/kernel/aggregate.ts';
import type { CommandRequest } from '../runtime/command.ts';
import { authorOf, type Caller } from './auth.ts';
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
  const { type, data } = parseCommand(aggregate, body);
  return request({ kind: aggregate.kind, id }, { type, data }, caller, headers, key, ifMatch);
}

function request(
  resource: CommandRequest['resource'],
  { type, data }: Pick<CommandRequest, 'type' | 'data'>,
  caller: Caller,
  headers: BulkContext['headers'],
  key: string | undefined,
  ifRevision: number | undefined,
): CommandRequest {
  return {
    resource,
    type,
    data,
    ...authorOf(caller),
    ...headers,
    ...(key !== undefined && { key }),
    ...(ifRevision !== undefined && { ifRevision }),
  };
}

function unknownKind(kind: string, aggregates: ReadonlyMap<string, Aggregate>): never {
  const allowed = [...aggregates.keys()];
  const detail = `There is no kind "${kind.slice(0, 100)}"; there are ${allowed.join(', ')}.`;
  throw invalidRequest([{ in: 'body', pointer: '/kind', detail }]);
}
