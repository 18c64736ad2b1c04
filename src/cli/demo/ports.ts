import type { BulkCommand } from '../../client/bulk.ts';
import type { Command, Kind } from '../../client/kinds.ts';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import { type Line, line, seconds } from './scene.ts';
import { type Cast, isDone, type Stage } from './stage.ts';

const neutron = 'neutron';
const dhcpAgent = 'dhcp-agent:network-1';
const ovsAgent = (host: string): string => `ovs-agent:${host}`;

export const portsCast: Cast = {
  [neutron]: 'operator',
  [dhcpAgent]: 'agent',
  [ovsAgent('compute-1')]: 'agent',
  [ovsAgent('compute-2')]: 'agent',
};

const network = { kind: 'network', id: '5f0a7c1e-9a1b-4b7e-8c54-2d3e4f5a6b70' } as const;
const subnetId = '5f0a7c1e-9a1b-4b7e-8c54-2d3e4f5a6b71';

type PortRef = ResourceRef & { readonly kind: 'port' };
const portRef = (group: string, number: number): PortRef => ({
  kind: 'port',
  id: `5f0a7c1e-9a1b-4b7e-8c54-${group}${number.toString(16).padStart(8, '0')}`,
});

/** One that gets its reports in reverse order, one whose agent falls silent. */
export const reversed = portRef('aaaa', 1);
export const waiting = portRef('aaaa', 2);

const agent = (host: string, type: string) => ({ kind: 'agent', id: `${host}:${type}` }) as const;
const ovs = (host: string) => agent(host, 'Open vSwitch agent');
export const silentAgent = ovs('compute-2');
const dhcp = agent('network-1', 'DHCP agent');

const says = <K extends Kind>(
  by: string,
  to: ResourceRef & { readonly kind: K },
  command: Command<K>,
  afterMs = 0,
): Line => line({ by, to, command, afterMs });

const creation = (host: string, address: string): Extract<Command<'port'>, { type: 'CreatePort' }> => ({
  type: 'CreatePort',
  data: { networkId: network.id, fixedIps: [{ subnetId, ipAddress: address }], deviceOwner: 'compute:nova', host },
});

const configurations = { bridge_mappings: { physnet1: 'br-ex' }, tunnel_types: ['vxlan'] };

/** Two computes, a network with DHCP, and a port on each host. Both ports wait for two agents that know nothing of each other. */
export const portLines: readonly Line[] = [
  says(ovsAgent('compute-1'), ovs('compute-1'), { type: 'RegisterAgent', data: { configurations } }),
  says(ovsAgent('compute-2'), silentAgent, { type: 'RegisterAgent', data: { configurations } }),
  says(dhcpAgent, dhcp, { type: 'RegisterAgent', data: {} }),
  says(
    neutron,
    network,
    { type: 'CreateNetwork', data: { name: 'front', segments: [{ networkType: 'vxlan', segmentationId: 4711 }] } },
    seconds(1),
  ),
  says(neutron, network, { type: 'AddSubnet', data: { id: subnetId, cidr: '10.0.0.0/16' } }),
  says(neutron, network, { type: 'ScheduleDhcpAgent', data: { host: 'network-1' } }),

  says(neutron, reversed, creation('compute-1', '10.0.0.11'), seconds(4)),
  says(neutron, waiting, creation('compute-2', '10.0.0.12')),
  says(dhcpAgent, reversed, { type: 'ReportDhcpReady', data: { host: 'network-1' } }, seconds(1)),
  says(dhcpAgent, waiting, { type: 'ReportDhcpReady', data: { host: 'network-1' } }),
  says(ovsAgent('compute-1'), reversed, { type: 'RequestDeviceDetails', data: { host: 'compute-1' } }, seconds(1)),
  says(ovsAgent('compute-2'), waiting, { type: 'RequestDeviceDetails', data: { host: 'compute-2' } }),
  says(ovsAgent('compute-1'), reversed, { type: 'ReportDeviceUp', data: { host: 'compute-1' } }, seconds(2)),

  // compute-2 says nothing any more, and is taken for lost 75 seconds after its last word.
  says(ovsAgent('compute-1'), ovs('compute-1'), { type: 'Heartbeat', data: {} }, seconds(50)),
  says(dhcpAgent, dhcp, { type: 'Heartbeat', data: {} }),
  says(ovsAgent('compute-1'), ovs('compute-1'), { type: 'Heartbeat', data: {} }, seconds(40)),
  says(dhcpAgent, dhcp, { type: 'Heartbeat', data: {} }),
];

/** As many ports as Neutron was measured with. */
export const racers = 200;
export const racer = portRef('bbbb', 1);

/** Ports whose two reports come at the same time, over two connections. @returns how many became ACTIVE */
export async function race(stage: Stage): Promise<{ ports: number; active: number }> {
  const ports = Array.from({ length: racers }, (_, index) => portRef('bbbb', index + 1));
  const commandEach = (command: (index: number) => Command<'port'>): BulkCommand[] =>
    ports.map((port, index) => ({ ...port, ...command(index) }));

  await stage.giveAll(
    neutron,
    commandEach((index) => creation('compute-1', `10.0.1.${index + 1}`)),
  );
  await stage.pass(seconds(1));
  await Promise.all([
    stage.giveAll(
      dhcpAgent,
      commandEach(() => ({ type: 'ReportDhcpReady', data: { host: 'network-1' } })),
    ),
    stage.giveAll(
      ovsAgent('compute-1'),
      commandEach(() => ({ type: 'ReportDeviceUp', data: { host: 'compute-1' } })),
    ),
  ]);
  const outcomes = await stage.readAll(ports);
  const active = outcomes.filter((outcome) => isDone(outcome) && outcome.state.status === 'ACTIVE').length;
  return { ports: ports.length, active };
}
