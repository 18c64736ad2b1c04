import type { FastifyInstance } from 'fastify';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import type { Done } from '../../runtime/command.ts';
import { requireRole } from '../access/auth.ts';
import { roleForCommand } from '../access/roles.ts';
import { commandHeaders } from '../http/headers.ts';
import { documentedCommand } from '../openapi/openapi-routes.ts';
import { refusalProblem } from '../problems/problem.ts';
import { type CommandBody, commandBodyOf, requireId } from '../schemas/command-schemas.ts';
import type { CommandGate } from './command-gate.ts';
import { commandOf } from './command-of.ts';

/** `POST /v1/{kind}s/{id}/commands`: one command, one atomic change, one answer once it is durable. */
export function commandRoutes(app: FastifyInstance, aggregates: readonly Aggregate[], gate: CommandGate): void {
  for (const aggregate of aggregates) {
    const { kind } = aggregate;
    app.post<{ Params: { id: string }; Body: CommandBody }>(
      `/v1/${kind}s/:id/commands`,
      {
        schema: { ...documentedCommand(aggregate), body: commandBodyOf(aggregate) },
        config: { needs: 'agent', reach: 'own' },
        onRequest: (_request, _reply, done) => {
          gate.requireRoom();
          done();
        },
      },
      async (request, reply) => {
        const { id } = request.params;
        const { type } = request.body;
        request.attempted = { kind, id, type };
        requireId(aggregate, id);
        requireRole(request.caller, roleForCommand(type));

        const command = commandOf({ kind, id }, request.body, request.caller, commandHeaders(request.headers));
        const outcome = await gate.execute(command, request.caller);
        if (outcome.outcome === 'refused') throw refusalProblem(outcome.refusal, outcome.revision);
        reply.header('content-type', 'application/json; charset=utf-8').header('etag', `"${outcome.revision}"`);
        return answerText(outcome);
      },
    );
  }
}

/** The answer, put together from texts that exist already. */
const answerText = (done: Done): string => `{${changeText(done)},"state":${done.stateText}}`;

/** What a command changed, as members of a JSON object. */
export const changeText = ({ resource, revision, position, eventsText }: Done): string =>
  `"resource":${refText(resource)},"revision":${revision},"position":"${position}","events":${eventsText}`;

export const refText = ({ kind, id }: ResourceRef): string => `{"kind":"${kind}","id":${JSON.stringify(id)}}`;
