import { describe, expect, test } from 'vitest';
import { sharedLedger } from '../../api/support.ts';
import { chain, named, type Story, storyOn, tunnels, unmet, words } from './site.ts';

const ledger = sharedLedger(['--use-pending-state', '--max-attempts', '1']);
const story = (): Story => storyOn(ledger());

describe('situations that were reported of real sites, explained', () => {
  test('C001: bound to host-a, waiting for L2 there, while DHCP is done', async () => {
    const it = story();
    await it.register(it.agent('a'), tunnels);
    await it.register(it.agent('d', 'DHCP agent'));
    const net = await it.network(0x10, ['d']);
    await it.tell('port', it.id(1), 'CreatePort', { ...net, deviceOwner: 'compute:nova', deviceId: it.id(2) });
    const done = await it.tell('port', it.id(1), 'ReportDhcpReady');
    const bound = await it.tell('port', it.id(1), 'BindPort', { host: it.host('a') });
    const why = await it.why('port', it.id(1));
    expect(why).toMatchObject({ verdict: 'waiting', status: 'DOWN' });
    expect(unmet(why)).toHaveLength(1);
    expect(unmet(why)[0]).toMatchObject({
      what: 'l2-report',
      owner: { kind: 'agent', id: it.agent('a'), host: it.host('a'), alive: true },
      clearable: { by: 'owner' },
      proof: [
        {
          type: 'ProvisioningComponentAdded',
          revision: revisionOf(bound, 'ProvisioningComponentAdded'),
          stream: `port-${it.id(1)}`,
        },
      ],
    });
    expect(named(why, 'dhcp-report')).toMatchObject({ met: true, proof: [{ revision: done.events[0].revision }] });
    expect(named(why, 'binding')).toMatchObject({ met: true });
    await it.tell('port', it.id(1), 'ReportDeviceUp', { host: it.host('a') });
    expect(await it.why('port', it.id(1))).toMatchObject({ verdict: 'fine', status: 'ACTIVE', causes: [] });
    // The same moment is told the same way afterwards.
    const then = await it.why('port', it.id(1), `&at=${bound.revision}`);
    expect(unmet(then).map(({ what }) => what)).toEqual(['l2-report']);
  });

  test('C005: a server does not say that it waits for an event that has come', async () => {
    const it = story();
    const [server, port] = [it.id(1), it.id(2)];
    await runningServer(it, server, { ports: [port] });
    await it.tell('server', server, 'ResizeServer', { flavorRef: 'm1.large' });
    await it.tell('server', server, 'ReceiveExternalEvent', { name: 'network-vif-plugged', tag: port });
    const waits = [{ event: 'network-vif-plugged', tag: port }];
    const report = { action: 'ResizeServer', taskState: 'resize_prep', worker: 'w' };
    await it.tell('server', server, 'ReportActionProgress', { ...report, waitFor: waits });
    const why = await it.why('server', server);
    expect(named(why, 'network-vif-plugged')).toMatchObject({ met: true });
    expect(chain(why)).toEqual(['action']);
  });

  test('C015: a node that is cleaned tells who holds its lock, and of no server any more', async () => {
    const it = story();
    const [server, node] = [it.id(1), it.id(2)];
    await deploying(it, server, node);
    await it.tell('node', node, 'ReportProvisionEvent', { event: 'done', holder: 'conductor-1' });
    await it.tell('server', server, 'DeleteServer');
    expect(chain(await it.why('server', server))).toEqual(['worker', 'worker']);
    await it.tell('node', node, 'ReportProvisionEvent', { event: 'clean', holder: 'conductor-1' });
    const why = await it.why('node', node);
    expect(why).toMatchObject({ status: 'cleaning', verdict: 'waiting', waitedForBy: [] });
    expect(unmet(why)[0]).toMatchObject({ what: 'worker', owner: { id: 'conductor-1' }, since: why.since });
    expect(words(why)).not.toContain(server);
    expect(await it.why('server', server)).toMatchObject({ verdict: 'gone', conditions: [], hints: [] });
  });

  test('C016: a failed binding names the dead agent and the retry, or the mapping, and never the wrong one', async () => {
    const it = story();
    const [p1, p2] = [it.id(1), it.id(2)];
    const agent = it.agent('a');
    await it.register(agent, tunnels);
    const net = await it.network(0x10);
    const vlan = it.id(0x30);
    const segments = [{ networkType: 'vlan', physicalNetwork: 'physnet9', segmentationId: 9 }];
    await it.tell('network', vlan, 'CreateNetwork', { segments });
    await it.tell('port', p2, 'CreatePort', { networkId: vlan, deviceOwner: 'compute:nova', host: it.host('a') });
    const silence = (await it.ask(`/v1/agents/${encodeURIComponent(agent)}/why`)).conditions[0].owner.lastSeenAt;
    await it.kill(agent);
    await it.tell('port', p1, 'CreatePort', { ...net, deviceOwner: 'compute:nova', host: it.host('a') });

    const before = await it.why('port', p1);
    expect(chain(before)).toEqual(['binding', 'heartbeat']);
    expect(unmet(before)[0]).toMatchObject({
      owner: { id: agent, alive: false },
      clearable: { by: 'nobody', how: expect.stringContaining('tried again by itself') },
    });
    expect(unmet(before)[0]!.owner!.lastSeenAt! >= silence).toBe(true);
    expect(before.causes).toMatchObject([{ resource: { kind: 'agent', id: agent }, what: 'heartbeat' }]);
    const mapping = await it.why('port', p2);
    expect(chain(mapping)).toEqual(['binding']);
    expect(unmet(mapping)[0]!.summary).toContain('physnet9');
    expect(unmet(mapping)[0]!.summary).not.toContain('dead');

    await it.tell('agent', agent, 'Heartbeat');
    expect(named(await it.why('port', p1), 'binding')).toMatchObject({ met: true });
    const still = await it.why('port', p2);
    expect(unmet(still)[0]!.summary).toContain('physnet9');
    expect(unmet(still)[0]!.summary).not.toContain('dead');
  });

  test('C023: nobody waits for a DHCP agent that there is not; a dead one is named', async () => {
    const it = story();
    await it.register(it.agent('a'), tunnels);
    await it.register(it.agent('d', 'DHCP agent'));
    const without = await it.network(0x10);
    const dead = await it.network(0x20, ['d']);
    await it.kill(it.agent('d', 'DHCP agent'));
    for (const [port, net] of [
      [it.id(1), without],
      [it.id(3), dead],
    ] as const) {
      await it.tell('port', port, 'CreatePort', { ...net, deviceOwner: 'compute:nova', host: it.host('a') });
      await it.tell('port', port, 'ReportDeviceUp', { host: it.host('a') });
    }
    const p1 = await it.why('port', it.id(1));
    expect(p1).toMatchObject({ verdict: 'fine', status: 'ACTIVE' });
    expect(named(p1, 'dhcp-report')).toMatchObject({ met: true, summary: expect.stringContaining('no DHCP agent') });
    const p3 = await it.why('port', it.id(3));
    expect(p3).toMatchObject({ verdict: 'stuck' });
    expect(unmet(p3)[0]).toMatchObject({
      what: 'dhcp-report',
      owner: { id: it.agent('d', 'DHCP agent'), alive: false },
      clearable: { by: 'nobody' },
    });
  });

  test('C030: a failed action does not make a server that runs a broken one', async () => {
    const it = story();
    await runningServer(it, it.id(1));
    await it.tell('server', it.id(1), 'LiveMigrateServer', {});
    const failure = { action: 'LiveMigrateServer', reason: 'MigrationPreCheckError', outcome: 'as-before' };
    await it.tell('server', it.id(1), 'ReportActionFailure', failure);
    const why = await it.why('server', it.id(1));
    expect(why).toMatchObject({ verdict: 'fine', status: 'ACTIVE' });
    expect(why.hints).toMatchObject([
      { what: 'last-action-failed', summary: expect.stringContaining('MigrationPreCheckError') },
    ]);
  });

  test('C033: a port that waits for DHCP names the agent, that it lives, and since when', async () => {
    const it = story();
    const agent = it.agent('d', 'DHCP agent');
    await it.register(agent);
    const net = await it.network(0x10, ['d']);
    await it.kill(agent);
    await it.tell('agent', agent, 'Heartbeat');
    const { since } = await it.ask(`/v1/agents/${encodeURIComponent(agent)}`);
    await it.tell('port', it.id(1), 'CreatePort', { ...net, deviceOwner: 'compute:nova' });
    const block = named(await it.why('port', it.id(1)), 'dhcp-report')!;
    expect(block).toMatchObject({ met: false, owner: { id: agent, alive: true }, clearable: { by: 'owner' } });
    expect(block.summary).toContain(since);
  });

  test('C045: still queued and lost are two things', async () => {
    const it = story();
    const [s1, s2] = [it.id(1), it.id(2)];
    for (const server of [s1, s2]) {
      await runningServer(it, server);
      await it.tell('server', server, 'DeleteServer');
    }
    const progress = { action: 'DeleteServer', worker: 'w-1' };
    const taken = await it.tell('server', s1, 'ReportActionProgress', progress);
    expect(unmet(await it.why('server', s1))[0]).toMatchObject({
      what: 'action',
      owner: { kind: 'worker', id: 'w-1', lastSeenAt: taken.events[0].time },
      clearable: { command: { body: { type: 'ForceDeleteServer' } } },
    });
    const queued = unmet(await it.why('server', s2))[0]!;
    expect(queued).toMatchObject({ what: 'worker', summary: expect.stringContaining('not started') });
  });

  test('C071: a router’s port never mentions DHCP', async () => {
    const it = story();
    await it.register(it.agent('a'), tunnels);
    await it.register(it.agent('d', 'DHCP agent'));
    const net = await it.network(0x10, ['d']);
    const router = { ...net, deviceOwner: 'network:router_interface', host: it.host('a') };
    await it.tell('port', it.id(1), 'CreatePort', router);
    expect(words(await it.why('port', it.id(1)))).not.toMatch(/DHCP/);
    await it.tell('port', it.id(1), 'ReportDeviceUp', { host: it.host('a') });
    const why = await it.why('port', it.id(1));
    expect(why).toMatchObject({ verdict: 'fine' });
    expect(words(why)).not.toMatch(/DHCP/);
  });

  test('C076: a reboot waits for what can come, and says for nothing else', async () => {
    const it = story();
    await runningServer(it, it.id(1), { ports: [it.id(2), it.id(3)] });
    await it.tell('server', it.id(1), 'RebootServer', { type: 'HARD' });
    const waitFor = [{ event: 'network-vif-plugged', tag: it.id(2) }];
    const report = { action: 'HardRebootServer', taskState: 'reboot_pending_hard', worker: 'w', waitFor };
    await it.tell('server', it.id(1), 'ReportActionProgress', report);
    const waits = (await it.why('server', it.id(1))).conditions.filter(({ what }) => what === 'network-vif-plugged');
    expect(waits).toHaveLength(1);
    expect(waits[0]!.summary).toContain(it.id(2));
  });

  test('C080: a hand-over that met a lock says so, and how often it met one', async () => {
    const it = story();
    const [server, node] = [it.id(1), it.id(2)];
    await deploying(it, server, node);
    await it.tell('node', node, 'ReportProvisionEvent', { event: 'wait', holder: 'conductor-1' });
    await it.tell('node', node, 'ReserveNode', { holder: 'console', purpose: 'console' });
    const put = await it.tell('node', node, 'ReportProvisionEvent', { event: 'resume', holder: 'conductor-1' });
    const pending = named(await it.why('node', node), 'continuation')!;
    expect(pending).toMatchObject({ met: false, since: put.events[0].time, owner: { id: 'console' } });
    expect(pending.summary).toMatch(/locked 1 time, for console/);
  });

  test('C086: a node and the port it deploys with point at each other', async () => {
    const it = story();
    const [server, node, port] = [it.id(1), it.id(2), it.id(3)];
    await deploying(it, server, node);
    await it.register(it.agent('a'), tunnels);
    const net = await it.network(0x10);
    const owner = { deviceOwner: 'baremetal:none', deviceId: node, host: it.host('a') };
    await it.tell('port', port, 'CreatePort', { ...net, ...owner });
    const [ofNode, ofPort] = [await it.why('node', node), await it.why('port', port)];
    expect(unmet(ofNode)[0]!.because).toMatchObject([{ resource: { kind: 'port', id: port }, verdict: 'waiting' }]);
    expect(ofPort.waitedForBy).toMatchObject([{ resource: { kind: 'node', id: node } }]);
    expect(ofNode.waitedForBy).toMatchObject([{ resource: { kind: 'server', id: server }, what: 'build' }]);
  });
});

/** A server that was built on a host, and runs. */
async function runningServer(it: Story, server: string, attributes: { ports?: string[] } = {}): Promise<void> {
  await it.tell('server', server, 'CreateServer', { name: 'web', ...attributes });
  await it.tell('server', server, 'ServerScheduled', { host: it.host('a') });
  await it.tell('server', server, 'ReportBuildSuccess', {});
  for (const tag of attributes.ports ?? []) {
    await it.tell('server', server, 'ReceiveExternalEvent', { name: 'network-vif-plugged', tag });
  }
}

/** A server whose node is being deployed. */
async function deploying(it: Story, server: string, node: string): Promise<void> {
  await it.tell('node', node, 'EnrollNode', { provisionState: 'available', conductor: 'conductor-1' });
  await it.tell('server', server, 'CreateServer', { name: 'metal' });
  await it.tell('server', server, 'ServerScheduled', { host: it.host('ironic'), nodeId: node });
  await it.tell('server', server, 'ReportBuildProgress', { taskState: 'spawning' });
}

const revisionOf = ({ events }: { events: { type: string; revision: number }[] }, type: string): number =>
  events.find((event) => event.type === type)!.revision;

describe('a server that failed', () => {
  test('leads to the port that was never wired, and to the agent below it', async () => {
    const it = story();
    const [server, port] = [it.id(1), it.id(2)];
    const agent = it.agent('a');
    await it.register(agent, tunnels);
    const net = await it.network(0x10);
    await it.tell('server', server, 'CreateServer', { name: 'web', ports: [port] });
    await it.tell('port', port, 'CreatePort', { ...net, deviceOwner: 'compute:nova', deviceId: server });
    await it.tell('server', server, 'ServerScheduled', { host: it.host('a') });
    await it.tell('server', server, 'ReportBuildProgress', { taskState: 'spawning' });
    await it.kill(agent);
    await it.pass(600);
    const why = await it.why('server', server);
    expect(why).toMatchObject({ status: 'ERROR', verdict: 'stuck' });
    expect(unmet(why)[0]!.because).toMatchObject([{ resource: { kind: 'port', id: port } }]);
    expect(unmet(why)[0]!.clearable!.how).toContain('DeleteServer');
  });

  test('leads to the node that could not be deployed', async () => {
    const it = story();
    const [server, node] = [it.id(1), it.id(2)];
    await deploying(it, server, node);
    const failure = { event: 'fail', holder: 'conductor-1', error: 'no space left on the conductor' };
    await it.tell('node', node, 'ReportProvisionEvent', failure);
    const why = await it.why('server', server);
    expect(why).toMatchObject({ status: 'ERROR', verdict: 'stuck' });
    expect(unmet(why)[0]!.summary).toContain('no space left on the conductor');
    expect(unmet(why)[0]!.because).toMatchObject([{ resource: { kind: 'node', id: node } }]);
  });
});
