import { expect, test } from 'vitest';
import { type RecordedNode, vectors } from '../../domain/node/recorded.ts';
import { faultOf, forEach, sharedBaremetal } from './site.ts';

interface Answer {
  http: number;
  error: string | null;
}

interface Guards {
  patch_extra: (RecordedNode & Answer)[];
  delete_node: (RecordedNode & Answer & { instance_uuid_set?: boolean })[];
  maintenance: (RecordedNode & {
    put_http: number;
    put_error: string | null;
    delete_http: number;
    delete_error: string | null;
    reason: string | null;
    maintenance: boolean;
    maintenance_after: boolean;
    fault_after: string | null;
  })[];
  power: (RecordedNode & Answer & { target: string; now_power_state?: string; now_target_power_state?: string })[];
  misc: (Answer & {
    case: string;
    node?: RecordedNode;
    patch?: object[];
    after?: Record<string, unknown>;
    body?: Record<string, unknown>;
  })[];
}

const guards = vectors<Guards>('guard-vectors.json');
const instanceId = '0cdfb88d-a10f-4708-b0b6-fb9476c2ca2c';
const { shared, ask, recorded } = sharedBaremetal();

/** Asks for each row and shows those that came out otherwise than they were recorded. */
async function sameAsRecorded<R>(
  rows: readonly R[],
  run: (row: R) => Promise<{ here: unknown; recorded: unknown }>,
): Promise<void> {
  const results = await forEach(rows, run);
  const differing = results
    .map((result, index) => ({ row: rows[index], ...result }))
    .filter(({ here, recorded }) => JSON.stringify(here) !== JSON.stringify(recorded));
  expect(differing).toEqual([]);
  expect(rows.length).toBeGreaterThan(0);
}

test('a node is changed where Ironic lets it be', () =>
  sameAsRecorded(guards.patch_extra, async (row) => {
    const id = await recorded(row);
    const answer = await ask('PATCH', `nodes/${id}`, [{ op: 'add', path: '/extra/a', value: 1 }]);
    const { extra } = (await ask('GET', `nodes/${id}`)).body;
    return {
      here: [answer.status, faultOf(answer), extra],
      recorded: [row.http, row.error, row.http === 200 ? { a: 1 } : {}],
    };
  }));

test('a node is deleted where Ironic deletes it', () =>
  sameAsRecorded(guards.delete_node, async (row) => {
    const id = await recorded({ ...row, instance_uuid: row.instance_uuid_set ? instanceId : null });
    const answer = await ask('DELETE', `nodes/${id}`);
    const shown = await ask('GET', `nodes/${id}`);
    return {
      here: [answer.status, faultOf(answer), shown.status],
      recorded: [row.http, row.error, row.http === 204 ? 404 : 200],
    };
  }));

test('a node is taken into maintenance and out of it where Ironic does so', () =>
  sameAsRecorded(guards.maintenance, async (row) => {
    const before = await recorded({ ...row, maintenance: false });
    const put = await ask('PUT', `nodes/${before}/maintenance`, { reason: 'why' });
    const set = (await ask('GET', `nodes/${before}`)).body;
    const inside = await recorded({ ...row, maintenance: true, fault: 'power failure' });
    const out = await ask('DELETE', `nodes/${inside}/maintenance`);
    const cleared = (await ask('GET', `nodes/${inside}`)).body;
    return {
      here: [
        [put.status, faultOf(put), set.maintenance, set.maintenance_reason, set.provision_state],
        [out.status, faultOf(out), cleared.maintenance, cleared.fault],
      ],
      recorded: [
        [row.put_http, row.put_error, row.maintenance, row.reason, row.provision_state],
        [row.delete_http, row.delete_error, row.maintenance_after, row.fault_after],
      ],
    };
  }));

test('a power action is accepted where Ironic accepts it', () =>
  sameAsRecorded(guards.power, async (row) => {
    const id = await recorded(row);
    const answer = await ask('PUT', `nodes/${id}/states/power`, { target: row.target });
    if (answer.status !== 202) return { here: [answer.status, faultOf(answer)], recorded: [row.http, row.error] };
    const { power_state, target_power_state, last_error } = (await ask('GET', `nodes/${id}/states`)).body;
    return {
      here: [202, power_state, target_power_state, last_error],
      recorded: [row.http, row.now_power_state, row.now_target_power_state, null],
    };
  }));

test.each(guards.misc.filter(({ patch }) => patch))('$case', async (row) => {
  if (row.case.includes('2nd node')) await haveServerOnAnotherNode();
  const id = await recorded(row.node!);
  const answer = await ask('PATCH', `nodes/${id}`, row.patch);
  expect(answer.status).toBe(row.http);
  // What no client may set is an invalid value like any other here.
  expect(faultOf(answer)).toBe(row.error === 'Invalid' ? 'InvalidParameterValue' : row.error);
  if (row.after) expect((await ask('GET', `nodes/${id}`)).body).toMatchObject(row.after);
});

/** Where an instance is, is seen on the server. */
async function haveServerOnAnotherNode(): Promise<void> {
  const node = await recorded({ provision_state: 'available' });
  const tell = (type: string, data: object) => shared().post(`/v1/servers/${instanceId}/commands`, { type, data });
  await tell('CreateServer', {});
  const { status } = await tell('ServerScheduled', { host: 'compute-1', nodeId: node });
  expect(status).toBe(200);
}

test.each(guards.misc.filter((row) => row.case.startsWith('GET states')))('$case', async (row) => {
  const version = /api (1\.\d+)/.exec(row.case)![1]!;
  const id = await recorded({ provision_state: 'inspect wait', power_state: 'power off' });
  const { provision_updated_at, ...states } = (await ask('GET', `nodes/${id}/states`, undefined, version)).body;
  expect({ ...states, provision_updated_at: null }).toEqual(row.body);
  expect(provision_updated_at).toMatch(/\+00:00$/);
});
