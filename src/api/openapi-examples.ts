import type { Aggregate } from '../domain/kernel/aggregate.ts';
import { publicCommands } from './command-schemas.ts';

const host = 'compute-17';
const aPort = '6f3c9a52-6f0e-4f1c-8a41-5b7be7f7f6d4';

/** Data for the commands that need some; the others are shown with none. */
const exampleData: Readonly<Record<string, object>> = {
  CreatePort: { name: 'web-1-eth0', networkId: 'b0f4d7c2-8c1d-4b0e-9f0a-0a6f1d2e7c31' },
  UpdatePort: { name: 'web-1-eth1' },
  AddProvisioningComponent: { entity: 'L2', host },
  RemoveProvisioningComponent: { entity: 'L2' },
  ProvisioningComplete: { entity: 'L2', host },
  SetPortStatus: { status: 'ERROR', reason: 'the switch refused the segment' },
  BindPort: { host },
  ReportDeviceUp: { host },
  ReportDeviceDown: { host },
  ReceiveExternalEvent: { name: 'network-vif-plugged', tag: aPort, status: 'completed' },
};

/** A body for each command whose example fits its schema, by the command's name. */
export function exampleCommands(aggregate: Aggregate): Record<string, { value: object }> {
  const examples = publicCommands(aggregate)
    .map((type) => ({ type, data: exampleData[type] ?? {} }))
    .filter(({ type, data }) => aggregate.commands[type]!.safeParse(data).success);
  return Object.fromEntries(examples.map((value) => [value.type, { value }]));
}
