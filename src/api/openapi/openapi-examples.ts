import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import { publicCommands } from '../schemas/command-schemas.ts';

const host = 'compute-17';
const conductor = 'conductor-2';
const aPort = '6f3c9a52-6f0e-4f1c-8a41-5b7be7f7f6d4';
const aNetwork = 'b0f4d7c2-8c1d-4b0e-9f0a-0a6f1d2e7c31';
const aSubnet = '3e5b8c1d-2a4f-4c6e-8b9d-7f1a2b3c4d5e';
const observed = { source: 'nightly audit', observedAt: '2026-01-31T12:00:00.000Z' };
const plugged = { event: 'network-vif-plugged', tag: aPort };

/** Data for the commands that need some; the others are shown with none. */
export const exampleData: Readonly<Record<string, object>> = {
  CreatePort: { name: 'web-1-eth0', networkId: aNetwork },
  UpdatePort: { name: 'web-1-eth1' },
  BindPort: { host },
  AddBinding: { host: 'compute-18', migration: 'move-web-1' },
  ActivateBinding: { host: 'compute-18' },
  RemoveBinding: { host },
  ReportMigrationEnded: { migration: 'move-web-1', outcome: 'completed' },
  AddProvisioningComponent: { entity: 'L2', host },
  RemoveProvisioningComponent: { entity: 'L2' },
  ProvisioningComplete: { entity: 'L2', host },
  SetPortStatus: { status: 'ERROR', reason: 'the switch refused the segment' },
  ReportDeviceUp: { host },
  ReportDeviceDown: { host },

  ServerScheduled: { host, alternates: ['compute-18'] },
  ReportBuildProgress: { taskState: 'spawning', waitFor: [plugged] },
  ReportBuildFailure: { reason: 'the image could not be fetched' },
  ReceiveExternalEvent: { name: 'network-vif-plugged', tag: aPort },
  WaiveExternalEvents: { events: [plugged] },
  ResizeServer: { flavorRef: 'm1.large' },
  ReportActionProgress: { action: 'ResizeServer', taskState: 'resize_migrating' },
  ReportActionSuccess: { action: 'StopServer' },
  ReportActionFailure: { action: 'StopServer', reason: 'the guest did not answer' },
  AttachInterface: { portId: aPort },
  DetachInterface: { portId: aPort },
  ResetServerState: { state: 'error' },
  'server.ReportPowerState': { powerState: 4 },
  ReportComputeRestart: { host },
  ObserveServer: { ...observed, vmState: 'active', powerState: 1 },

  ObserveNode: { ...observed, provisionState: 'active', powerState: 'power on' },

  SetProvisionState: { target: 'manage' },
  ReportProvisionEvent: { event: 'done' },
  BreakReservation: { reason: 'the conductor is gone for good' },
  SetPowerState: { target: 'power on' },
  'node.ReportPowerState': { powerState: 'power off' },
  TakeOverConductor: { conductor: 'conductor-1', by: conductor },

  SetAgentAdminState: { adminStateUp: false, reason: 'kernel upgrade' },

  UpdateNetwork: { name: 'blue' },
  AddSegment: { networkType: 'vlan', physicalNetwork: 'physnet1', segmentationId: 101 },
  AddSubnet: { id: aSubnet, cidr: '10.0.0.0/24' },
  UpdateSubnet: { id: aSubnet, enableDhcp: false },
  ScheduleDhcpAgent: { host },
  UnscheduleDhcpAgent: { host },
};

/** A body for each command, by the command's name. One whose data does not fit is not shown. */
export function exampleCommands(aggregate: Aggregate): Record<string, { value: object }> {
  const examples = publicCommands(aggregate)
    .map((type) => ({ type, data: exampleData[`${aggregate.kind}.${type}`] ?? exampleData[type] ?? {} }))
    .filter(({ type, data }) => aggregate.commands[type]!.safeParse(data).success);
  return Object.fromEntries(examples.map((value) => [value.type, { value }]));
}
