import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Port } from '../../../domain/port/state.ts';
import { newId } from '../new-id.ts';
import type { Resources, State } from '../resources.ts';
import { forRole } from '../service.ts';
import { type Attributes, dataOf, type Given, manyOf, truthValue } from './body.ts';
import { badRequest, invalid } from './faults.ts';
import { type Collection, listCollection, memberWith, oneOf, type Shown } from './listing.ts';
import { memberRoutes } from './member-routes.ts';
import { networkWith } from './networks.ts';
import { lifetimeShown } from './shown.ts';

export type PortState = Port & State;

/** What Neutron's ports have that ports here do not. */
const fixed = {
  description: '',
  allowed_address_pairs: [],
  extra_dhcp_opts: [],
  security_groups: [],
  port_security_enabled: false,
  propagate_uplink_status: false,
  dns_name: '',
  qos_policy_id: null,
  tags: [],
};

const owner = { as: 'projectId', once: true } as const;

const attributes: Attributes = {
  kept: {
    name: { as: 'name' },
    network_id: { as: 'networkId', once: true },
    project_id: owner,
    tenant_id: owner,
    mac_address: { as: 'macAddress', value: (mac) => (typeof mac === 'string' ? mac.toLowerCase() : mac) },
    fixed_ips: { as: 'fixedIps', value: addressesOf },
    device_id: { as: 'deviceId' },
    device_owner: { as: 'deviceOwner' },
    admin_state_up: { as: 'adminStateUp', value: truthValue },
    // Nowhere is an empty text in Neutron, and null here.
    'binding:host_id': { as: 'host', value: (host) => (host === '' ? null : host) },
    'binding:vnic_type': { as: 'vnicType' },
    'binding:profile': { as: 'profile' },
  },
  fixed,
};

function addressesOf(given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  return given.map((address: Given | null) => {
    if (typeof address?.subnet_id === 'string' && typeof address.ip_address === 'string') {
      return { subnetId: address.subnet_id, ipAddress: address.ip_address };
    }
    throw invalid('Each of fixed_ips needs subnet_id and ip_address: addresses are not allocated here.');
  });
}

const portShown = (port: PortState): Shown => ({
  id: port.id,
  name: port.name,
  network_id: port.networkId,
  project_id: port.projectId,
  tenant_id: port.projectId,
  mac_address: port.macAddress,
  admin_state_up: port.adminStateUp,
  status: port.status,
  device_id: port.deviceId,
  device_owner: port.deviceOwner,
  fixed_ips: port.fixedIps.map(({ subnetId, ipAddress }) => ({ subnet_id: subnetId, ip_address: ipAddress })),
  'binding:host_id': port.binding.host ?? '',
  'binding:vnic_type': port.binding.vnicType,
  'binding:profile': port.binding.profile,
  'binding:vif_type': port.binding.vifType,
  'binding:vif_details': port.binding.vifDetails,
  ...fixed,
  ...lifetimeShown(port),
});

const collection: Collection<PortState> = {
  kind: 'port',
  plural: 'ports',
  shown: portShown,
  attributes: [
    ...Object.keys(attributes.kept),
    ...['id', 'status', 'binding:vif_type', 'revision_number', 'created_at', 'updated_at', 'description'],
  ],
  query: {
    id: (ids) => ({ ids }),
    status: (status) => ({ status }),
    name: oneOf('name'),
    network_id: oneOf('network'),
    device_id: oneOf('device'),
    project_id: oneOf('project'),
    tenant_id: oneOf('project'),
    'binding:host_id': oneOf('host'),
  },
  sortKeys: {
    id: 'id',
    name: 'name',
    status: 'status',
    'binding:host_id': 'host',
    created_at: 'createdAt',
    updated_at: 'updatedAt',
  },
  matches: {
    /** `fixed_ips=ip_address=10.0.0.3`, `fixed_ips=subnet_id=...`. */
    fixed_ips: ({ fixed_ips }, values) =>
      (fixed_ips as Readonly<Record<string, string>>[]).some((address) =>
        values.some((value) => {
          const [name, wanted] = value.split('=', 2) as [string, string | undefined];
          return address[name] === wanted;
        }),
      ),
  },
};

/** `/v2.0/ports`. */
export function portRoutes(scope: FastifyInstance): void {
  scope.get('/v2.0/ports', forRole('reader'), (request) => listCollection(request, request.resources, collection));

  scope.post('/v2.0/ports', forRole('reader'), async (request, reply) => {
    const { several, all } = manyOf(request, 'port');
    const ports = await createAll(request, request.resources, all);
    return reply.code(201).send(several ? { ports } : { port: ports[0] });
  });

  memberRoutes(scope, collection, attributes, { update: 'UpdatePort', remove: 'DeletePort' });
}

/** @throws Fault where there is none */
export const portWith = (resources: Resources, id: string): Promise<PortState> => memberWith(resources, collection, id);

/** All or none: each is looked at before the first is made; where one is refused after that, the others are deleted again. */
async function createAll(request: FastifyRequest, resources: Resources, all: readonly Given[]): Promise<Shown[]> {
  const wanted: object[] = [];
  for (const given of all) wanted.push(await creation(request, resources, given));
  const made: Shown[] = [];
  try {
    for (const [number, data] of wanted.entries()) {
      const resource = { kind: 'port', id: newId(request, number) } as const;
      made.push(portShown((await resources.command<PortState>(request, resource, 'CreatePort', data)).state));
    }
    return made;
  } catch (error) {
    for (const { id } of made) await resources.takeBack(request, { kind: 'port', id }, 'DeletePort');
    throw error;
  }
}

/** The data of the command that makes a port. @throws Fault, Problem where it is malformed or names no network */
async function creation(request: FastifyRequest, resources: Resources, given: Given): Promise<object> {
  const networkId = given.network_id;
  if (typeof networkId !== 'string') throw badRequest('A port needs a network_id.');
  await networkWith(resources, networkId);
  const projectId = request.caller.actor.projectId;
  const data = { ...(projectId !== undefined && { projectId }), ...dataOf(given, attributes, 'create') };
  return resources.parse('port', 'CreatePort', data);
}
