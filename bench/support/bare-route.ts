/**
 * What Fastify can do at best: parse the command, check it with the same schema, answer with as many bytes. Stores nothing;
 * or, given a file, only that: a row of the size that such a command leaves, safe on disk before the answer, all that came
 * in one turn in one transaction. Nothing is decided, hashed, folded or projected there.
 */

import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import type { z } from 'zod';
import { commandBodyOf } from '../../src/api/schemas/command-schemas.ts';
import { aggregates } from '../../src/domain/aggregates.ts';
import { rawLedger } from './raw-ledger.ts';

const file = process.argv[2];
const stored = file === undefined ? null : await rowsInto(file);
const answer = JSON.stringify({ answer: 'x'.repeat(1029) });

const app = fastify();
app.setValidatorCompiler<z.ZodType>(({ schema }) => (value) => {
  const parsed = schema.safeParse(value);
  return parsed.success ? { value: parsed.data } : { error: parsed.error };
});
app.post<{ Params: { id: string }; Body: { data: object } }>(
  '/v1/ports/:id/commands',
  { schema: { body: commandBodyOf(aggregates.port) } },
  async ({ params, body }, reply) => {
    if (stored) await stored(params.id, body.data);
    reply.header('content-type', 'application/json; charset=utf-8').header('etag', '"1"');
    return answer;
  },
);
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('SIGTERM', () => process.exit(0));

async function rowsInto(path: string): Promise<(port: string, data: object) => Promise<void>> {
  const db = await rawLedger(path);
  const insertStream = db.prepare('INSERT INTO streams VALUES (?, ?)');
  const insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const ports = new Map<string, { readonly row: number; revision: number }>();
  const metadata = JSON.stringify({ metadata: 'x'.repeat(330) });
  let position = 0;
  let turn: Promise<void> | null = null;
  let rows: { port: string; data: object }[] = [];

  const insert = db.transaction(() => {
    for (const { port, data } of rows) {
      let stream = ports.get(port);
      if (!stream) {
        stream = { row: ports.size + 1, revision: -1 };
        ports.set(port, stream);
        insertStream.run(stream.row, `port-${port}`);
      }
      const texts = ['PortUpdated', 1, new Date().toISOString(), JSON.stringify({ changes: data }), metadata];
      insertEvent.run(++position, stream.row, ++stream.revision, randomUUID(), ...texts);
    }
  });
  const commit = (): void => {
    turn = null;
    insert.immediate();
    rows = [];
  };
  return (port, data) => {
    rows.push({ port, data });
    turn ??= new Promise((resolve) => setImmediate(resolve)).then(commit);
    return turn;
  };
}
