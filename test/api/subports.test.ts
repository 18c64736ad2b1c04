import { describe, expect, test } from 'vitest';
import { nthId } from '../support/ledger.ts';
import { sharedLedger } from './support.ts';

const ovs = (host: string) => `/v1/agents/${host}:Open%20vSwitch%20agent/commands`;

/**
 * A trunk is no resource of its own here. What a subport and its parent wait for is said by the site's trunk service, with
 * components of its own: a subport waits for its parent, the parent until each subport is wired.
 */
describe('subports of a trunk', () => {
  const shared = sharedLedger([], async ({ post }) => {
    for (const host of ['host-a', 'host-b']) await post(ovs(host), { type: 'RegisterAgent', data: {} });
  });

  const give = async (port: string, type: string, data: object = {}) => {
    const { status, body } = await shared().command(type, data, { 'x-actor': 'trunk-service' }, port);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const read = async (port: string) => (await shared().get(`/v1/ports/${port}`)).body;
  const historyOf = async (port: string) => (await shared().get(`/v1/ports/${port}/history`)).body.events;
  const awaited = async (port: string) => (await read(port)).blocks.map(({ entity }: { entity: string }) => entity);
  const statuses = async (ports: readonly string[]) =>
    Promise.all(ports.map(async (port) => (await read(port)).status));

  test('C060: are ACTIVE after their parent, which is not before each of them is wired, here and after a migration', async () => {
    const parent = nthId(10);
    const subports = [11, 12, 13, 14].map(nthId);
    const all = [parent, ...subports];
    await give(parent, 'CreatePort', { deviceOwner: 'compute:nova', deviceId: nthId(1), host: 'host-a' });
    for (const subport of subports) {
      await give(subport, 'CreatePort', { deviceOwner: 'trunk:subport', host: 'host-a' });
      await give(subport, 'AddProvisioningComponent', { entity: `parent ${parent}`, reason: 'attached' });
      await give(parent, 'AddProvisioningComponent', { entity: `subport ${subport}`, reason: 'attached' });
    }
    expect(await awaited(subports[0]!)).toContain(`parent ${parent}`);

    for (const subport of subports.slice(0, 3))
      await give(parent, 'ProvisioningComplete', { entity: `subport ${subport}` });
    await give(parent, 'ProvisioningComplete', { entity: 'L2' });
    expect(await awaited(parent)).toEqual([`subport ${subports[3]}`]);
    expect(await statuses(all)).toEqual(['DOWN', 'DOWN', 'DOWN', 'DOWN', 'DOWN']);

    await give(parent, 'ProvisioningComplete', { entity: `subport ${subports[3]}` });
    expect((await read(parent)).status).toBe('ACTIVE');
    for (const subport of subports) {
      await give(subport, 'ProvisioningComplete', { entity: 'L2' });
      await give(subport, 'ProvisioningComplete', { entity: `parent ${parent}` });
    }
    expect(await statuses(all)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE']);

    for (const port of all) await give(port, 'BindPort', { host: 'host-b' });
    for (const port of all) await give(port, 'ReportDeviceUp', { host: 'host-a' });
    expect(await statuses(all)).toEqual(['DOWN', 'DOWN', 'DOWN', 'DOWN', 'DOWN']);
    for (const port of all) await give(port, 'ReportDeviceUp', { host: 'host-b' });
    expect(await statuses(all)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE']);

    // Each status is an event with its reason and the version of what was recorded: another rule would not rewrite it.
    const changes = (await historyOf(subports[0]!)).filter(
      ({ type }: { type: string }) => type === 'PortStatusChanged',
    );
    expect(changes).toMatchObject([
      { v: 1, data: { from: 'DOWN', to: 'ACTIVE', cause: 'provisioned', host: 'host-a' } },
      { v: 1, data: { from: 'ACTIVE', to: 'DOWN', cause: 'binding-changed' } },
      { v: 1, data: { from: 'DOWN', to: 'ACTIVE', cause: 'provisioned', host: 'host-b' } },
    ]);
  });

  test('C066: that stay DOWN after they were attached are found by their age, and attached again', async () => {
    const subport = nthId(20);
    const attach = { deviceOwner: 'trunk:subport', host: 'host-a' };
    await give(subport, 'CreatePort', { deviceOwner: 'trunk:subport' });
    await give(subport, 'UpdatePort', attach);
    const [{ since }] = (await read(subport)).blocks;
    const { now } = (await shared().post('/v1/clock', { advance: 'PT91S' })).body;
    expect(Date.parse(now) - Date.parse(since)).toBe(91_000);

    const before = new Date(Date.parse(now) - 90_000).toISOString();
    const down = (await shared().get(`/v1/ports?status=DOWN&blocked_by=L2&status_before=${before}`)).body;
    expect(down.items.map(({ id }: { id: string }) => id)).toEqual([subport]);
    const why = (await shared().get(`/v1/ports/${subport}/why`)).body;
    expect(JSON.stringify(why)).toContain('host-a');

    await give(subport, 'UnbindPort');
    await give(subport, 'UpdatePort', attach);
    await give(subport, 'ReportDeviceUp', { host: 'host-a' });
    expect((await read(subport)).status).toBe('ACTIVE');
    const told = (await historyOf(subport)).filter(({ type }: { type: string }) =>
      ['BindingRequested', 'PortUnbound', 'ProvisioningComponentCompleted'].includes(type),
    );
    expect(told).toMatchObject([
      { type: 'BindingRequested', data: { host: 'host-a', generation: 1 }, actor: { id: 'trunk-service' } },
      { type: 'PortUnbound', data: { host: 'host-a' }, actor: { id: 'trunk-service' } },
      { type: 'BindingRequested', data: { host: 'host-a', generation: 3 }, actor: { id: 'trunk-service' } },
      { type: 'ProvisioningComponentCompleted', data: { entity: 'L2', host: 'host-a' } },
    ]);
  });
});
