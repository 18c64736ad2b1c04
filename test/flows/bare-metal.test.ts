import { describe, expect, test } from 'vitest';
import { nthId } from '../support/ledger.ts';
import { availableNode, conductor, node, openSite, port, report, type Site, server } from './site.ts';

const spawning = { taskState: 'spawning', waitFor: [] };

async function deploying(site: Site) {
  await availableNode(site);
  await site.tell('server', server, 'CreateServer', { name: 'bm-1' }, { correlationId: 'boot-1' });
  await site.tell('server', server, 'ServerScheduled', { host: 'ironic-1', nodeId: node }, { correlationId: 'boot-1' });
  await site.tell('server', server, 'ReportBuildProgress', spawning, { correlationId: 'boot-1' });
}

/** Its node is deployed; its port waits for a switch. */
async function deployedButForItsPort(site: Site) {
  await availableNode(site);
  await site.tell('port', port, 'CreatePort', { deviceId: server, deviceOwner: 'compute:nova' });
  await site.tell('server', server, 'CreateServer', { ports: [port] });
  await site.tell('server', server, 'ServerScheduled', { host: 'ironic-1', nodeId: node });
  await site.tell('port', port, 'AddProvisioningComponent', { entity: 'switch' });
  await site.tell('server', server, 'ReportBuildProgress', { taskState: 'spawning' });
  await report(site, 'done');
}

describe('a server on a bare-metal node', () => {
  test('claims its node when it is scheduled, deploys it when it spawns, and is ACTIVE when the node is', async () => {
    const site = await openSite();
    await availableNode(site);
    await site.tell('server', server, 'CreateServer');
    await site.tell('server', server, 'ServerScheduled', { host: 'ironic-1', nodeId: node });
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'available', instanceId: server });

    await site.tell('server', server, 'ReportBuildProgress', spawning);
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'deploying' });
    await report(site, 'wait');
    await report(site, 'resume');
    await report(site, 'done');
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'active' });
    expect(await site.stateOf('server', server)).toMatchObject({ status: 'ACTIVE', nodeId: node, powerState: 1 });
    expect(site.refused).toEqual([]);
  });

  test('carries one correlation id from the request to the last event of the node', async () => {
    const site = await openSite();
    await deploying(site);
    const caused = (await site.streamOf('node', node)).filter((event) => event.metadata.commandType !== 'EnrollNode');
    expect(caused.length).toBeGreaterThan(0);
    for (const event of caused) expect(event.metadata.$correlationId).toBe('boot-1');
  });

  test('carries it through a deadline, to what follows from that', async () => {
    const site = await openSite({ maxAttempts: 1 });
    await deploying(site);
    await site.tell(
      'node',
      node,
      'ReportProvisionEvent',
      { event: 'wait', holder: conductor },
      { correlationId: 'boot-1' },
    );
    await site.clock.advance(31 * 60_000);
    await site.runner.idle();
    expect(await site.stateOf('server', server)).toMatchObject({ status: 'ERROR' });
    const events = [...(await site.streamOf('node', node)), ...(await site.streamOf('server', server))];
    const others = events.filter(
      ({ type, metadata }) => type !== 'NodeEnrolled' && metadata.$correlationId !== 'boot-1',
    );
    expect(others).toEqual([]);
  });

  test('tries elsewhere with the first cause when its node cannot be deployed, and leaves it to be cleaned', async () => {
    const site = await openSite();
    await deploying(site);
    await report(site, 'fail', { error: 'no space left on the conductor' });
    expect(await site.stateOf('server', server)).toMatchObject({
      status: 'BUILD',
      taskState: 'scheduling',
      attempts: [{ host: 'ironic-1', outcome: 'failed', reason: 'InstanceDeployFailure' }],
      faults: [{ message: 'no space left on the conductor' }],
    });
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'deleting' });
  });

  test('fails at once when its node was given to somebody else', async () => {
    const site = await openSite({ maxAttempts: 1 });
    await availableNode(site);
    await site.tell('node', node, 'UpdateNode', { instanceId: nthId(99) });
    await site.tell('server', server, 'CreateServer');
    await site.tell('server', server, 'ServerScheduled', { host: 'ironic-1', nodeId: node });
    expect(await site.stateOf('server', server)).toMatchObject({
      status: 'ERROR',
      fault: { kind: 'NodeUnavailable' },
    });
    expect(await site.stateOf('node', node)).toMatchObject({ instanceId: nthId(99) });
  });

  test('waits for a node that is locked for a moment', async () => {
    const site = await openSite();
    await availableNode(site);
    await site.tell('server', server, 'CreateServer');
    await site.tell('node', node, 'ReserveNode', { holder: 'power-sync', purpose: 'power sync' });
    await site.tell('server', server, 'ServerScheduled', { host: 'ironic-1', nodeId: node });
    expect(await site.stateOf('node', node)).toMatchObject({ instanceId: null });
    await site.tell('node', node, 'ReleaseNode', { holder: 'power-sync' });
    await site.clock.advance(10_000);
    await site.runner.idle();
    expect(await site.stateOf('node', node)).toMatchObject({ instanceId: server });
    expect(site.refused).toEqual([]);
  });

  test('is rebuilt, rescued and switched through its node', async () => {
    const site = await openSite();
    await deploying(site);
    await report(site, 'done');
    const ends: [action: string, data: object, nodeState: string, then: () => Promise<unknown>, status: string][] = [
      ['RebuildServer', {}, 'deploying', () => report(site, 'done'), 'ACTIVE'],
      ['RescueServer', {}, 'rescuing', () => report(site, 'done'), 'RESCUE'],
      ['UnrescueServer', {}, 'unrescuing', () => report(site, 'done'), 'ACTIVE'],
    ];
    for (const [action, data, nodeState, finish, status] of ends) {
      await site.tell('server', server, action, data);
      expect(await site.stateOf('node', node)).toMatchObject({ provisionState: nodeState });
      await finish();
      expect(await site.stateOf('server', server)).toMatchObject({ status, taskState: null });
    }
    expect(site.refused).toEqual([]);
  });

  test('is not ACTIVE before its port is, and fails for what the port failed for (C086)', async () => {
    const site = await openSite();
    await deployedButForItsPort(site);
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'active' });
    expect(await site.stateOf('server', server)).toMatchObject({
      status: 'BUILD',
      waits: [{ event: 'network-vif-plugged', tag: port, deadline: expect.any(String) }],
    });

    await site.tell('port', port, 'SetPortStatus', { status: 'ERROR', reason: 'the switch refused' });
    expect(await site.stateOf('server', server)).toMatchObject({
      status: 'ERROR',
      fault: { kind: 'BuildAbortException', details: `network-vif-plugged of ${port}: failed.` },
    });
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'deleting' });
  });

  test('that left while its node was locked for long gives it back when the lock goes', async () => {
    const site = await openSite({ maxAttempts: 1 });
    await deployedButForItsPort(site);
    await site.tell('node', node, 'ReserveNode', { holder: 'console', purpose: 'console' });
    await site.tell('server', server, 'ReportBuildFailure', { reason: 'BuildAbortException', host: 'ironic-1' });
    await site.clock.advance(5 * 60_000);
    await site.runner.idle();
    expect(await site.stateOf('server', server)).toMatchObject({ status: 'ERROR', host: null });
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'active', instanceId: server });

    await site.tell('node', node, 'ReleaseNode', { holder: 'console' });
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'deleting' });
  });

  test('that left while its claimed node was being cleaned lets it go, also where the cleaning fails', async () => {
    const site = await openSite({ maxAttempts: 1 });
    await availableNode(site);
    await site.tell('server', server, 'CreateServer');
    await site.tell('server', server, 'ServerScheduled', { host: 'ironic-1', nodeId: node });
    for (const target of ['manage', 'provide']) await site.tell('node', node, 'SetProvisionState', { target });
    await site.tell('server', server, 'ReportBuildFailure', { reason: 'BuildAbortException', host: 'ironic-1' });
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'cleaning', instanceId: server });

    await report(site, 'fail', { error: 'the disk is broken' });
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'clean failed', instanceId: null });
  });

  test('is gone when its node is torn down; cleaning is the node’s own affair (C015)', async () => {
    const site = await openSite();
    await deploying(site);
    await report(site, 'done');
    await site.tell('server', server, 'DeleteServer');
    expect(await site.stateOf('server', server)).toMatchObject({ taskState: 'deleting' });
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'deleting', instanceId: server });
    await report(site, 'clean');
    expect(await site.stateOf('node', node)).toMatchObject({ provisionState: 'cleaning', instanceId: null });
    expect(await site.stateOf('server', server)).toHaveProperty('deletedAt');
    expect(site.refused).toEqual([]);
  });

  test('is gone at once when its node went before it', async () => {
    const site = await openSite();
    await deploying(site);
    await report(site, 'done');
    await site.tell('node', node, 'SetMaintenance', { reason: 'burnt down' });
    await site.tell('node', node, 'DeleteNode');
    await site.tell('server', server, 'DeleteServer');
    expect(await site.stateOf('server', server)).toHaveProperty('deletedAt');
  });
});

describe('the ports of a server', () => {
  const ovn = { settings: {} };
  const boundTo = async (site: Site, id = port) => ((await site.stateOf('port', id)).binding as { host: string }).host;

  test('follow it from the host where it failed to the next, and are free when it is deleted (C048)', async () => {
    const site = await openSite(ovn);
    const own = nthId(5);
    for (const id of [port, own]) {
      await site.tell('port', id, 'CreatePort', { deviceId: server, deviceOwner: 'compute:nova' });
    }
    await site.tell('server', server, 'CreateServer', { ports: [port] });
    await site.tell('server', server, 'ServerScheduled', { host: 'h-1', alternates: ['h-2'] });
    await site.tell('server', server, 'ReportBuildProgress', { taskState: 'networking', ports: [own] });
    expect([await boundTo(site), await boundTo(site, own)]).toEqual(['h-1', 'h-1']);

    await site.tell('server', server, 'ReportBuildFailure', { reason: 'LibvirtError', host: 'h-1' });
    await site.tell('server', server, 'ServerScheduled', { host: 'h-2', alternates: [] });
    expect([await boundTo(site), await boundTo(site, own)]).toEqual(['h-2', 'h-2']);

    await site.tell('server', server, 'ReportBuildFailure', { reason: 'LibvirtError', host: 'h-2' });
    expect(await site.stateOf('server', server)).toMatchObject({ status: 'ERROR', host: null });
    await site.tell('server', server, 'DeleteServer');
    expect(await site.stateOf('port', own)).toHaveProperty('deletedAt');
    expect(await site.stateOf('port', port)).toMatchObject({ deviceId: '', deviceOwner: '' });
    expect(await boundTo(site)).toBeFalsy();
    expect(site.refused).toEqual([]);
  });

  test('tell it that they are plugged, which it may be waiting for', async () => {
    const site = await openSite(ovn);
    await site.tell('port', port, 'CreatePort', { deviceId: server, deviceOwner: 'compute:nova' });
    await site.tell('server', server, 'CreateServer', { ports: [port] });
    await site.tell('server', server, 'ServerScheduled', { host: 'h-1' });
    await site.tell('port', port, 'AddProvisioningComponent', { entity: 'storage' });
    await site.tell('server', server, 'ReportBuildProgress', { taskState: 'spawning' });
    await site.tell('server', server, 'ReportBuildSuccess');
    expect(await site.stateOf('server', server)).toMatchObject({ status: 'BUILD', waits: [{ tag: port }] });

    await site.tell('port', port, 'ProvisioningComplete', { entity: 'storage' });
    await site.tell('port', port, 'ReportDeviceUp', { host: 'h-1' });
    expect(await site.stateOf('port', port)).toMatchObject({ status: 'ACTIVE' });
    expect(await site.stateOf('server', server)).toMatchObject({ status: 'ACTIVE' });
  });
});
