import type { FastifyInstance } from 'fastify';
import type { ResourceRef } from '../../../domain/kernel/resource.ts';
import type { Subnet } from '../../../domain/network/events.ts';
import { newId } from '../new-id.ts';
import type { Resources } from '../resources.ts';
import { forRole } from '../service.ts';
import { type Attributes, dataOf, membersOf, truthValue } from './body.ts';
import { badRequest, notFound } from './faults.ts';
import { fieldsOf, listFew, type Shown } from './listing.ts';
import { type NetworkState, networkWith } from './networks.ts';
import { lifetimeShown } from './shown.ts';

/** What Neutron's subnets have that subnets here do not. */
const fixed = {
  description: '',
  gateway_ip: null,
  allocation_pools: [],
  dns_nameservers: [],
  host_routes: [],
  service_types: [],
  subnetpool_id: null,
  ipv6_ra_mode: null,
  ipv6_address_mode: null,
  tags: [],
};

const attributes: Attributes = {
  kept: {
    name: { as: 'name' },
    cidr: { as: 'cidr', once: true },
    enable_dhcp: { as: 'enableDhcp', value: truthValue },
    segment_id: { as: 'segmentId' },
  },
  fixed,
};

const versionOf = (cidr: string): 4 | 6 => (cidr.includes(':') ? 6 : 4);

const subnetShown = (network: NetworkState, { id, name, cidr, enableDhcp, segmentId }: Subnet): Shown => ({
  id,
  name,
  network_id: network.id,
  project_id: network.projectId,
  tenant_id: network.projectId,
  cidr,
  ip_version: versionOf(cidr),
  enable_dhcp: enableDhcp,
  segment_id: segmentId,
  ...fixed,
  ...lifetimeShown(network),
});

const names = [
  ...['id', 'name', 'network_id', 'project_id', 'tenant_id', 'cidr', 'ip_version', 'enable_dhcp', 'segment_id'],
  ...Object.keys(fixed),
];

type OnSubnet = { Params: { id: string } };

/** `/v2.0/subnets`. A subnet is a part of its network: it is found by looking through those. */
export function subnetRoutes(scope: FastifyInstance): void {
  scope.get('/v2.0/subnets', forRole('reader'), async (request) => {
    const all: Shown[] = [];
    for await (const network of request.resources.list<NetworkState>({ kind: 'network' })) {
      all.push(...network.subnets.map((subnet) => subnetShown(network, subnet)));
    }
    return listFew(request, 'subnets', all, names);
  });

  scope.post('/v2.0/subnets', forRole('reader'), async (request, reply) => {
    const {
      network_id: networkId,
      ip_version: version,
      project_id: _,
      tenant_id: __,
      ...given
    } = membersOf(request, 'subnet');
    if (typeof networkId !== 'string') throw badRequest('A subnet needs a network_id.');
    const resource = refOf(await networkWith(request.resources, networkId));
    const id = newId(request);
    const data = { id, ...dataOf(given, attributes, 'create') };
    const { cidr } = given;
    if (typeof cidr !== 'string') throw badRequest('A subnet needs a cidr, as text.');
    if (version !== undefined && version !== versionOf(cidr)) {
      throw badRequest(`${cidr} is not an address range of IP version ${JSON.stringify(version)}.`);
    }
    const { state } = await request.resources.command<NetworkState>(request, resource, 'AddSubnet', data);
    return reply.code(201).send({ subnet: shownIn(state, id) });
  });

  scope.get<OnSubnet>('/v2.0/subnets/:id', forRole('reader'), async (request) => {
    const { id } = request.params;
    return { subnet: fieldsOf(request, shownIn(await networkOf(request.resources, id), id)) };
  });

  scope.put<OnSubnet>('/v2.0/subnets/:id', forRole('reader'), async (request) => {
    const { id } = request.params;
    const resource = refOf(await networkOf(request.resources, id));
    const data = { id, ...dataOf(membersOf(request, 'subnet'), attributes, 'update') };
    const { state } = await request.resources.command<NetworkState>(request, resource, 'UpdateSubnet', data);
    return { subnet: shownIn(state, id) };
  });
}

const refOf = ({ id }: NetworkState): ResourceRef => ({ kind: 'network', id });

const shownIn = (network: NetworkState, id: string): Shown =>
  subnetShown(network, network.subnets.find((subnet) => subnet.id === id)!);

/** @throws Fault where no network has it */
async function networkOf(resources: Resources, subnetId: string): Promise<NetworkState> {
  for await (const network of resources.list<NetworkState>({ kind: 'network' })) {
    if (network.subnets.some(({ id }) => id === subnetId)) return network;
  }
  throw notFound('subnet', subnetId);
}
