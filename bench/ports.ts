/** What a port costs from its creation to ACTIVE, beside Neutron's own module, and what a binding costs among many agents. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aggregates } from '../src/domain/aggregates.ts';
import type { Kind } from '../src/domain/kernel/resource.ts';
import { SystemClock } from '../src/runtime/clock.ts';
import { Runtime } from '../src/runtime/runtime.ts';
import { openStore } from '../src/store/open-store.ts';
import { type Line, median, rate } from './support/measure.ts';
import { portId } from './support/sample-ledger.ts';

const rounds = 5;
const actor = { type: 'user', id: 'bench' } as const;
const networkId = portId(0xffff_ffff);
const subnetId = portId(0xffff_fffe);
const bridges = { bridge_mappings: { physnet1: 'br-ex' }, tunnel_types: [] };
const hostName = (n: number): string => `compute-${n}`;

/**
 * Neutron 26.0.3 on MariaDB on a machine like the one these figures are from (2 cores of an AMD EPYC): its provisioning
 * blocks alone, added and completed, without the port's row, its binding and its status, which are part of the work here.
 */
const neutron = {
  onePort: { what: 'Neutron, 2 blocks a port, 1 process', value: 51 },
  manyPorts: { what: 'Neutron, half its pairs, 2 processes', value: 221 / 2 },
};

/** A site on a file of its own: one network with DHCP, and so many hosts with an agent each. */
async function openSite(folder: string, hosts: number) {
  const store = await openStore(`sqlite:${join(folder, `${hosts}.db`)}`);
  const runtime = new Runtime({ store, aggregates, clock: new SystemClock() });
  const give = async (kind: Kind, id: string, type: string, data: object = {}): Promise<void> => {
    const parsed = aggregates[kind].commands[type]!.parse(data) as object;
    const outcome = await runtime.execute({ resource: { kind, id }, type, data: parsed, actor });
    if (outcome.outcome === 'refused') throw outcome.refusal;
  };
  const segment = { networkType: 'vlan', physicalNetwork: 'physnet1', segmentationId: 10 };
  await give('agent', 'network-1:DHCP agent', 'RegisterAgent');
  await give('network', networkId, 'CreateNetwork', { segments: [segment] });
  await give('network', networkId, 'AddSubnet', { id: subnetId, cidr: '10.0.0.0/16', enableDhcp: true });
  await give('network', networkId, 'ScheduleDhcpAgent', { host: 'network-1' });
  await inTurns(hosts, 256, (n) =>
    give('agent', `${hostName(n)}:Open vSwitch agent`, 'RegisterAgent', { configurations: bridges }),
  );

  let created = 0;
  /** The next port, bound to one of the hosts. */
  const createPort = async (): Promise<{ id: string; host: string }> => {
    const n = created++;
    const [id, host] = [portId(n), hostName((n * 7919) % hosts)];
    const fixedIps = [{ subnetId, ipAddress: `10.0.${(n >> 8) & 255}.${n & 255}` }];
    await give('port', id, 'CreatePort', {
      networkId,
      host,
      fixedIps,
      deviceOwner: 'compute:nova',
      deviceId: portId(1),
    });
    return { id, host };
  };
  const provisionPort = async (): Promise<void> => {
    const { id, host } = await createPort();
    await give('port', id, 'ReportDhcpReady');
    await give('port', id, 'ReportDeviceUp', { host });
    if (!(await runtime.current({ kind: 'port', id }))!.stateText.includes('"status":"ACTIVE"'))
      throw new Error(`${id} is not ACTIVE`);
  };
  const close = async (): Promise<void> => {
    runtime.close();
    await store.close();
  };
  return { createPort, provisionPort, close };
}

/** Does something `count` times, `inFlight` at a time. */
async function inTurns(count: number, inFlight: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

export async function portLines(): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-bench-'));
  try {
    return [...(await provisioningLines(folder)), ...(await bindingLines(folder))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function provisioningLines(folder: string): Promise<Line[]> {
  const site = await openSite(folder, 100);
  const portsASecond = async (count: number, inFlight: number): Promise<number> => {
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++)
      rates.push(await rate(count, () => inTurns(count, inFlight, site.provisionPort)));
    return median(rates);
  };
  const what = 'ports created, bound, reported by both agents';
  const lines: Line[] = [
    { what: `${what}, 1 at a time`, unit: 'ports/s', ours: await portsASecond(200, 1), baseline: neutron.onePort },
    { what: `${what}, 64 at a time`, unit: 'ports/s', ours: await portsASecond(2000, 64), baseline: neutron.manyPorts },
  ];
  await site.close();
  return lines;
}

/** In turns, on a site of each size where every host has a port already. */
async function bindingLines(folder: string): Promise<Line[]> {
  const sizes = [10, 1_000, 10_000];
  const sites = new Map<number, Awaited<ReturnType<typeof openSite>>>();
  for (const hosts of sizes) {
    const site = await openSite(folder, hosts);
    await inTurns(hosts, 256, site.createPort);
    sites.set(hosts, site);
  }
  const costs = new Map(sizes.map((hosts) => [hosts, [] as number[]]));
  const binds = 1_000;
  for (let round = 0; round < rounds; round++) {
    for (const hosts of round % 2 ? sizes : sizes.toReversed()) {
      const perSecond = await rate(binds, () => inTurns(binds, 64, sites.get(hosts)!.createPort));
      costs.get(hosts)!.push(1_000_000 / perSecond);
    }
  }
  for (const site of sites.values()) await site.close();

  const [few, ...more] = sizes.map((hosts) => median(costs.get(hosts)!));
  return more.map((ours, index) => ({
    what: `a port created and bound, ${sizes[index + 1]!.toLocaleString('en')} agents known`,
    unit: 'µs',
    ours,
    baseline: { what: 'with 10 agents known', value: few! },
    atMost: 1.2,
  }));
}
