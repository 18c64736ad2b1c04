import { expect, test } from 'vitest';
import { sharedLedger } from '../support.ts';
import { patient } from './site.ts';

const shared = sharedLedger(patient);
const answer = (headers: Record<string, string>, path = '/baremetal/v1/nodes') => shared().get(path, headers);

test.each([
  [{}, '1.1'],
  [{ 'x-openstack-ironic-api-version': '1.78' }, '1.78'],
  [{ 'x-openstack-ironic-api-version': 'latest' }, '1.115'],
  [{ 'openstack-api-version': 'baremetal 1.9' }, '1.9'],
  [{ 'openstack-api-version': 'compute 2.1, baremetal 1.10' }, '1.10'],
  [{ 'openstack-api-version': 'compute 2.26' }, '1.1'],
  [{ 'openstack-api-version': 'baremetal 1.9', 'x-openstack-ironic-api-version': '1.30' }, '1.9'],
])('%j is answered in %s', async (headers, version) => {
  const { status, headers: answered } = await answer(headers);
  expect(status).toBe(200);
  expect(answered.get('x-openstack-ironic-api-version')).toBe(version);
  expect(answered.get('openstack-api-version')).toBe(`baremetal ${version}`);
  expect(answered.get('vary')).toBe('OpenStack-API-Version, X-OpenStack-Ironic-API-Version');
});

test.each(['1.116', '1.0', '2.1', 'banana', '1', '1.01', ''])(
  '%s is not spoken, and the range is told',
  async (version) => {
    const { status, headers, body } = await answer({ 'x-openstack-ironic-api-version': version });
    expect(status).toBe(406);
    expect(headers.get('x-openstack-ironic-api-minimum-version')).toBe('1.1');
    expect(headers.get('x-openstack-ironic-api-maximum-version')).toBe('1.115');
    expect(JSON.parse(body.error_message).faultstring).toContain(version);
  },
);

test('a later field, filter or path is not there for an earlier version', async () => {
  const { status } = await shared().post('/baremetal/v1/nodes', { driver: 'ipmi' });
  expect(status).toBe(201);
  const in130 = { 'x-openstack-ironic-api-version': '1.30' };
  const [node] = (await answer(in130, '/baremetal/v1/nodes/detail')).body.nodes;
  expect(Object.keys(node)).toContain('network_interface');
  expect(Object.keys(node)).not.toContain('owner');
  for (const path of ['nodes?fields=owner', 'nodes?owner=me', 'nodes?detail=true', 'conductors']) {
    expect((await answer(in130, `/baremetal/v1/${path}`)).status, path).toBe(406);
  }
  const set = await shared().post('/baremetal/v1/nodes', { driver: 'ipmi', owner: 'me' }, in130);
  expect(set.status).toBe(406);
});

test('versions are told to whoever asks', async () => {
  const { url, get } = shared();
  expect((await get('/baremetal/v1')).body.version).toMatchObject({ min_version: '1.1', version: '1.115' });
  expect((await get('/baremetal')).body.default_version.links[0].href).toBe(`${url}/baremetal/v1/`);
  expect((await get('/compute/')).body.versions[0].id).toBe('v2.1');
  expect((await get('/compute/v2.1/')).body.version.status).toBe('CURRENT');
  expect((await get('/network')).body.versions[0].id).toBe('v2.0');
  expect((await get('/network/v2.0')).body.resources[0].collection).toBe('networks');
  expect((await get('/identity')).status).toBe(300);
});

test('links lead to where the caller sees the server', async () => {
  const at = async (headers: Record<string, string>) =>
    (await answer(headers, '/network/')).body.versions[0].links[0].href;
  expect(await at({ 'x-forwarded-proto': 'https' })).toBe(`${shared().url.replace('http', 'https')}/network/v2.0/`);
  expect(await at({ 'x-forwarded-proto': 'javascript' })).toBe(`${shared().url}/network/v2.0/`);
});
