import type { Kind } from '../../../src/domain/kernel/resource.ts';
import type { Outcome } from '../../../src/runtime/command.ts';
import { nthId, type openLedger } from '../../support/ledger.ts';

type Ledger = Awaited<ReturnType<typeof openLedger>>;

/** Numbers from a seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomFrom>;
type Command = readonly [kind: Kind, id: string, type: string, data: object];

const hosts = ['host-a', 'host-b', 'host-c'];
const perKind = { port: 60, server: 30, node: 20, network: 5 };
const idOf = (kind: keyof typeof perKind, random: Random): string => {
  const offset = { port: 0, server: 1000, node: 2000, network: 3000 }[kind];
  return nthId(1 + offset + random(perKind[kind]));
};

/** What people, agents and workers of a site might say; much of it is refused. */
const speakers: readonly ((random: Random, pick: <T>(from: readonly T[]) => T) => Command)[] = [
  (random, pick) => [
    'port',
    idOf('port', random),
    'CreatePort',
    {
      name: pick(['a', 'b', 'c']),
      networkId: idOf('network', random),
      deviceId: idOf('server', random),
      deviceOwner: pick(['compute:nova', 'baremetal:none', '']),
      host: pick([...hosts, null]),
    },
  ],
  (random, pick) => ['port', idOf('port', random), 'BindPort', { host: pick(hosts) }],
  (random) => ['port', idOf('port', random), 'UnbindPort', {}],
  (random, pick) => ['port', idOf('port', random), 'AddProvisioningComponent', { entity: pick(['L2', 'DHCP', 'X']) }],
  (random, pick) => [
    'port',
    idOf('port', random),
    'ProvisioningComplete',
    { entity: pick(['L2', 'DHCP', 'X']), host: pick(hosts) },
  ],
  (random, pick) => ['port', idOf('port', random), 'ReportDeviceUp', { host: pick(hosts) }],
  (random, pick) => ['port', idOf('port', random), 'ReportDeviceDown', { host: pick(hosts) }],
  (random, pick) => ['port', idOf('port', random), 'SetPortStatus', { status: pick(['DOWN', 'ERROR', 'BUILD']) }],
  (random) => ['port', idOf('port', random), random(4) === 0 ? 'DeletePort' : 'UnbindPort', {}],
  (random, pick) => [
    'server',
    idOf('server', random),
    'CreateServer',
    { name: pick(['web', 'db']), ports: [idOf('port', random)] },
  ],
  (random, pick) => ['server', idOf('server', random), 'ServerScheduled', { host: pick(hosts) }],
  (random, pick) => [
    'server',
    idOf('server', random),
    'ObserveServer',
    {
      source: 'nova',
      vmState: pick(['active', 'stopped', 'error', 'building', 'deleted']),
      taskState: pick([null, 'spawning', 'deleting']),
      host: pick([...hosts, null]),
    },
  ],
  (random, pick) => ['server', idOf('server', random), pick(['StopServer', 'StartServer', 'RebootServer']), {}],
  (random, pick) => [
    'server',
    idOf('server', random),
    pick(['LockServer', 'UnlockServer', 'ReportBuildSuccess', 'DeleteServer']),
    {},
  ],
  (random, pick) => ['server', idOf('server', random), 'ResetServerState', { state: pick(['active', 'error']) }],
  (random, pick) => [
    'node',
    idOf('node', random),
    'EnrollNode',
    { name: null, conductor: pick([...hosts, null]), provisionState: pick(['enroll', 'available']) },
  ],
  (random, pick) => [
    'node',
    idOf('node', random),
    'SetProvisionState',
    { target: pick(['manage', 'provide', 'active', 'deleted', 'inspect']), holder: pick(hosts) },
  ],
  (random, pick) => [
    'node',
    idOf('node', random),
    'ReportProvisionEvent',
    { event: pick(['done', 'wait', 'resume']), holder: pick(hosts) },
  ],
  (random, pick) => ['node', idOf('node', random), 'ReserveNode', { holder: pick(hosts), leaseMs: 60_000 }],
  (random, pick) => ['node', idOf('node', random), 'ReleaseNode', { holder: pick(hosts) }],
  (random, pick) => ['node', idOf('node', random), pick(['SetMaintenance', 'ClearMaintenance', 'DeleteNode']), {}],
  (random, pick) => ['network', idOf('network', random), 'CreateNetwork', { name: pick(['net', 'lan']) }],
  (_random, pick) => ['agent', `${pick(hosts)}:${pick(['Open vSwitch agent', 'DHCP agent'])}`, 'RegisterAgent', {}],
  (_random, pick) => ['agent', `${pick(hosts)}:DHCP agent`, pick(['Heartbeat', 'DeleteAgent']), {}],
  (random, pick) => ['network', idOf('network', random), 'ScheduleDhcpAgent', { host: pick(hosts) }],
];

/** The correlation ids under which a site's commands are given. */
export const operationsOf = (seed: number): string[] => Array.from({ length: 50 }, (_, n) => `operation-${seed}-${n}`);

/** Gives many commands of all kinds; time passes, the clock's own commands come in between. */
export async function liveAtSite(
  { execute, clock }: Pick<Ledger, 'execute' | 'clock'>,
  seed: number,
  commands: number,
) {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
  const operations = operationsOf(seed);
  const counts = { done: 0, refused: 0 };
  for (let n = 0; n < commands; n++) {
    const [kind, id, type, data] = pick(speakers)(random, pick);
    const outcome: Outcome = await execute(kind, id, type, data, { correlationId: pick(operations) });
    counts[outcome.outcome === 'done' ? 'done' : 'refused'] += 1;
    if (random(10) === 0) await clock.advance(random(20_000));
  }
  return counts;
}
