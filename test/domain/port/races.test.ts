import { describe, expect, test } from 'vitest';
import { done, nthId, slugOf, typesOf } from '../../support/ledger.ts';
import { otherWorker } from './neutron/drivers.ts';
import { openUsualSite, serverPort } from './site.ts';

const port = nthId(1);

describe('two workers that bind a port at the same moment', () => {
  test('to the same host: the first result stands, and the second has nothing to do', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', serverPort);
    const rival = await site.rival([otherWorker]);
    site.interfering(port, async () => {
      await rival('port', port, 'BindPort', { host: 'host-a' });
      return false;
    });
    const second = done(await site.port(port, 'BindPort', { host: 'host-a' }));
    expect(second.events).toEqual([]);
    expect(second.state).toMatchObject({ binding: { driver: 'other', generation: 1 } });
    expect(site.racesLost()).toBe(1);
  });

  test('with another profile: both are bound, one after the other, and the later one is decided on what is there', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', serverPort);
    const rival = await site.rival();
    site.interfering(port, async () => {
      await rival('port', port, 'UpdatePort', { host: 'host-a', profile: { x: 1 } });
      return false;
    });
    const second = done(await site.port(port, 'BindPort', { host: 'host-b' }));
    expect(second.state).toMatchObject({
      binding: { host: 'host-b', profile: { x: 1 }, vifType: 'ovs', generation: 2 },
    });
  });

  test('and one that always loses is told so, and leaves nothing half done', async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', serverPort);
    const rival = await site.rival();
    let n = 0;
    site.interfering(port, async () => {
      await rival('port', port, 'UpdatePort', { profile: { n: n++ } });
      return true;
    });
    const outcome = await site.port(port, 'BindPort', { host: 'host-a' });
    expect(slugOf(outcome)).toBe('race-lost');
    const current = await (await site.rival())('port', port, 'UpdatePort', {});
    expect(done(current).state).toMatchObject({ binding: { host: null, vifType: 'unbound', profile: { n: 9 } } });
  });
});

describe('a binding that is activated twice at the same moment', () => {
  const migrating = async () => {
    const site = await openUsualSite();
    await site.tell('CreatePort', { ...serverPort, host: 'host-a' });
    await site.tell('ReportDeviceUp', { host: 'host-a' });
    await site.tell('AddBinding', { host: 'host-b' });
    return { site, rival: await site.rival() };
  };

  test('is activated once', async () => {
    const { site, rival } = await migrating();
    site.interfering(port, async () => {
      await rival('port', port, 'ActivateBinding', { host: 'host-b' });
      return false;
    });
    expect(typesOf(await site.port(port, 'ActivateBinding', { host: 'host-b' }))).toEqual([]);
    const state = await site.state();
    expect(state).toMatchObject({
      status: 'DOWN',
      binding: { host: 'host-b' },
      blocks: [{ entity: 'L2', host: 'host-b' }],
    });
    expect((await site.history()).filter(({ type }) => type === 'BindingActivated')).toHaveLength(1);
  });

  test('while the profile changes: both happen', async () => {
    const { site, rival } = await migrating();
    site.interfering(port, async () => {
      await rival('port', port, 'UpdatePort', { profile: { z: 1 } });
      return false;
    });
    const outcome = done(await site.port(port, 'ActivateBinding', { host: 'host-b' }));
    expect(outcome.state).toMatchObject({
      binding: { host: 'host-b', vifType: 'ovs' },
      otherBindings: [{ host: 'host-a', profile: { z: 1 } }],
    });
  });

  test('while the port is deleted: it stays deleted', async () => {
    const { site, rival } = await migrating();
    site.interfering(port, async () => {
      await rival('port', port, 'DeletePort');
      return false;
    });
    expect(slugOf(await site.port(port, 'ActivateBinding', { host: 'host-b' }))).toBe('port-deleted');
    expect((await site.history()).at(-1)!.type).toBe('PortDeleted');
  });
});
