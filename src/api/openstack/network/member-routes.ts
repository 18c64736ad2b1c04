import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { State } from '../resources.ts';
import { forRole } from '../service.ts';
import { type Attributes, dataOf, membersOf } from './body.ts';
import { type Collection, fieldsOf, memberWith } from './listing.ts';

type OnMember = { Params: { id: string } };

/** `/v2.0/<plural>/{id}`: one of a collection is shown, changed and deleted alike, whatever it is. */
export function memberRoutes<S extends State>(
  scope: FastifyInstance,
  collection: Collection<S>,
  attributes: Attributes,
  commands: { readonly update: string; readonly remove: string },
): void {
  const { kind, plural, shown } = collection;
  const path = `/v2.0/${plural}/:id`;
  const memberOf = ({ resources, params }: FastifyRequest<OnMember>): Promise<S> =>
    memberWith(resources, collection, params.id);

  scope.get<OnMember>(path, forRole('reader'), async (request) => ({
    [kind]: fieldsOf(request, shown(await memberOf(request))),
  }));

  scope.put<OnMember>(path, forRole('reader'), async (request) => {
    const { id } = await memberOf(request);
    const data = dataOf(membersOf(request, kind), attributes, 'update');
    const { state } = await request.resources.command<S>(request, { kind, id }, commands.update, data);
    return { [kind]: shown(state) };
  });

  scope.delete<OnMember>(path, forRole('reader'), async (request, reply) => {
    const { id } = await memberOf(request);
    await request.resources.command(request, { kind, id }, commands.remove);
    return reply.code(204).send();
  });
}
