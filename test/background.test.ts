import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { type Stackledger, startStackledger } from '../src/main.ts';
import { clientOf } from './api/support.ts';
import { nthId } from './support/ledger.ts';

const node = '6f3c9a52-6f0e-4f1c-8a41-5b7be7f7f6d4';
const server = '7a4d0b63-7a1f-4a2d-9b52-6c8cf8a8a7e5';
const port = '8b5e1c74-8b20-4b3e-8c63-7d9d09b9b8f6';

describe('a ledger that is stopped and started again', () => {
  let folder: string;
  let ledger: Stackledger;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stackledger-'));
  });
  afterEach(async () => {
    await ledger.stop();
    await rm(folder, { recursive: true });
  });

  const start = async (views = true) => {
    if (!views) await rm(join(folder, 'ledger.db.views.db'), { force: true });
    const store = `sqlite:${join(folder, 'ledger.db')}`;
    ledger = await startStackledger(
      loadConfig(['--port', '0', '--store', store, '--clock', 'manual', '--log-level', 'silent'], {}),
    );
    const client = clientOf(ledger.url);
    const ready = () => expect.poll(async () => (await client.get('/readyz')).status, { timeout: 25_000 }).toBe(200);
    const tell = async (kind: string, id: string, type: string, data: object = {}) => {
      const answer = await client.post(`/v1/${kind}/${id}/commands`, { type, data });
      expect(answer.body).toMatchObject({ resource: { id } });
      return answer.body;
    };
    return { ...client, ready, tell };
  };

  test.each([
    ['whose read models are there', true],
    ['whose read models are gone', false],
  ])('%s still gives up a node that never calls back, once', async (_title, views) => {
    const before = await start();
    await before.tell('nodes', node, 'EnrollNode', { provisionState: 'available' });
    await before.tell('nodes', node, 'SetProvisionState', { target: 'active' });
    await before.tell('nodes', node, 'ReportProvisionEvent', { event: 'wait' });
    await before.post('/v1/clock', { advance: 'PT10M' });
    await before.ready();
    await ledger.stop();

    const after = await start(views);
    await after.ready();
    const set = () => after.post('/v1/clock', { advance: 'PT1M' });
    for (let minute = 0; minute < 40; minute++) await set();
    expect((await after.get(`/v1/nodes/${node}`)).body).toMatchObject({
      provisionState: 'deploy failed',
      targetProvisionState: 'active',
    });
    const history = await after.get(`/v1/nodes/${node}/history`);
    const failures = history.body.events.filter(
      ({ type, data }: { type: string; data: { event?: string } }) =>
        type === 'NodeProvisionStateChanged' && data.event === 'fail',
    );
    expect(failures).toHaveLength(1);
    expect(failures[0].actor).toMatchObject({ type: 'system' });
  });

  test('keeps the deadlines of all others where a resource cannot be read any more', async () => {
    const before = await start();
    const nodes = [nthId(1), nthId(2), nthId(3)];
    for (const id of nodes) {
      await before.tell('nodes', id, 'EnrollNode', { provisionState: 'available' });
      await before.tell('nodes', id, 'SetProvisionState', { target: 'active' });
      await before.tell('nodes', id, 'ReportProvisionEvent', { event: 'wait' });
      await before.post('/v1/clock', { advance: 'PT1M' });
    }
    await before.ready();
    await ledger.stop();
    const file = new Database(join(folder, 'ledger.db'));
    const damaged = file
      .prepare(`UPDATE events SET data = 'no JSON' WHERE stream = (SELECT id FROM streams WHERE name = ?)`)
      .run(`node-${nodes[0]}`);
    file.close();
    expect(damaged.changes).toBeGreaterThan(2);

    const after = await start();
    await after.ready();
    await after.post('/v1/clock', { advance: 'PT40M' });
    for (const id of nodes.slice(1)) {
      expect((await after.get(`/v1/nodes/${id}`)).body).toMatchObject({ provisionState: 'deploy failed' });
    }
    expect((await after.get(`/v1/nodes/${nodes[0]}`)).status).toBe(409);
    const metrics = await (await fetch(`${ledger.url}/metrics`)).text();
    expect(metrics).toMatch(/background_failures_total\{what="deadline"\} \d/);
    expect(metrics).not.toContain(nodes[0]);
  });

  test('carries out whole, or not at all, what arrives while it starts and stops (C081)', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => nthId(index + 1));
    const begin = async ({ post }: Awaited<ReturnType<typeof start>>, id: string): Promise<boolean> => {
      const path = `/v1/nodes/${id}/commands`;
      const enroll = { type: 'EnrollNode', data: { provisionState: 'available', conductor: 'c-1' } };
      const deploy = { type: 'SetProvisionState', data: { target: 'active' } };
      const answers = [await post(path, enroll), await post(path, deploy)];
      return answers.every(({ status }) => status === 200);
    };
    const first = await start();
    const early = Promise.allSettled(ids.slice(0, 25).map((id) => begin(first, id)));
    const late = Promise.allSettled(ids.slice(25).map((id) => begin(first, id)));
    await Promise.race([early, late]);
    await ledger.stop();
    const told = [...(await early), ...(await late)];

    const second = await start();
    await second.ready();
    for (const [index, id] of ids.entries()) {
      const { status, body } = await second.get(`/v1/nodes/${id}`);
      const answered = told[index]!;
      if (answered.status === 'fulfilled' && answered.value) expect(body.provisionState).toBe('deploying');
      if (status === 200) expect(body.reservation !== null).toBe(body.provisionState === 'deploying');
    }
  });

  test('has told a server of its port, and tells it nothing twice', async () => {
    const before = await start();
    await before.tell('servers', server, 'CreateServer', { ports: [port] });
    await before.tell('ports', port, 'CreatePort', { deviceId: server, deviceOwner: 'compute:nova', host: 'h-1' });
    await before.tell('servers', server, 'ServerScheduled', { host: 'h-1' });
    await before.tell('servers', server, 'ReportBuildProgress', { taskState: 'spawning' });
    await before.tell('ports', port, 'ReportDeviceUp', { host: 'h-1' });
    await before.tell('servers', server, 'ReportBuildSuccess');
    await expect.poll(async () => (await before.get(`/v1/servers/${server}`)).body.status).toBe('ACTIVE');
    await ledger.stop();

    const after = await start();
    await after.ready();
    await after.post('/v1/clock', { advance: 'PT1S' });
    const history = await after.get(`/v1/servers/${server}/history?limit=1000`);
    const received = history.body.events.filter(({ type }: { type: string }) => type === 'ExternalEventReceived');
    expect(received).toHaveLength(1);
  });

  test.each([0, 60])('%i ms after it listened leaves everything as the next one needs it', async (ms) => {
    await start();
    await sleep(ms);
    await ledger.stop(); // its read models are not open yet
    const after = await start();
    await after.ready();
    await after.tell('ports', port, 'CreatePort');
    expect((await after.get('/v1/ports')).status).toBe(200);
  });
});

describe('read models that are to lie elsewhere', () => {
  test.each([
    ['of a ledger in a file', (folder: string) => `sqlite:${join(folder, 'ledger.db')}`],
    ['of a ledger that has no file', () => 'memory:'],
  ])('%s are in the file that is named, and answer from there', async (_title, storeIn) => {
    const folder = await mkdtemp(join(tmpdir(), 'stackledger-'));
    const store = storeIn(folder);
    const flags = ['--port', '0', '--store', store, '--views-file', join(folder, 'views.db'), '--log-level', 'silent'];
    const ledger = await startStackledger(loadConfig(flags, {}));
    try {
      const { post, get } = clientOf(ledger.url);
      const { body } = await post(`/v1/ports/${port}/commands`, { type: 'CreatePort', data: {} });
      expect((await get(`/v1/ports?min_position=${body.position}`)).body.items).toHaveLength(1);
    } finally {
      await ledger.stop();
    }
    expect((await readdir(folder)).filter((name) => name.endsWith('views.db'))).toEqual(['views.db']);
    await rm(folder, { recursive: true });
  });
});
