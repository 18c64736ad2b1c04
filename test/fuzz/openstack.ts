import type { Chance } from './chance.ts';
import { type WireRequest, wire } from './request.ts';

/** A real request: ids are words in braces, such as `{server}`. */
type Real = readonly [method: string, path: string, body?: unknown];

const image = '155d900f-4e14-4e4c-a73d-069cbf4541e6';

const serverActions: readonly object[] = [
  { 'os-start': null },
  { 'os-stop': null },
  { reboot: { type: 'HARD' } },
  { pause: null },
  { unpause: null },
  { suspend: null },
  { resume: null },
  { rescue: { rescue_image_ref: image } },
  { unrescue: null },
  { rebuild: { imageRef: image, name: 'again', metadata: { a: 'b' } } },
  { evacuate: { host: 'compute-2' } },
  { resize: { flavorRef: '2' } },
  { confirmResize: null },
  { revertResize: null },
  { migrate: { host: null } },
  { 'os-migrateLive': { host: 'compute-2', block_migration: 'auto' } },
  { shelve: null },
  { shelveOffload: null },
  { unshelve: { host: 'compute-2' } },
  { changePassword: { adminPass: 'x' } },
  { createImage: { name: 'copy', metadata: {} } },
  { createBackup: { name: 'daily', backup_type: 'daily', rotation: 1 } },
  { lock: { locked_reason: 'audit' } },
  { unlock: null },
  { restore: null },
  { forceDelete: null },
  { 'os-resetState': { state: 'error' } },
  { 'os-getConsoleOutput': { length: 10 } },
];

const compute: readonly Real[] = [
  ['GET', ''],
  ['GET', '/v2.1/'],
  ['GET', '/v2.1/servers'],
  ['GET', '/v2.1/servers/detail?status=ACTIVE&limit=2&sort_key=created_at&sort_dir=asc'],
  ['GET', '/v2.1/servers/detail?vm_state=error&name=web&tags=a,b&locked=true'],
  ['GET', '/v2.1/servers/detail?changes-since=2026-01-01T00:00:00Z&deleted=true&all_tenants=1'],
  [
    'POST',
    '/v2.1/servers',
    {
      server: {
        name: 'web-1',
        imageRef: image,
        flavorRef: '1',
        networks: [{ port: '{port}' }],
        metadata: { role: 'web' },
        tags: ['a'],
        availability_zone: 'nova',
        description: 'one of many',
      },
    },
  ],
  ['POST', '/v2.1/servers', { server: { name: 'many', flavorRef: 2, networks: 'none', min_count: 1, max_count: 3 } }],
  ['GET', '/v2.1/servers/{server}'],
  ['PUT', '/v2.1/servers/{server}', { server: { name: 'renamed', description: null } }],
  ['DELETE', '/v2.1/servers/{server}'],
  ...serverActions.map((action): Real => ['POST', '/v2.1/servers/{server}/action', action]),
  ['GET', '/v2.1/servers/{server}/metadata'],
  ['PUT', '/v2.1/servers/{server}/metadata', { metadata: { a: '1' } }],
  ['POST', '/v2.1/servers/{server}/metadata', { metadata: { b: '2' } }],
  ['DELETE', '/v2.1/servers/{server}/metadata/a'],
  ['GET', '/v2.1/servers/{server}/tags'],
  ['PUT', '/v2.1/servers/{server}/tags', { tags: ['a', 'b'] }],
  ['PUT', '/v2.1/servers/{server}/tags/c'],
  ['DELETE', '/v2.1/servers/{server}/tags/a'],
  ['DELETE', '/v2.1/servers/{server}/tags'],
  ['GET', '/v2.1/servers/{server}/os-instance-actions'],
  [
    'POST',
    '/v2.1/os-server-external-events',
    {
      events: [
        { name: 'network-vif-plugged', server_uuid: '{server}', tag: '{port}', status: 'completed' },
        { name: 'power-update', server_uuid: '{server}', tag: 'POWER_OFF' },
      ],
    },
  ],
  ['GET', '/v2.1/flavors'],
  ['GET', '/v2.1/flavors/1'],
  ['GET', '/v2.1/limits'],
];

const baremetal: readonly Real[] = [
  ['GET', ''],
  ['GET', '/v1/nodes?provision_state=active&associated=true&maintenance=false&limit=3'],
  ['GET', '/v1/nodes/detail?sort_key=name&sort_dir=desc&owner=infra&description_contains=rack'],
  ['GET', '/v1/nodes?fields=uuid,name,provision_state&marker={node}'],
  [
    'POST',
    '/v1/nodes',
    {
      driver: 'ipmi',
      name: 'rack-1',
      resource_class: 'baremetal',
      properties: { cpus: 8 },
      driver_info: { ipmi_address: '10.0.0.1' },
      extra: { rack: 1 },
      owner: 'infra',
    },
  ],
  ['GET', '/v1/nodes/{node}'],
  ['GET', '/v1/nodes/{node}?fields=uuid,extra'],
  ['PATCH', '/v1/nodes/{node}', [{ op: 'add', path: '/extra/rack', value: 7 }]],
  [
    'PATCH',
    '/v1/nodes/{node}',
    [
      { op: 'replace', path: '/description', value: 'in the corner' },
      { op: 'add', path: '/properties/capabilities', value: 'boot_mode:uefi' },
      { op: 'remove', path: '/extra/rack' },
    ],
  ],
  ['PATCH', '/v1/nodes/{node}', [{ op: 'replace', path: '/maintenance', value: true }]],
  ['PATCH', '/v1/nodes/{node}', [{ op: 'replace', path: '/instance_uuid', value: '{server}' }]],
  ['DELETE', '/v1/nodes/{node}'],
  ['GET', '/v1/nodes/{node}/states'],
  ...[
    'manage',
    'provide',
    'active',
    'deleted',
    'inspect',
    'clean',
    'rescue',
    'abort',
    'adopt',
    'rebuild',
    'service',
  ].map(
    (target): Real => [
      'PUT',
      '/v1/nodes/{node}/states/provision',
      {
        target,
        ...(target === 'clean' && { clean_steps: [{ interface: 'deploy', step: 'erase_devices' }] }),
        ...(target === 'rescue' && { rescue_password: 'secret' }),
        ...(target === 'active' && { configdrive: { meta_data: {} }, deploy_steps: [] }),
      },
    ],
  ),
  ['PUT', '/v1/nodes/{node}/states/power', { target: 'soft power off', timeout: 60 }],
  ['PUT', '/v1/nodes/{node}/maintenance', { reason: 'a fan' }],
  ['DELETE', '/v1/nodes/{node}/maintenance'],
  ['GET', '/v1/nodes/{node}/history'],
  ['GET', '/v1/nodes/{node}/history/detail?limit=2'],
  ['GET', '/v1/nodes/{node}/validate'],
  ['GET', '/v1/nodes/{node}/vifs'],
  ['GET', '/v1/conductors'],
  ['GET', '/v1/drivers'],
  ['GET', '/v1/ports?node={node}'],
];

const network: readonly Real[] = [
  ['GET', ''],
  ['GET', '/v2.0/'],
  ['GET', '/v2.0/extensions'],
  ['GET', '/v2.0/networks?name=net&fields=id&fields=name&limit=2'],
  [
    'POST',
    '/v2.0/networks',
    {
      network: {
        name: 'net',
        'provider:network_type': 'vlan',
        'provider:physical_network': 'physnet1',
        'provider:segmentation_id': 100,
      },
    },
  ],
  ['POST', '/v2.0/networks', { network: { name: 'two', segments: [{ 'provider:network_type': 'geneve' }] } }],
  ['GET', '/v2.0/networks/{network}'],
  ['PUT', '/v2.0/networks/{network}', { network: { name: 'renamed' } }],
  ['DELETE', '/v2.0/networks/{network}'],
  ['GET', '/v2.0/subnets?network_id={network}&ip_version=4'],
  [
    'POST',
    '/v2.0/subnets',
    { subnet: { network_id: '{network}', cidr: '10.0.0.0/24', ip_version: 4, enable_dhcp: true, name: 'sub' } },
  ],
  ['GET', '/v2.0/subnets/{subnet}'],
  ['PUT', '/v2.0/subnets/{subnet}', { subnet: { name: 'renamed', enable_dhcp: false } }],
  ['GET', '/v2.0/ports?device_id={server}&fixed_ips=ip_address%3D10.0.0.5&sort_key=name&sort_dir=desc'],
  ['GET', '/v2.0/ports?binding:host_id=compute-1&status=ACTIVE&marker={port}&limit=1'],
  [
    'POST',
    '/v2.0/ports',
    {
      port: {
        network_id: '{network}',
        name: 'eth0',
        mac_address: 'fa:16:3e:00:00:01',
        fixed_ips: [{ subnet_id: '{subnet}', ip_address: '10.0.0.5' }],
        device_id: '{server}',
        device_owner: 'compute:nova',
        'binding:host_id': 'compute-1',
        'binding:vnic_type': 'normal',
        'binding:profile': { migrating_to: 'compute-2' },
        admin_state_up: true,
      },
    },
  ],
  ['POST', '/v2.0/ports', { ports: [{ network_id: '{network}' }, { network_id: '{network}', name: 'second' }] }],
  ['GET', '/v2.0/ports/{port}?fields=status'],
  ['PUT', '/v2.0/ports/{port}', { port: { 'binding:host_id': 'compute-2', name: 'moved' } }],
  ['PUT', '/v2.0/ports/{port}', { port: { 'binding:host_id': '', device_id: '' } }],
  ['DELETE', '/v2.0/ports/{port}'],
  ['GET', '/v2.0/ports/{port}/bindings'],
  ['POST', '/v2.0/ports/{port}/bindings', { binding: { host: 'compute-2', vnic_type: 'normal', profile: {} } }],
  ['PUT', '/v2.0/ports/{port}/bindings/compute-2/activate'],
  ['DELETE', '/v2.0/ports/{port}/bindings/compute-2'],
  ['GET', '/v2.0/agents?host=compute-1&alive=true'],
  ['GET', '/v2.0/agents/{neutron-agent}'],
  ['PUT', '/v2.0/agents/{neutron-agent}', { agent: { admin_state_up: false } }],
  ['GET', '/v2.0/networks/{network}/dhcp-agents'],
  ['POST', '/v2.0/agents/{neutron-agent}/dhcp-networks', { network_id: '{network}' }],
  ['DELETE', '/v2.0/agents/{neutron-agent}/dhcp-networks/{network}'],
];

const identity: readonly Real[] = [
  ['GET', '/v3'],
  ['GET', '/v3/auth/catalog'],
  ['GET', '/v3/auth/tokens'],
  ['GET', '/v3/projects'],
  [
    'POST',
    '/v3/auth/tokens',
    {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'olga', domain: { name: 'Default' }, password: 'x' } },
        },
        scope: { project: { name: 'default', domain: { id: 'default' } } },
      },
    },
  ],
  [
    'POST',
    '/v3/auth/tokens',
    { auth: { identity: { methods: ['application_credential'], application_credential: { id: 'a', secret: 's' } } } },
  ],
];

const images: readonly Real[] = [
  ['GET', '/v2/images?name=cirros'],
  ['GET', `/v2/images/${image}`],
];

const services: readonly (readonly [prefix: string, requests: readonly Real[]])[] = [
  ['/compute', compute],
  ['/compute', compute],
  ['/baremetal', baremetal],
  ['/baremetal', baremetal],
  ['/network', network],
  ['/network', network],
  ['/identity', identity],
  ['/image', images],
];

const versions: Readonly<Record<string, readonly string[]>> = {
  '/compute': ['latest', '2.1', '2.37', '2.92', '2.93', '2.94'],
  '/baremetal': ['latest', '1.1', '1.38', '1.78', '1.115'],
};

/** A request that one of OpenStack's clients could send. */
export function realRequest(chance: Chance): WireRequest {
  const [prefix, requests] = chance.oneOf(services);
  const [method, path, body] = chance.oneOf(requests);
  const filled = (text: string): string => text.replace(/\{([a-z-]+)\}/g, (_, kind) => chance.idOf(kind));
  const version = versions[prefix] && `${prefix.slice(1)} ${chance.oneOf(versions[prefix])}`;
  return wire(
    method,
    prefix + filled(path),
    body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body))),
    {
      ...(version && { 'openstack-api-version': version }),
    },
  );
}
