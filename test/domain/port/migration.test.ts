import { describe, expect, test } from 'vitest';
import { isLeftOver } from '../../../src/domain/port/migration.ts';
import { openUsualSite, ovsOn, serverPort } from './site.ts';

/** A server's port that works on host-a. */
async function openMigratingSite() {
  const site = await openUsualSite({ hosts: ['host-a', 'host-b', 'host-c'] });
  await site.tell('CreatePort', { ...serverPort, host: 'host-a' });
  await site.tell('ReportDeviceUp', { host: 'host-a' });
  site.told.length = 0;
  return site;
}

describe('a live migration', () => {
  test('prepares the destination, hands over to it, and leaves the source', async () => {
    const { tell, state, told } = await openMigratingSite();
    await tell('AddBinding', { host: 'host-b' });
    expect(await state()).toMatchObject({
      status: 'ACTIVE',
      binding: { host: 'host-a', generation: 1 },
      otherBindings: [{ host: 'host-b', vifType: 'ovs', generation: 2, device: 'unreported' }],
    });

    await tell('ReportDeviceUp', { host: 'host-b' });
    expect(await state()).toMatchObject({ status: 'ACTIVE', otherBindings: [{ device: 'up' }] });
    expect(told.map(({ data }) => data)).toMatchObject([
      { name: 'network-vif-plugged', host: 'host-b', generation: 2 },
    ]);

    expect(await tell('ActivateBinding', { host: 'host-b' })).toEqual([
      'BindingActivated',
      'PortStatusChanged',
      'ProvisioningComponentAdded',
    ]);
    expect(await state()).toMatchObject({
      status: 'DOWN',
      binding: { host: 'host-b', vifType: 'ovs', generation: 3 },
      blocks: [{ entity: 'L2', host: 'host-b' }],
      otherBindings: [{ host: 'host-a', vifType: 'unbound', segments: [] }],
    });

    await tell('RequestDeviceDetails', { host: 'host-b' });
    await tell('ReportDeviceUp', { host: 'host-b' });
    await tell('RemoveBinding', { host: 'host-a' });
    expect(await state()).toMatchObject({ status: 'ACTIVE', binding: { host: 'host-b' }, otherBindings: [] });
  });

  test('may go back: the source is bound again when its agent asks', async () => {
    const { tell, state } = await openMigratingSite();
    await tell('AddBinding', { host: 'host-b' });
    await tell('ActivateBinding', { host: 'host-b' });
    await tell('ActivateBinding', { host: 'host-a' });
    expect(await state()).toMatchObject({ status: 'DOWN', binding: { host: 'host-a', vifType: 'unbound' } });
    await tell('RequestDeviceDetails', { host: 'host-a' });
    await tell('ReportDeviceUp', { host: 'host-a' });
    expect(await state()).toMatchObject({ status: 'ACTIVE', binding: { host: 'host-a', vifType: 'ovs' } });
  });

  test('to a host that cannot take the port is refused, and nothing is stored', async () => {
    const { tell, refusal, state, killAgent } = await openMigratingSite();
    await killAgent(ovsOn('host-b'));
    expect(await refusal('AddBinding', { host: 'host-b' })).toBe('binding-failed');
    expect(await refusal('AddBinding', { host: 'nowhere' })).toBe('binding-failed');
    expect((await state()).otherBindings).toEqual([]);
    expect(await tell('AddBinding', { host: 'host-c' })).toEqual(['BindingAdded']);
  });

  test('is for ports of guests', async () => {
    const { tell, refusal } = await openUsualSite();
    await tell('CreatePort', { ...serverPort, deviceOwner: 'network:dhcp', host: 'host-a' });
    expect(await refusal('AddBinding', { host: 'host-b' })).toBe('bindings-not-supported');
  });
});

describe('the bindings of a port', () => {
  test('are one a host: the same again is done, another is refused', async () => {
    const { tell, refusal } = await openMigratingSite();
    await tell('AddBinding', { host: 'host-b' });
    expect(await tell('AddBinding', { host: 'host-b' })).toEqual([]);
    expect(await refusal('AddBinding', { host: 'host-b', profile: { a: 1 } })).toBe('binding-exists');
    expect(await refusal('AddBinding', { host: 'host-a' })).toBe('binding-exists');
    expect(await refusal('UpdatePort', { host: 'host-b' })).toBe('binding-exists');
  });

  test('are activated where there is one, once', async () => {
    const { tell, refusal } = await openMigratingSite();
    expect(await refusal('ActivateBinding', { host: 'host-b' })).toBe('binding-not-found');
    expect(await tell('ActivateBinding', { host: 'host-a' })).toEqual([]);
  });

  test('are removed when they are INACTIVE: a port is never left without an ACTIVE one', async () => {
    const { tell, refusal, state } = await openMigratingSite();
    await tell('AddBinding', { host: 'host-b' });
    expect(await refusal('RemoveBinding', { host: 'host-a' })).toBe('binding-active');
    expect(await tell('RemoveBinding', { host: 'host-b' })).toEqual(['BindingRemoved']);
    expect(await tell('RemoveBinding', { host: 'host-b' })).toEqual([]);
    expect(await state()).toMatchObject({ status: 'ACTIVE', otherBindings: [] });
  });

  test('that belong to a migration are left over when it has ended, and not before', async () => {
    const { tell, refusal, state } = await openMigratingSite();
    await tell('AddBinding', { host: 'host-b', migration: 'm-1' });
    await tell('AddBinding', { host: 'host-c', migration: 'm-2' });
    expect((await state()).otherBindings.map(isLeftOver)).toEqual([false, false]);
    expect(await refusal('RemoveBinding', { host: 'host-b' })).toBe('binding-in-use');
    expect(await refusal('AddBinding', { host: 'host-b', migration: 'm-3' })).toBe('binding-in-use');

    expect(await tell('ReportMigrationEnded', { migration: 'm-1', outcome: 'failed' })).toEqual(['MigrationEnded']);
    expect(await tell('ReportMigrationEnded', { migration: 'm-1', outcome: 'failed' })).toEqual([]);
    expect((await state()).otherBindings.map(isLeftOver)).toEqual([true, false]);
    expect(await tell('AddBinding', { host: 'host-b', migration: 'm-3' })).toEqual(['BindingRemoved', 'BindingAdded']);
    expect(await tell('RemoveBinding', { host: 'host-c', migration: 'm-2' })).toEqual(['BindingRemoved']);
  });
});
