import { agentTypes } from '../../../src/domain/agent/identity.ts';
import type { Port } from '../../../src/domain/port/state.ts';
import { type Act, agent, hosts, maybe, ports } from './actor.ts';

/** An L2 agent speaks about a port: mostly the right one, sometimes another, sometimes before there is any port. */
export const reportWiring: Act = ({ random, witness, isRunning, give }) => {
  const id = random.oneOf(ports);
  const bound = witness.stateOf<Port>('port', id)?.binding.host;
  const host = bound && !maybe(random, 0.15) ? bound : random.oneOf(hosts);
  const speaker = `${host}:${agentTypes.openVswitch}`;
  if (!isRunning(speaker)) return;
  const type = random.oneOf(['ReportDeviceUp', 'ReportDeviceUp', 'RequestDeviceDetails', 'ReportDeviceDown']);
  give(agent(speaker), 'port', id, type, { host });
  if (maybe(random, 0.1)) give(agent(speaker), 'port', id, type, { host });
};

export const reportDhcp: Act = ({ random, isRunning, give }) => {
  const host = random.oneOf(hosts);
  const speaker = `${host}:${agentTypes.dhcp}`;
  if (isRunning(speaker)) give(agent(speaker), 'port', random.oneOf(ports), 'ReportDhcpReady', { host });
};

/** Some other service takes part in the provisioning. */
export const reportOther: Act = ({ random, witness, give }) => {
  const id = random.oneOf(ports);
  const waits = witness.stateOf<Port>('port', id)?.blocks.some(({ entity }) => entity === 'storage') ?? false;
  const type = waits ? 'ProvisioningComplete' : 'AddProvisioningComponent';
  if (waits || maybe(random, 0.2)) give(agent('storage'), 'port', id, type, { entity: 'storage' });
};
