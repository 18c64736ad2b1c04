import { z } from 'zod';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import { apiProblem, type Flaw, flawsOf, invalidRequest } from '../problems/problem.ts';

/** A command as its body says it, checked and with its defaults filled in. */
export interface CommandBody {
  readonly type: string;
  readonly data: object;
}

/** Commands that may come from outside; the others are the ledger's own. */
export const publicCommands = ({ commands, internal = [] }: Aggregate): string[] =>
  Object.keys(commands).filter((type) => !internal.includes(type));

const schemas = new WeakMap<Aggregate, z.ZodType<CommandBody>>();

/** What `POST /v1/{kind}s/{id}/commands` takes: one schema, told apart by `type`. */
export function commandBodyOf(aggregate: Aggregate): z.ZodType<CommandBody> {
  const known = schemas.get(aggregate);
  if (known) return known;
  const members = publicCommands(aggregate).map((type) =>
    z
      .strictObject({ type: z.literal(type), data: dataSchema(aggregate.commands[type]!) })
      .meta({ id: `${aggregate.kind}.${type}` }),
  );
  const [first, ...rest] = members;
  if (!first) throw new Error(`${aggregate.kind} has no commands`);
  const schema = z.discriminatedUnion('type', [first, ...rest]) as unknown as z.ZodType<CommandBody>;
  schemas.set(aggregate, schema);
  return schema;
}

/** A command whose data may all be left out may be sent without `data`. */
const dataSchema = (schema: z.ZodType): z.ZodType => (schema.safeParse({}).success ? schema.prefault({}) : schema);

/** What a line of many commands says besides the command itself. */
export const BulkEnvelope = z.looseObject({
  kind: z.string(),
  id: z.string(),
  /** Makes a retry safe, like the header `Idempotency-Key`. */
  key: z.string().min(1).max(255).optional(),
  /** The revision the command is meant for, like the header `If-Match`. */
  ifMatch: z.number().int().min(0).optional(),
});

/** @throws Problem naming the fields that are wrong, or the commands there are */
export function parseCommand(aggregate: Aggregate, body: unknown): CommandBody {
  const parsed = commandBodyOf(aggregate).safeParse(body);
  if (parsed.success) return parsed.data;
  throw commandProblem(aggregate, body, parsed.error);
}

export function commandProblem(aggregate: Aggregate, body: unknown, error: z.ZodError) {
  const type = body !== null && typeof body === 'object' ? (body as { type?: unknown }).type : undefined;
  const allowed = publicCommands(aggregate);
  if (typeof type !== 'string' || allowed.includes(type)) return invalidRequest(flawsOf('body', error.issues));
  const detail = `${aggregate.kind === 'agent' ? 'An' : 'A'} ${aggregate.kind} has no command "${type.slice(0, 100)}".`;
  return apiProblem('unknown-command', detail, { allowed, errors: [{ in: 'body', pointer: '/type', detail }] });
}

/** @throws Problem saying how an id of this kind is written */
export function requireId({ kind, id: schema }: Aggregate, id: string, part: Flaw['in'] = 'path'): void {
  const parsed = schema.safeParse(id);
  if (parsed.success) return;
  const lower = id.toLowerCase();
  const advice = schema.safeParse(lower).success ? `; write ${lower}` : '';
  const detail = `The id of ${kind === 'agent' ? 'an' : 'a'} ${kind} ${parsed.error.issues[0]!.message}${advice}.`;
  throw invalidRequest([{ in: part, pointer: '/id', detail }]);
}
