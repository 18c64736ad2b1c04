import type { Command, Kind } from '../../client/kinds.ts';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import { ExampleReaper } from './example-reaper.ts';
import { type Line, line, minutes, playScene, seconds } from './scene.ts';
import type { Cast, Stage } from './stage.ts';

const [alice, batch, neutron, operator] = ['alice', 'batch', 'neutron', 'operator'];
const [scheduler, compute, conductor, ramdisk] = ['nova-scheduler', 'nova-compute:rack-7', 'conductor-1', 'ramdisk'];
const ovsAgent = 'ovs-agent:rack-7';
const reaper = 'reaper-1';

export const chainCast: Cast = {
  [alice]: 'operator',
  [batch]: 'operator',
  [neutron]: 'operator',
  [operator]: 'operator',
  [reaper]: 'admin',
  [scheduler]: 'agent',
  [compute]: 'agent',
  [conductor]: 'agent',
  [ramdisk]: 'agent',
  [ovsAgent]: 'agent',
};

/** What alice asked for, as every service hands it on: OpenStack's request id. */
export const request = 'req-3b1d6f0a-58a4-4a2e-9c77-0f6f2f5d9e10';

export const server = { kind: 'server', id: 'b7a1d0c4-1f5e-4c0b-9d36-5d3c2a7e8f01' } as const;
export const victim = { kind: 'server', id: 'b7a1d0c4-1f5e-4c0b-9d36-5d3c2a7e8f02' } as const;
export const metal = { kind: 'node', id: 'b7a1d0c4-1f5e-4c0b-9d36-5d3c2a7e8f03' } as const;
export const nic = { kind: 'port', id: 'b7a1d0c4-1f5e-4c0b-9d36-5d3c2a7e8f04' } as const;
const network = { kind: 'network', id: 'b7a1d0c4-1f5e-4c0b-9d36-5d3c2a7e8f05' } as const;
export const deadAgent = { kind: 'agent', id: 'rack-7:Open vSwitch agent' } as const;

type Said = Pick<Line, 'by' | 'afterMs'>;

/** A line of its own, and one in the course of alice's request. Time passes before each, and what follows follows. */
const says = <K extends Kind>({ by, afterMs = seconds(1) }: Said, to: ResourceRef & { kind: K }, command: Command<K>) =>
  line({ by, to, command, afterMs });
const asked = <K extends Kind>(said: Said, to: ResourceRef & { kind: K }, command: Command<K>): Line => ({
  ...says(said, to, command),
  correlationId: request,
});

const scheduled: Command<'server'> = { type: 'ServerScheduled', data: { host: 'rack-7', nodeId: metal.id } };
const spawning: Command<'server'> = { type: 'ReportBuildProgress', data: { taskState: 'spawning' } };

type Event = Extract<Command<'node'>, { type: 'ReportProvisionEvent' }>['data'];
const reports = (event: Event['event'], more: Partial<Event> = {}): Command<'node'> => ({
  type: 'ReportProvisionEvent',
  data: { event, ...more },
});

/** One machine, which somebody has who can do without. */
const before: readonly Line[] = [
  says({ by: operator }, metal, {
    type: 'EnrollNode',
    data: { name: 'rack-7-u13', driver: 'ipmi', conductor, provisionState: 'available' },
  }),
  says({ by: neutron }, network, {
    type: 'CreateNetwork',
    data: { name: 'back', segments: [{ networkType: 'vxlan', segmentationId: 4712 }] },
  }),
  says({ by: batch }, victim, {
    type: 'CreateServer',
    data: { name: 'batch-17', flavorRef: 'bm.large', metadata: { preemptible: 'true' } },
  }),
  says({ by: scheduler }, victim, scheduled),
  says({ by: compute }, victim, spawning),
  says({ by: conductor, afterMs: minutes(6) }, metal, reports('done', { powerState: 'power on' })),
];

/** No host has room for alice's server. */
const noRoom: readonly Line[] = [
  asked({ by: alice, afterMs: minutes(90) }, nic, {
    type: 'CreatePort',
    data: { networkId: network.id, deviceId: server.id, deviceOwner: 'compute:nova' },
  }),
  asked({ by: alice }, server, {
    type: 'CreateServer',
    data: { name: 'db-1', flavorRef: 'bm.large', ports: [nic.id] },
  }),
  asked({ by: scheduler, afterMs: seconds(2) }, server, {
    type: 'ReportBuildFailure',
    data: { reason: 'NoValidHost', message: 'No valid host was found. There are not enough hosts available.' },
  }),
];

/** The machine of the server that the reaper has sent away is torn down. */
const tornDown: readonly Line[] = [says({ by: conductor, afterMs: seconds(40) }, metal, reports('clean'))];

/** It is cleaned and given to alice's server. While it is deployed, the agent that should wire its port dies. */
const deployed: readonly Line[] = [
  says({ by: conductor, afterMs: seconds(20) }, metal, reports('wait')),
  says({ by: ramdisk, afterMs: seconds(160) }, metal, reports('resume')),
  says({ by: conductor, afterMs: seconds(50) }, metal, reports('done', { powerState: 'power off' })),
  says({ by: ovsAgent }, deadAgent, { type: 'RegisterAgent', data: { configurations: { tunnel_types: ['vxlan'] } } }),
  asked({ by: scheduler, afterMs: seconds(2) }, server, scheduled),
  asked({ by: compute, afterMs: seconds(3) }, server, spawning),
  asked({ by: conductor, afterMs: seconds(20) }, metal, reports('wait')),
  asked({ by: ramdisk, afterMs: seconds(150) }, metal, reports('resume')),
  asked({ by: conductor, afterMs: seconds(90) }, metal, reports('done', { powerState: 'power on' })),
];

/** Somebody starts the agent again, and it wires what it finds. */
const revived: readonly Line[] = [
  says({ by: ovsAgent, afterMs: minutes(7) }, deadAgent, { type: 'Heartbeat', data: {} }),
  asked({ by: ovsAgent }, nic, { type: 'RequestDeviceDetails', data: { host: 'rack-7' } }),
  asked({ by: ovsAgent }, nic, { type: 'ReportDeviceUp', data: { host: 'rack-7' } }),
];

export interface ChainPlayed {
  readonly faults: readonly string[];
  /** What the reaper said. */
  readonly reaper: readonly string[];
}

/** @param expect says what of a resource is not as it should be at that moment */
export async function playChain(
  stage: Stage,
  expect: (resource: ResourceRef, expected: object) => Promise<string[]>,
): Promise<ChainPlayed> {
  const faults: string[] = [];
  const play = async (lines: readonly Line[]) => {
    faults.push(...(await playScene(stage, lines)).faults);
    await stage.pass(seconds(1)); // what follows from the last line follows
  };
  const check = async (resource: ResourceRef, expected: object) => faults.push(...(await expect(resource, expected)));

  await play([...before, ...noRoom]);
  await check(server, { status: 'PENDING', host: null });
  const said = await helped(stage, () => play(tornDown));
  await play(deployed);
  await check(metal, { provisionState: 'active', instanceId: server.id });
  await check(server, { status: 'BUILD', taskState: 'spawning' });
  await check(deadAgent, { alive: false });
  await stage.pass(minutes(1));
  await check(server, { status: 'ACTIVE', taskState: null });
  await check(nic, { status: 'DOWN' });
  await play(revived);
  await check(nic, { status: 'ACTIVE', blocks: [] });
  await check(server, { status: 'ACTIVE', host: 'rack-7', nodeId: metal.id });
  return { faults, reaper: said };
}

/** The reaper does its work, in its own time; the conductor does its part when it is asked to. */
async function helped(stage: Stage, tearDown: () => Promise<unknown>): Promise<string[]> {
  const example = new ExampleReaper({
    ...stage.accessOf(reaper),
    holder: reaper,
    stateFile: stage.fileFor('reaper.json'),
  });
  const goesOn = () => example.isRunning;
  try {
    await stage.until(metal, ({ provisionState }) => provisionState === 'deleting', goesOn);
    await tearDown();
    await stage.until(server, ({ vmState }) => vmState === 'building', goesOn);
  } catch (error) {
    throw new Error(`The example reaper did not help: ${example.said.join(' ')}`, { cause: error });
  } finally {
    await example.stop();
  }
  return example.said;
}
