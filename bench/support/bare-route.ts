/** What Fastify can do at best: parse the command, check it with the same schema, answer with as many bytes, store nothing. */

import fastify from 'fastify';
import type { z } from 'zod';
import { commandBodyOf } from '../../src/api/schemas/command-schemas.ts';
import { aggregates } from '../../src/domain/aggregates.ts';

const app = fastify();
app.setValidatorCompiler<z.ZodType>(({ schema }) => (value) => {
  const parsed = schema.safeParse(value);
  return parsed.success ? { value: parsed.data } : { error: parsed.error };
});
const answer = JSON.stringify({ answer: 'x'.repeat(1029) });
app.post('/v1/ports/:id/commands', { schema: { body: commandBodyOf(aggregates.port) } }, async (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').header('etag', '"1"');
  return answer;
});
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', () => process.exit(0));
