import type { FastifyInstance } from 'fastify';
import type { Binding } from '../../../domain/port/state.ts';
import { Fault } from '../fault.ts';
import { forRole } from '../service.ts';
import { type Attributes, dataOf, membersOf } from './body.ts';
import { listFew, type Shown } from './listing.ts';
import { type PortState, portWith } from './ports.ts';

const attributes: Attributes = {
  kept: { host: { as: 'host', once: true }, vnic_type: { as: 'vnicType' }, profile: { as: 'profile' } },
  fixed: {},
};

const shownNames = ['host', 'vnic_type', 'profile', 'vif_type', 'vif_details', 'status', 'project_id'];

const bindingShown = (port: PortState, binding: Binding, status: 'ACTIVE' | 'INACTIVE') => ({
  host: binding.host ?? '',
  vnic_type: binding.vnicType,
  profile: binding.profile,
  vif_type: binding.vifType,
  vif_details: binding.vifDetails,
  status,
  project_id: port.projectId,
});

/** The ACTIVE one first. A port that is nowhere has none to show. */
function bindingsOf(port: PortState): ReturnType<typeof bindingShown>[] {
  const others = port.otherBindings.map((binding) => bindingShown(port, binding, 'INACTIVE'));
  return port.binding.host === null ? others : [bindingShown(port, port.binding, 'ACTIVE'), ...others];
}

/** @throws Fault where the port has none on the host */
function bindingOn(port: PortState, host: string) {
  const binding = bindingsOf(port).find((shown) => shown.host === host);
  if (binding) return binding;
  throw new Fault(404, 'PortBindingNotFound', `The port ${port.id} has no binding on ${host}.`);
}

type OnPort = { Params: { id: string } };
type OnHost = { Params: { id: string; host: string } };

/** `/v2.0/ports/{id}/bindings`: how a port is moved with its guest. */
export function bindingRoutes(scope: FastifyInstance): void {
  const path = '/v2.0/ports/:id/bindings';

  scope.get<OnPort>(path, forRole('reader'), async (request) => {
    const bindings = bindingsOf(await portWith(request.resources, request.params.id));
    // Bindings go by their host; lists are told apart by an id.
    const listed = bindings.map((shown): Shown => ({ ...shown, id: shown.host }));
    const answer = listFew(request, 'bindings', listed, shownNames) as { bindings: Record<string, unknown>[] };
    return { ...answer, bindings: answer.bindings.map(({ id: _, ...shown }) => shown) };
  });

  scope.post<OnPort>(path, forRole('reader'), async (request, reply) => {
    const port = await portWith(request.resources, request.params.id);
    const { id } = port;
    const data = dataOf(membersOf(request, 'binding'), attributes, 'create');
    // Asked for again it is done already; Neutron's clients expect to be told so by a conflict.
    if (bindingsOf(port).some(({ host }) => host === data.host)) {
      throw new Fault(409, 'PortBindingAlreadyExists', `The port ${id} has a binding on ${data.host} already.`);
    }
    const { state } = await request.resources.command<PortState>(request, { kind: 'port', id }, 'AddBinding', data);
    return reply.code(201).send({ binding: bindingOn(state, String(data.host)) });
  });

  scope.get<OnHost>(`${path}/:host`, forRole('reader'), async (request) => ({
    binding: bindingOn(await portWith(request.resources, request.params.id), request.params.host),
  }));

  scope.put<OnHost>(`${path}/:host/activate`, forRole('reader'), async (request) => {
    const { id, host } = request.params;
    const port = await portWith(request.resources, id);
    if (port.binding.host === host) {
      throw new Fault(409, 'PortBindingAlreadyActive', `The binding of the port ${id} on ${host} is ACTIVE already.`);
    }
    const resource = { kind: 'port', id } as const;
    const { state } = await request.resources.command<PortState>(request, resource, 'ActivateBinding', { host });
    return { binding: bindingOn(state, host) };
  });

  scope.delete<OnHost>(`${path}/:host`, forRole('reader'), async (request, reply) => {
    const { id, host } = request.params;
    await portWith(request.resources, id);
    await request.resources.command(request, { kind: 'port', id }, 'RemoveBinding', { host });
    return reply.code(204).send();
  });
}
