import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sharedLedger } from '../support.ts';
import { patient } from './site.ts';

const shared = sharedLedger(patient);
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  shared().post(path, body, { 'openstack-api-version': 'compute 2.90, baremetal 1.90', ...headers });

async function newNetwork(): Promise<string> {
  return (await post('/network/v2.0/networks', { network: { name: 'net' } })).body.network.id;
}

describe('a request that a client sends again, because no answer came', () => {
  test.each([
    ['/network/v2.0/networks', { network: { name: 'again' } }],
    ['/compute/v2.1/servers', { server: { name: 'again', flavorRef: '1', networks: 'none', min_count: 2 } }],
    ['/baremetal/v1/nodes', { driver: 'ipmi', name: 'again' }],
  ])('%s makes what it makes once', async (path, body) => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await post(path, body, key);
    const head = await shared().store.head();
    const second = await post(path, body, key);
    expect(first.status).toBeLessThan(300);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(await shared().store.head()).toBe(head);
    const without = await post(path, { ...body, ...('name' in body && { name: 'another' }) });
    expect([without.status, await shared().store.head()]).not.toEqual([without.status, head]);
  });

  test('several ports and a subnet as well', async () => {
    const network_id = await newNetwork();
    const key = { 'idempotency-key': 'ports-and-subnet' };
    for (const [path, body] of [
      ['/network/v2.0/ports', { ports: [{ network_id }, { network_id, name: 'second' }] }],
      ['/network/v2.0/subnets', { subnet: { network_id, cidr: '10.0.0.0/24', ip_version: 4 } }],
    ] as const) {
      const first = await post(path, body, key);
      const head = await shared().store.head();
      expect(await post(path, body, key)).toMatchObject({ status: 201, body: first.body });
      expect(await shared().store.head()).toBe(head);
    }
  });

  describe('and that is made of what is there, when others have changed that since', () => {
    const own = { 'openstack-api-version': 'compute 2.90, baremetal 1.90' };
    const json = { 'content-type': 'application/json' };
    const send = (method: string, path: string, body: object | undefined, headers: Record<string, string>) =>
      shared().ask(path, {
        method,
        headers: { ...own, ...(body && json), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
    const activeServer = async () => {
      const id = randomUUID();
      const data = { source: 'nova', vmState: 'active', host: 'host-1' };
      await shared().post(`/v1/servers/${id}/commands`, { type: 'ObserveServer', data });
      await send('PUT', `${server}/${id}/metadata`, metadata({ gone: 'x' }), {});
      return id;
    };
    const newNode = async (): Promise<string> =>
      (await post('/baremetal/v1/nodes', { driver: 'ipmi', extra: { a: '0' } })).body.uuid;
    const server = '/compute/v2.1/servers';
    const metadata = (values: object) => ({ metadata: values });
    const replace = (name: string, value: string) => [{ op: 'replace', path: `/extra/${name}`, value }];

    test.each([
      ['POST', `${server}/:id/metadata`, metadata({ a: '1' }), 'POST', metadata({ a: '2', b: '2' })],
      ['DELETE', `${server}/:id/metadata/gone`, undefined, 'POST', metadata({ b: '2' })],
      ['PUT', `${server}/:id/tags/one`, undefined, 'DELETE', undefined],
      ['PATCH', '/baremetal/v1/nodes/:id', replace('a', '1'), 'PATCH', replace('a', '2')],
    ] as const)('%s %s is told what it did', async (method, template, body, otherMethod, otherBody) => {
      const path = template.replace(':id', await (template.startsWith(server) ? activeServer() : newNode()));
      const key = { 'idempotency-key': randomUUID() };
      const first = await send(method, path, body, key);
      expect(first.status).toBeLessThan(300);
      const other = await send(otherMethod, path.replace(/\/gone$/, ''), otherBody, {});
      expect(other.status).toBeLessThan(300);
      const head = await shared().store.head();
      const again = await send(method, path, body, key);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(await shared().store.head()).toBe(head);
    });
  });

  test('the same key with something else in it is a conflict', async () => {
    const key = { 'idempotency-key': 'k' };
    await post('/network/v2.0/networks', { network: { name: 'one' } }, key);
    expect((await post('/network/v2.0/networks', { network: { name: 'two' } }, key)).status).toBe(422);
  });
});

describe('several events in one request', () => {
  test('have a verdict each, whatever the headers are', async () => {
    const server_uuid = randomUUID();
    const path = `/v1/servers/${server_uuid}/commands`;
    await shared().post(path, { type: 'ObserveServer', data: { source: 'nova', vmState: 'active', host: 'host-1' } });
    const events = [
      { name: 'network-changed', server_uuid },
      { name: 'network-vif-plugged', server_uuid, tag: randomUUID() },
    ];
    const told = (headers: Record<string, string>) =>
      post('/compute/v2.1/os-server-external-events', { events }, headers);
    const codes = async (headers: Record<string, string>) => {
      const { status, body } = await told(headers);
      return [status, body.events.map(({ code }: { code: number }) => code)];
    };
    expect(await codes({ 'idempotency-key': 'events' })).toEqual([200, [200, 200]]);
    expect(await codes({ 'idempotency-key': 'events' })).toEqual([200, [200, 200]]);
    expect(await codes({ 'if-match': '"99"' })).toEqual([207, [422, 422]]);
  });
});

describe('several ports in one request', () => {
  test('are all looked at before the first is made', async () => {
    const network_id = await newNetwork();
    const head = await shared().store.head();
    for (const wrong of [{ name: 'nowhere' }, { network_id: randomUUID() }, { network_id, mac_address: 'x' }]) {
      const { status } = await post('/network/v2.0/ports', { ports: [{ network_id }, wrong] });
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect(await shared().store.head()).toBe(head);
  });
});

test('a path that does not know a method says which it knows, in every service', async () => {
  const paths = [
    'compute/v2.1/servers',
    'network/v2.0/networks',
    'baremetal/v1/nodes',
    'image/v2/images',
    'identity/v3',
  ];
  for (const path of paths) {
    const { status, headers } = await shared().ask(`/${path}`, { method: 'DELETE' });
    expect([path, status, headers.get('allow')]).toEqual([path, 405, expect.stringContaining('GET')]);
  }
});

describe('a list', () => {
  const unknown = '5ee1ca96-7f4e-4b0c-9d3a-0c1d2e3f4a5b';

  // Nova refuses such a marker; Ironic and Neutron look for what it names.
  test.each([
    [`/compute/v2.1/servers?marker=${unknown}`, 400],
    [`/baremetal/v1/nodes?marker=${unknown}`, 404],
    [`/network/v2.0/networks?marker=${unknown}`, 404],
    [`/network/v2.0/ports?limit=1&marker=${unknown}`, 404],
  ])('%s, which goes on after nothing that is there, is %i', async (path, status) => {
    expect((await shared().get(path)).status).toBe(status);
  });

  test('of no servers is empty to Nova, and of no nodes all to Ironic', async () => {
    await post('/compute/v2.1/servers', { server: { name: 'one', flavorRef: '1', networks: 'none' } });
    await post('/baremetal/v1/nodes', { driver: 'ipmi' });
    expect((await shared().get('/compute/v2.1/servers?limit=0')).body).toEqual({ servers: [] });
    expect((await shared().get('/baremetal/v1/nodes?limit=0')).body.nodes.length).toBeGreaterThan(0);
  });
});
