import type { Network } from '../../../src/domain/network/state.ts';
import type { Port } from '../../../src/domain/port/state.ts';
import type { Random } from '../../support/random.ts';
import { type Act, hosts, maybe, network, ports, servers, subnet, user } from './actor.ts';

/** Somebody makes a port, or takes one away. */
export const createPort: Act = ({ random, witness, give }) => {
  const number = random.below(ports.length);
  const id = ports[number]!;
  if (witness.stateOf('port', id)) {
    if (maybe(random, 0.1)) give(user('tenant'), 'port', id, 'DeletePort');
    return;
  }
  give(user('tenant'), 'port', id, 'CreatePort', {
    networkId: network,
    deviceId: servers[number]!,
    deviceOwner: 'compute:nova',
    fixedIps: [{ subnetId: subnet, ipAddress: `10.0.0.${number + 2}` }],
    ...(maybe(random, 0.3) && { host: random.oneOf(hosts) }),
  });
};

/** Two computes, or a compute and an operator, want the port at the same time. */
export const bindPort: Act = ({ random, give }) => {
  const id = random.oneOf(ports);
  const racers = maybe(random, 0.3) ? hosts : [random.oneOf(hosts)];
  for (const host of racers) give(user(`nova on ${host}`), 'port', id, 'BindPort', { host });
};

export const migratePort: Act = ({ random, witness, give }) => {
  const id = random.oneOf(ports);
  const port = witness.stateOf<Port>('port', id);
  const prepared = port?.otherBindings[0]?.host;
  if (prepared === undefined) give(user('nova'), 'port', id, 'AddBinding', { host: random.oneOf(hosts) });
  else give(user('nova'), 'port', id, random.oneOf(['ActivateBinding', 'RemoveBinding']), { host: prepared });
};

export const changePort: Act = ({ random, give }) => {
  const change = random.oneOf([
    { adminStateUp: true },
    { adminStateUp: false },
    { name: `port-${random.below(3)}` },
    { host: null },
    { fixedIps: [{ subnetId: subnet, ipAddress: `10.0.0.${10 + random.below(3)}` }] },
  ]);
  give(user('tenant'), 'port', random.oneOf(ports), 'UpdatePort', change);
};

/** What a port depends on changes. */
export const changeNetwork: Act = ({ random, witness, give }) => {
  const known = witness.stateOf<Network>('network', network);
  const [type, data] = known
    ? networkChange(random, known)
    : ['CreateNetwork', { segments: [{ networkType: 'vxlan' }] }];
  give(user('admin'), 'network', network, type, data);
};

function networkChange(random: Random, { subnets, dhcpAgents }: Network): [type: string, data: object] {
  if (subnets.length === 0) return ['AddSubnet', { id: subnet, cidr: '10.0.0.0/24' }];
  const [agent] = dhcpAgents;
  if (!agent || maybe(random, 0.4)) return ['ScheduleDhcpAgent', { host: random.oneOf(hosts) }];
  if (maybe(random, 0.4)) return ['UnscheduleDhcpAgent', { host: agent.host }];
  return ['UpdateSubnet', { id: subnet, enableDhcp: maybe(random, 0.6) }];
}
