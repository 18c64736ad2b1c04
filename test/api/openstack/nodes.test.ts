import { describe, expect, test } from 'vitest';
import { faultOf, sharedBaremetal } from './site.ts';

const { shared, ask, recorded, finishWork } = sharedBaremetal();

let nodes = 0;
const enroll = async (given: object = {}, version?: string) => {
  const body = { driver: 'ipmi', name: `rack-${++nodes}`, ...given };
  const answer = await ask('POST', 'nodes', body, version);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};

describe('a node that is enrolled', () => {
  test('is shown by its UUID, however that is written, and by its name', async () => {
    const node = await enroll({ properties: { cpus: 8 }, power_interface: 'ipmitool', resource_class: 'bm' });
    expect(node).toMatchObject({
      driver: 'ipmi',
      properties: { cpus: 8 },
      power_interface: 'ipmitool',
      boot_interface: null,
      resource_class: 'bm',
      provision_state: 'enroll',
      target_provision_state: null,
      reservation: null,
      maintenance: false,
    });
    for (const ident of [node.uuid, node.uuid.toUpperCase(), node.name]) {
      expect((await ask('GET', `nodes/${ident}`)).body).toEqual(node);
    }
  });

  test('links to where it is', async () => {
    const answer = await ask('POST', 'nodes', { driver: 'ipmi' });
    const href = `${shared().url}/baremetal/v1/nodes/${answer.body.uuid}`;
    expect(answer.headers.get('location')).toBe(href);
    expect(answer.body.links[0]).toEqual({ href, rel: 'self' });
  });

  test('is available at once to clients from before enroll was known', async () => {
    expect((await enroll({}, '1.10')).provision_state).toBe('available');
    const { uuid, provision_state } = await enroll({ name: undefined }, '1.1');
    expect(provision_state).toBeNull();
    expect((await ask('GET', `nodes/${uuid}`)).body.provision_state).toBe('available');
  });

  test.each([
    ['no driver', { name: 'x' }, 400, 'MissingParameterValue'],
    ['no object', [], 400, 'MissingParameterValue'],
    ['a field nobody knows', { driver: 'ipmi', colour: 'red' }, 400, 'InvalidParameterValue'],
    ['a field nobody knows, set to null', { driver: 'ipmi', colour: null }, 400, 'InvalidParameterValue'],
    ['what the ledger does not keep', { driver: 'ipmi', conductor_group: 'east' }, 400, 'InvalidParameterValue'],
    ['a state', { driver: 'ipmi', provision_state: 'active' }, 400, 'InvalidParameterValue'],
    ['a UUID that is none', { driver: 'ipmi', uuid: 'rack' }, 400, 'InvalidParameterValue'],
    ['properties that are none', { driver: 'ipmi', properties: 7 }, 400, 'InvalidParameterValue'],
  ])('is not made of %s', async (_what, body, status, fault) => {
    const head = await shared().store.head();
    const answer = await ask('POST', 'nodes', body);
    expect([answer.status, faultOf(answer)]).toEqual([status, fault]);
    expect(await shared().store.head()).toBe(head);
  });

  test('has a name of its own', async () => {
    const { name } = await enroll();
    const taken = await ask('POST', 'nodes', { driver: 'ipmi', name });
    expect([taken.status, faultOf(taken)]).toEqual([409, 'DuplicateName']);
    const other = await enroll();
    const renamed = await ask('PATCH', `nodes/${other.uuid}`, [{ op: 'replace', path: '/name', value: name }]);
    expect(renamed.status).toBe(409);
  });
});

describe('a list of nodes', () => {
  const uuids = (answer: { body: { nodes: { uuid: string }[] } }) => answer.body.nodes.map(({ uuid }) => uuid);

  test('holds what was written before it was asked for', async () => {
    const { uuid } = await enroll();
    expect(uuids(await ask('GET', 'nodes?limit=1000'))).toContain(uuid);
  });

  test('is read page by page', async () => {
    const owner = 'pages';
    // They are as old as each other, since time stands still; then their ids decide.
    const enrolled = [await enroll({ owner }), await enroll({ owner }), await enroll({ owner })];
    const made = enrolled.map(({ uuid }) => uuid).sort();
    const first = await ask('GET', `nodes?owner=${owner}&limit=2`);
    expect(uuids(first)).toEqual(made.slice(0, 2));
    const next = first.body.next.slice(`${shared().url}/baremetal/v1/`.length);
    const second = await ask('GET', next);
    expect(uuids(second)).toEqual(made.slice(2));
    expect(second.body.next).toBeUndefined();
    const backwards = await ask('GET', `nodes/?owner=${owner}&sort_key=uuid&sort_dir=desc`);
    expect(uuids(backwards)).toEqual(made.toReversed());
  });

  test.each([
    ['provision_state=clean wait'],
    ['maintenance=True'],
    ['associated=true'],
    ['instance_uuid=0cdfb88d-a10f-4708-b0b6-fb9476c2ca2c'],
    ['fault=clean failure'],
    ['retired=1'],
  ])('is filtered by %s', async (filter) => {
    const node = await recorded({
      provision_state: 'clean wait',
      maintenance: true,
      fault: 'clean failure',
      retired: true,
      instance_uuid: '0cdfb88d-a10f-4708-b0b6-fb9476c2ca2c',
    });
    const { uuid: other } = await enroll();
    const found = uuids(await ask('GET', `nodes?${filter}`));
    expect(found).toContain(node);
    expect(found).not.toContain(other);
  });

  test('shows what is asked for', async () => {
    const { uuid } = await enroll({ owner: 'shown' });
    const node = async (query: string) =>
      (await ask('GET', `${query}${query.includes('?') ? '&' : '?'}owner=shown`)).body.nodes[0];
    expect(Object.keys(await node('nodes')).sort()).toEqual(
      ['uuid', 'name', 'instance_uuid', 'power_state', 'provision_state', 'maintenance', 'links'].sort(),
    );
    expect(Object.keys(await node('nodes?fields=uuid,extra'))).toEqual(['uuid', 'extra', 'links']);
    const shown = (await ask('GET', `nodes/${uuid}`)).body;
    expect(await node('nodes/detail')).toEqual(shown);
    expect(await node('nodes?detail=true')).toEqual(shown);
  });

  test.each([
    ['nodes?limit=-1', 400],
    ['nodes?limit=many', 400],
    ['nodes?sort_key=extra', 400],
    ['nodes?sort_dir=up', 400],
    ['nodes?colour=red', 400],
    ['nodes?maintenance=perhaps', 400],
    ['nodes?fields=colour', 400],
    ['nodes?fields=uuid&detail=true', 400],
    ['nodes?marker=nobody', 400],
    ['nodes?marker=5ee1ca96-7f4e-4b0c-9d3a-0c1d2e3f4a5b', 404],
  ])('%s is %i', async (path, status) => {
    expect((await ask('GET', path)).status).toBe(status);
  });
});

describe('a patch', () => {
  const patch = (ident: string, ...steps: object[]) => ask('PATCH', `nodes/${ident}`, steps);

  test('changes what it names, and nothing else', async () => {
    const { name } = await enroll({ extra: { rack: 4, tags: ['a'] }, power_interface: 'ipmitool' });
    const answer = await patch(
      name,
      { op: 'add', path: '/extra/tags/-', value: 'b' },
      { op: 'add', path: '/extra/a~1b', value: null },
      { op: 'remove', path: '/extra/rack' },
      { op: 'replace', path: '/network_interface', value: 'flat' },
      { op: 'remove', path: '/power_interface' },
      { op: 'add', path: '/description', value: 'third row' },
    );
    expect(answer.body).toMatchObject({
      extra: { tags: ['a', 'b'], 'a/b': null },
      network_interface: 'flat',
      power_interface: null,
      description: 'third row',
      driver: 'ipmi',
    });
    const back = await patch(name, { op: 'remove', path: '/description' }, { op: 'remove', path: '/extra' });
    expect(back.body).toMatchObject({ description: null, extra: {} });
  });

  test('that changes nothing leaves no event', async () => {
    const { name } = await enroll({ extra: { rack: 4 } });
    const head = await shared().store.head();
    expect((await patch(name, { op: 'replace', path: '/extra/rack', value: 4 })).status).toBe(200);
    expect(await shared().store.head()).toBe(head);
  });

  test.each([
    ['to replace what is not there', { op: 'replace', path: '/extra/rack', value: 1 }, 400],
    ['to remove what is not there', { op: 'remove', path: '/extra/rack' }, 400],
    ['to reach through what is not there', { op: 'add', path: '/extra/a/b', value: 1 }, 400],
    ['to be without a driver', { op: 'remove', path: '/driver' }, 400],
    ['of another operation', { op: 'move', path: '/extra/a', from: '/extra/b' }, 400],
    ['of no path', { op: 'add', path: 'extra', value: 1 }, 400],
    ['of a prototype', { op: 'add', path: '/extra/__proto__/x', value: 1 }, 400],
    ['of a name that is no text', { op: 'add', path: '/name', value: 7 }, 400],
    ['of maintenance that is neither on nor off', { op: 'replace', path: '/maintenance', value: 'x' }, 400],
    ['that tests in vain', { op: 'test', path: '/driver', value: 'redfish' }, 400],
  ])('%s is refused', async (_what, step, status) => {
    const { name } = await enroll();
    const head = await shared().store.head();
    const answer = await patch(name, step);
    expect([answer.status, faultOf(answer)]).toEqual([status, 'InvalidParameterValue']);
    expect(await shared().store.head()).toBe(head);
  });

  test('loses nothing of what others patch at the same moment', async () => {
    const { name } = await enroll({ extra: {} });
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(keys.map((key) => patch(name, { op: 'add', path: `/extra/${key}`, value: 1 })));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
    expect(Object.keys((await ask('GET', `nodes/${name}`)).body.extra).sort()).toEqual(keys);
  });

  test('changes maintenance alone', async () => {
    const { name } = await enroll();
    const maintenance = { op: 'replace', path: '/maintenance', value: true };
    expect((await patch(name, maintenance, { op: 'add', path: '/extra/a', value: 1 })).status).toBe(400);
    expect((await patch(name, maintenance)).body.maintenance).toBe(true);
  });
});

describe('a node that is put to work', () => {
  test('tells its story in its history', async () => {
    const { uuid, name } = await enroll();
    await ask('PUT', `nodes/${name}/states/provision`, { target: 'manage' });
    await finishWork(uuid);
    await ask('PUT', `nodes/${name}/maintenance`, { reason: 'new disk' });
    const { history } = (await ask('GET', `nodes/${name}/history`)).body;
    expect(history.map(({ event }: { event: string }) => event)).toEqual([
      'manage: enroll -> verifying',
      'done: verifying -> manageable',
      'maintenance (operator): new disk',
    ]);
    const first = (await ask('GET', `nodes/${name}/history?limit=1`)).body;
    const second = (await ask('GET', first.next.slice(`${shared().url}/baremetal/v1/`.length))).body;
    expect(second.history).toEqual([history[1]]);
    expect((await ask('GET', `nodes/${name}/history/${history[1].uuid}`)).body).toMatchObject({
      event_type: 'provisioning',
      state: 'manageable',
      user: 'anonymous',
    });
    expect((await ask('GET', `nodes/${name}/history/nobody`)).status).toBe(404);
  });

  test('keeps the ids of the request with its events', async () => {
    const { uuid } = await enroll();
    const global = 'req-6f3c9a52-6f0e-4f1c-8a41-5b7be7f7f6d4';
    const answer = await shared().ask(`/baremetal/v1/nodes/${uuid}/maintenance`, {
      method: 'PUT',
      headers: { 'x-openstack-request-id': global },
    });
    expect(answer.status).toBe(202);
    const { events } = (await shared().get(`/v1/nodes/${uuid}/history`)).body;
    const requestId = answer.headers.get('x-openstack-request-id');
    expect(events.at(-1).cause).toMatchObject({ correlationId: global, requestId });
  });

  test('asks for a power action only in a version that has it', async () => {
    const { name } = await enroll();
    const power = (body: object, version: string) => ask('PUT', `nodes/${name}/states/power`, body, version);
    expect((await power({ target: 'soft power off' }, '1.26')).status).toBe(406);
    expect((await power({ target: 'power on', timeout: 60 }, '1.26')).status).toBe(406);
    expect((await power({ target: 'power on', timeout: 0 }, '1.27')).status).toBe(400);
    expect((await power({ target: 'soft power off', timeout: 60 }, '1.27')).status).toBe(202);
  });

  test.each([
    ['active', { configdrive: { meta_data: {} } }, '1.55', 400],
    ['active', { configdrive: { meta_data: {} } }, '1.56', 202],
    ['rebuild', { configdrive: 'text' }, '1.34', 400],
    ['rebuild', { configdrive: 'text' }, '1.35', 202],
    ['active', { deploy_steps: [{ interface: 'deploy', step: 'erase', priority: 10 }] }, '1.68', 406],
    ['active', { deploy_steps: [{ interface: 'deploy', step: 'erase', priority: 10 }] }, '1.69', 202],
    ['manage', { deploy_steps: [{ interface: 'deploy', step: 'erase', priority: 10 }] }, '1.68', 400],
  ])('takes %s with %j in version %s: %i', async (target, argument, version, status) => {
    const id = await recorded({ provision_state: target === 'rebuild' ? 'active' : 'available' });
    const answer = await ask('PUT', `nodes/${id}/states/provision`, { target, ...argument }, version);
    expect(answer.status, answer.text).toBe(status);
  });

  test.each([
    [{}, 'MissingParameterValue'],
    [{ target: 7 }, 'InvalidParameterValue'],
    [{ target: 'manage', runbook: 'x' }, 'InvalidParameterValue'],
    [{ target: 'clean', clean_steps: 'all' }, 'InvalidParameterValue'],
    [{ target: 'manage', clean_steps: [{ interface: 'bios', step: 'reset' }] }, 'ClientSideError'],
  ])('is not asked with %j', async (body, fault) => {
    const { name } = await enroll();
    const answer = await ask('PUT', `nodes/${name}/states/provision`, body);
    expect([answer.status, faultOf(answer)]).toEqual([400, fault]);
  });
});

describe('what lies around the nodes', () => {
  test('are conductors and drivers, as the nodes name them', async () => {
    const { uuid } = await enroll({ driver: 'redfish' });
    const update = { type: 'UpdateNode', data: { conductor: 'c-7' } };
    expect((await shared().post(`/v1/nodes/${uuid}/commands`, update)).status).toBe(200);
    expect((await ask('GET', 'conductors')).body.conductors).toEqual([expect.objectContaining({ hostname: 'c-7' })]);
    expect((await ask('GET', 'conductors/c-7')).body).toMatchObject({ alive: true, drivers: ['redfish'] });
    expect((await ask('GET', 'drivers/redfish')).body).toMatchObject({ name: 'redfish', hosts: ['c-7'] });
    expect((await ask('GET', 'drivers')).body.drivers.map(({ name }: { name: string }) => name)).toContain('ipmi');
    expect((await ask('GET', 'conductors/nobody')).status).toBe(404);
    expect((await ask('GET', 'drivers/nothing')).status).toBe(404);
  });

  test('is nothing, where the ledger keeps nothing', async () => {
    const { name } = await enroll();
    expect((await ask('GET', 'ports?node=x')).body).toEqual({ ports: [] });
    expect((await ask('GET', `nodes/${name}/vifs`)).body).toEqual({ vifs: [] });
    expect((await ask('GET', `nodes/${name}/validate`)).body.power).toMatchObject({ result: true });
  });

  test.each([
    ['GET', 'nodes/nobody', 404],
    ['GET', 'nodes/11111111-1111-4111-8111-111111111111', 404],
    ['DELETE', 'nodes/nobody', 404],
    ['PUT', 'nodes/nobody/states/provision', 404],
    ['GET', 'nodes/nobody/vifs', 404],
    ['GET', 'castles', 404],
    ['POST', 'nodes/x/states', 405],
  ])('%s %s is %i', async (method, path, status) => {
    const answer = await ask(method, path, method === 'PUT' ? {} : undefined);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body.error_message)).toMatchObject({ faultcode: 'Client', debuginfo: null });
  });
});
