import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { asSeenBy } from '../../../domain/server/audience.ts';
import { baseUrl } from '../service.ts';
import { toTheSecond } from '../times.ts';
import type { Addresses } from './addresses.ts';
import { audienceOf } from './audience.ts';
import { knows } from './faults.ts';
import type { ServerState } from './server-state.ts';

/** Without a zone and to the microsecond, as others are. */
export const bareTime = (time: string): string => time.replace(/\.(\d{3})Z$/, '.$1000');

/** Nova links everything twice: with its version, and without. */
export function linksTo(request: FastifyRequest, path: string): { rel: string; href: string }[] {
  const root = `${baseUrl(request)}/compute`;
  return [
    { rel: 'self', href: `${root}/v2.1/${path}` },
    { rel: 'bookmark', href: `${root}/${path}` },
  ];
}

/** Tells a project whether two of its servers share a host, and nothing else. */
const hostIdOf = (projectId: string, host: string | null): string =>
  host === null ? '' : hash('sha224', projectId + host);

export const serverInBrief = (request: FastifyRequest, { id, name }: ServerState): object => ({
  id,
  name,
  links: linksTo(request, `servers/${id}`),
});

/** A server in the words of Nova, as far as the caller's version goes. */
export function serverShown(request: FastifyRequest, server: ServerState, addresses: Addresses): object {
  const seen = asSeenBy(audienceOf(request), server);
  return {
    id: server.id,
    name: server.name,
    status: seen.status,
    tenant_id: server.projectId,
    user_id: server.userId,
    metadata: server.metadata,
    hostId: hostIdOf(server.projectId, server.host),
    image: imageShown(request, server),
    flavor: flavorShown(request, server),
    created: toTheSecond(server.createdAt),
    updated: toTheSecond(server.updatedAt),
    addresses: server.vmState === 'building' ? {} : addresses,
    accessIPv4: '',
    accessIPv6: '',
    links: linksTo(request, `servers/${server.id}`),
    'OS-DCF:diskConfig': 'MANUAL',
    ...(seen.showsProgress && { progress: 0 }),
    'OS-EXT-AZ:availability_zone': server.availabilityZone ?? '',
    config_drive: '',
    key_name: null,
    'OS-SRV-USG:launched_at': server.launchedAt === undefined ? null : bareTime(server.launchedAt),
    'OS-SRV-USG:terminated_at': server.deletedAt === undefined ? null : bareTime(server.deletedAt),
    security_groups: [{ name: 'default' }],
    'OS-EXT-SRV-ATTR:host': server.host,
    'OS-EXT-SRV-ATTR:instance_name': `instance-${server.id.slice(0, 8)}`,
    'OS-EXT-SRV-ATTR:hypervisor_hostname': server.nodeId ?? server.host,
    'OS-EXT-STS:task_state': seen.taskState,
    'OS-EXT-STS:vm_state': seen.vmState,
    'OS-EXT-STS:power_state': server.powerState,
    'os-extended-volumes:volumes_attached': [],
    ...(seen.fault && { fault: faultShown(request, seen.fault) }),
    ...addedSince(request, server),
  };
}

/** What came with later versions. */
const additions: readonly (readonly [minor: number, members: (server: ServerState) => object])[] = [
  [3, ({ reservationId }) => ({ 'OS-EXT-SRV-ATTR:reservation_id': reservationId ?? '' })],
  [9, ({ lock }) => ({ locked: lock !== null })],
  [19, ({ description }) => ({ description })],
  [26, ({ tags }) => ({ tags })],
  [73, ({ lock }) => ({ locked_reason: lock?.reason ?? null })],
];

const addedSince = (request: FastifyRequest, server: ServerState): object =>
  Object.assign({}, ...additions.filter(([minor]) => knows(request, minor)).map(([, members]) => members(server)));

/** A server that boots from a volume has no image, and an empty text says so. */
const imageShown = (request: FastifyRequest, { imageRef }: ServerState): unknown =>
  imageRef === null
    ? ''
    : { id: imageRef, links: [{ rel: 'bookmark', href: `${baseUrl(request)}/compute/images/${imageRef}` }] };

/** From 2.47 on a flavor is described, not linked: of the description only its name is known here. */
function flavorShown(request: FastifyRequest, { flavorRef }: ServerState): object {
  const name = flavorRef ?? '';
  if (knows(request, 47)) {
    return { original_name: name, vcpus: 0, ram: 0, disk: 0, ephemeral: 0, swap: 0, extra_specs: {} };
  }
  return { id: name, links: [{ rel: 'bookmark', href: `${baseUrl(request)}/compute/flavors/${name}` }] };
}

/** The details of a server error are for administrators. */
function faultShown({ caller }: FastifyRequest, fault: NonNullable<ReturnType<typeof asSeenBy>['fault']>): object {
  const { code, message, created, details } = fault;
  const forCaller = caller.role === 'admin' || code !== 500;
  return { code, message, created: toTheSecond(created), ...(forCaller && { details: details ?? '' }) };
}
