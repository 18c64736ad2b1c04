import { agentRef, agentTypes } from '../../../../src/domain/agent/identity.ts';
import type { ResourceRef } from '../../../../src/domain/kernel/resource.ts';
import { type Binding, isBound, type OtherBinding, type Port } from '../../../../src/domain/port/state.ts';
import type { Outcome } from '../../../../src/runtime/command.ts';
import { nthId } from '../../../support/ledger.ts';
import { serverId } from '../site.ts';
import { networkId, subnetId } from '../surroundings.ts';
import type { Stage } from './stage.ts';
import type { AgentOf, Args, BindingState, PortState, Scenario, Step } from './vectors.ts';

const types: Record<string, string> = {
  ovs: agentTypes.openVswitch,
  sriov: agentTypes.sriov,
  macvtap: agentTypes.macvtap,
  linuxbridge: agentTypes.linuxBridge,
  dhcp: agentTypes.dhcp,
};

const refOf = ({ type, host }: AgentOf): ResourceRef => agentRef(host, types[type]!);

const portNames = ['P', 'Q', 'GHOST'];
export const portId = (name = 'P'): string => nthId(portNames.indexOf(name) + 1);

/** Builds what a scenario starts from. Agents that are dead fall silent first, so that the others need not. */
export async function setUp(site: Stage, { setup }: Scenario): Promise<void> {
  const segments = setup.segments ?? [{ type: 'vlan', physnet: 'physnet1', id: 10 }];
  await site.createNetwork(
    segments.map(({ type, physnet = null, id = null }) => ({
      networkType: type,
      physicalNetwork: physnet,
      segmentationId: id,
    })),
    setup.subnet ?? {},
  );
  const { agents, dhcpAgent } = setup;
  if (dhcpAgent) await site.scheduleDhcp();
  if (dhcpAgent?.hostsNetwork === false)
    await site.execute('network', networkId, 'UnscheduleDhcpAgent', { host: 'dhcp-host' });
  if (dhcpAgent?.alive === false) await site.killAgent(agentRef('dhcp-host', agentTypes.dhcp));
  for (const agent of agents ?? []) {
    await site.registerAgent(refOf(agent), agent.configurations);
    if (agent.adminStateUp === false)
      await site.execute('agent', refOf(agent).id, 'SetAgentAdminState', { adminStateUp: false });
  }
  for (const agent of agents ?? []) if (agent.alive === false) await site.killAgent(refOf(agent));
  await site.settle();
}

/** The commands a step stands for. Some steps are about several ports, or about agents. */
export async function perform(site: Stage, step: Step): Promise<Outcome[]> {
  const operation = operations[step.op];
  if (!operation) throw new Error(`no translation for ${step.op}`);
  return operation(site, step.args ?? {}, portId(step.port));
}

export const isKnown = ({ op }: Step): boolean => op in operations;

type Operation = (site: Stage, args: Args, port: string) => Promise<Outcome[]>;

const operations: Record<string, Operation> = {
  create_port: one((args) => ['CreatePort', creation(args)]),
  update_port: one((args) => ['UpdatePort', changes(args)]),
  delete_port: one(() => ['DeletePort', {}]),

  get_device_details: one((args) => ['RequestDeviceDetails', reporter(args)]),
  get_devices_details_list_and_failed_devices: one((args) => ['RequestDeviceDetails', reporter(args)]),
  update_device_up: one((args) => ['ReportDeviceUp', reporter(args)]),
  update_device_down: one((args) => ['ReportDeviceDown', reporter(args)]),
  dhcp_ready: one(() => ['ReportDhcpReady', {}]),

  async update_device_list(site, args) {
    const outcomes: Outcome[] = [];
    for (const name of args.up ?? []) outcomes.push(await site.port(portId(name), 'ReportDeviceUp', reporter(args)));
    for (const name of args.down ?? [])
      outcomes.push(await site.port(portId(name), 'ReportDeviceDown', reporter(args)));
    return outcomes;
  },

  /** A driver that sets ACTIVE has done what the blocks wait for; here it says so first. */
  async update_port_status(site, { status }, port) {
    const blocks = status === 'ACTIVE' ? ((await site.portState(port))?.blocks ?? []) : [];
    for (const { entity } of blocks) await site.port(port, 'ProvisioningComplete', { entity });
    return [await site.port(port, 'SetPortStatus', { status })];
  },

  create_port_binding: one(({ host }) => ['AddBinding', { host }]),
  activate_port_binding: one(({ host }) => ['ActivateBinding', { host }]),
  delete_port_binding: one(({ host }) => ['RemoveBinding', { host }]),

  /** Other inputs than given are set to their defaults, as in Neutron. */
  async update_port_binding(site, { host, profile = {} }, port) {
    const inputs = { host, vnicType: 'normal', profile };
    if ((await site.portState(port))?.binding.host === host) return [await site.port(port, 'BindPort', inputs)];
    return [await site.port(port, 'RemoveBinding', { host }), await site.port(port, 'AddBinding', inputs)];
  },

  report_state: async (site, args) => [await site.registerAgent(refOf(args as AgentOf), args.configurations)],

  async kill_agent(site, args) {
    await site.killAgent(refOf(args as AgentOf));
    return [];
  },

  async age_heartbeat(site, args) {
    await site.silence(refOf(args as AgentOf), args.seconds!);
    return [];
  },

  async delete_agent(site, args) {
    await site.deleteAgent(refOf(args as AgentOf));
    return [];
  },
};

function one(command: (args: Args) => [type: string, data: object]): Operation {
  return async (site, args, port) => [await site.port(port, ...command(args))];
}

const reporter = ({ host }: Args) => (host == null ? {} : { host });

const creation = (args: Args) => ({
  networkId,
  fixedIps: args.no_fixed_ips ? [] : [{ subnetId, ipAddress: '10.0.0.2' }],
  deviceOwner: 'compute:nova',
  deviceId: serverId,
  ...changes(args),
});

/** A key that is not given is not sent; a host that is cleared is sent as none. */
function changes({ host_id, profile, name, new_fixed_ip, ...args }: Args) {
  const given = {
    host: host_id === undefined ? undefined : host_id || null,
    vnicType: args.vnic_type,
    profile,
    name,
    macAddress: args.mac_address,
    adminStateUp: args.admin_state_up,
    deviceOwner: args.device_owner,
    deviceId: args.device_id,
    fixedIps: new_fixed_ip ? [{ subnetId, ipAddress: '10.0.0.99' }] : undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A port in the words of the recording; null where there is none. */
export function recorded(port: Port | null): PortState | null {
  if (!port || port.deletedAt !== undefined) return null;
  const { status, adminStateUp, blocks, binding, otherBindings } = port;
  return {
    status,
    adminStateUp,
    blocks: blocks.map(({ entity }) => entity).sort(),
    bindings: [recordedBinding(binding, 'ACTIVE'), ...otherBindings.map((other) => recordedBinding(other, 'INACTIVE'))],
  };
}

const recordedBinding = (binding: Binding | OtherBinding, bindingStatus: 'ACTIVE' | 'INACTIVE'): BindingState => ({
  host: binding.host ?? '',
  bindingStatus,
  vifType: binding.vifType,
  vnicType: binding.vnicType,
  profile: binding.profile,
  vifDetails: isBound(binding) ? withoutSocketPath(binding.vifDetails) : {},
  levels: binding.segments.map(({ level, driver, networkType, physicalNetwork, segmentationId, dynamic }) => ({
    level,
    driver,
    segment: { type: networkType, physnet: physicalNetwork, id: dynamic ? 'DYN' : segmentationId, dynamic },
  })),
});

const withoutSocketPath = (details: BindingState['vifDetails']): BindingState['vifDetails'] =>
  'vhostuser_socket' in details ? { ...details, vhostuser_socket: '<socket_dir>/vhu<port-id[:11]>' } : details;
