import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { CommandRequest } from '../../runtime/command.ts';
import type { Caller } from '../access/auth.ts';
import type { CommandHeaders } from '../http/headers.ts';
import type { Line } from '../http/ndjson.ts';
import { parseJson } from '../problems/json-text.ts';
import { apiProblem, flawsOf, invalidRequest } from '../problems/problem.ts';
import { BulkEnvelope, parseCommand, requireId } from '../schemas/command-schemas.ts';
import { commandOf } from './command-of.ts';

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
