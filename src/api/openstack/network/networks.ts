import type { FastifyInstance } from 'fastify';
import type { Network } from '../../../domain/network/state.ts';
import { newId } from '../new-id.ts';
import type { Resources, State } from '../resources.ts';
import { forRole } from '../service.ts';
import { type Attributes, dataOf, type Given, isObject, membersOf, wholeNumber } from './body.ts';
import { invalid } from './faults.ts';
import { type Collection, listCollection, memberWith, oneOf, type Shown } from './listing.ts';
import { memberRoutes } from './member-routes.ts';
import { lifetimeShown } from './shown.ts';

export type NetworkState = Network & State;

/** What Neutron's networks have that networks here do not. */
const fixed = {
  admin_state_up: true,
  description: '',
  shared: false,
  'router:external': false,
  is_default: false,
  port_security_enabled: false,
  availability_zones: [],
  availability_zone_hints: [],
  vlan_transparent: null,
  qos_policy_id: null,
  mtu: 0,
  tags: [],
};

const owner = { as: 'projectId', once: true } as const;
const attributes: Attributes = {
  kept: { name: { as: 'name' }, project_id: owner, tenant_id: owner },
  fixed,
};

const provider = ['provider:network_type', 'provider:physical_network', 'provider:segmentation_id'] as const;

/** A network of several segments lists them; of one, its attributes stand in the network itself. */
function segmentsShown({ segments }: NetworkState): object {
  const shown = segments.map((segment) => ({
    'provider:network_type': segment.networkType,
    'provider:physical_network': segment.physicalNetwork,
    'provider:segmentation_id': segment.segmentationId,
  }));
  return shown.length > 1
    ? { segments: shown }
    : (shown[0] ?? Object.fromEntries(provider.map((name) => [name, null])));
}

const networkShown = (network: NetworkState): Shown => ({
  id: network.id,
  name: network.name,
  project_id: network.projectId,
  tenant_id: network.projectId,
  status: 'ACTIVE',
  subnets: network.subnets.map(({ id }) => id),
  ...segmentsShown(network),
  ...fixed,
  ...lifetimeShown(network),
});

const collection: Collection<NetworkState> = {
  kind: 'network',
  plural: 'networks',
  shown: networkShown,
  attributes: [
    ...['id', 'name', 'project_id', 'tenant_id', 'status', 'revision_number', 'created_at', 'updated_at'],
    ...provider,
    ...Object.keys(fixed),
  ],
  query: {
    id: (ids) => ({ ids }),
    name: oneOf('name'),
    project_id: oneOf('project'),
    tenant_id: oneOf('project'),
  },
  sortKeys: { id: 'id', name: 'name', status: 'status', created_at: 'createdAt', updated_at: 'updatedAt' },
};

/** `/v2.0/networks`. */
export function networkRoutes(scope: FastifyInstance): void {
  scope.get('/v2.0/networks', forRole('reader'), (request) => listCollection(request, request.resources, collection));

  scope.post('/v2.0/networks', forRole('reader'), async (request, reply) => {
    const { segments, rest } = segmentsIn(membersOf(request, 'network'));
    const projectId = request.caller.actor.projectId;
    const data = {
      ...(projectId !== undefined && { projectId }),
      ...dataOf(rest, attributes, 'create'),
      segments,
    };
    const resource = { kind: 'network', id: newId(request) } as const;
    const { state } = await request.resources.command<NetworkState>(request, resource, 'CreateNetwork', data);
    return reply.code(201).send({ network: networkShown(state) });
  });

  memberRoutes(scope, collection, attributes, { update: 'UpdateNetwork', remove: 'DeleteNetwork' });
}

/** @throws Fault where there is none */
export const networkWith = (resources: Resources, id: string): Promise<NetworkState> =>
  memberWith(resources, collection, id);

/** The segments a client describes, one in the network itself or several in a list. Without any it is a local one. */
function segmentsIn(given: Given): { segments: object[]; rest: Given } {
  const { segments, ...others } = given;
  const single = Object.fromEntries(Object.entries(others).filter(([name]) => isProvider(name)));
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !isProvider(name)));
  if (segments === undefined) return { segments: [segmentOf(single)], rest };
  if (Object.keys(single).length > 0) throw invalid('Give the segments in a list or one in the network, not both.');
  if (!Array.isArray(segments) || !segments.every(isObject)) throw invalid('segments must be a list of objects.');
  return { segments: segments.map(segmentOf), rest };
}

const isProvider = (name: string): boolean => (provider as readonly string[]).includes(name);

const segmentOf = (given: Given): object => ({
  networkType: given['provider:network_type'] ?? 'local',
  physicalNetwork: given['provider:physical_network'] ?? null,
  segmentationId: wholeNumber(given['provider:segmentation_id'] ?? null),
});
