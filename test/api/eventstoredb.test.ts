import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { database } from '../support/eventstoredb/engine.ts';
import { connected, sharedLedger, slugOf, take } from './support.ts';

const id = randomUUID();
const path = `/v1/ports/${id}`;

describe('the API over a cluster', () => {
  const { url } = database({ nodes: 3 });
  const flags = ['--clock', 'system', '--read-wait-ms', '30000'];
  beforeAll(() => void flags.push('--store', url()));
  const ledger = sharedLedger(flags);

  it('answers a command with what it changed, and shows it', async () => {
    const { command, get } = ledger();
    const created = await command('CreatePort', { name: 'web' }, {}, id);
    expect([created.status, created.body.revision, created.body.events.length]).toEqual([200, 0, 1]);
    const read = await get(`${path}?min_position=${created.body.position}`);
    expect(read.body).toMatchObject({ name: 'web', revision: 0 });
    expect(read.headers.get('stackledger-position')).toBe(created.body.position);
  });

  it('gives a repeated command its first answer, whether or not it changed something', async () => {
    const { command } = ledger();
    for (const key of ['made', 'found done']) {
      const give = () => command('AddProvisioningComponent', { entity: 'L2' }, { 'idempotency-key': key }, id);
      const [first, again] = [await give(), await give()];
      expect([first.status, again.body]).toEqual([200, first.body]);
    }
    const other = await command('AddProvisioningComponent', { entity: 'DHCP' }, { 'idempotency-key': 'made' }, id);
    expect([other.status, slugOf(other)]).toEqual([422, 'key-reused']);
  });

  it('refuses what was meant for another revision', async () => {
    const { command } = ledger();
    const stale = await command('UpdatePort', { name: 'stale' }, { 'if-match': '"0"' }, id);
    expect([stale.status, slugOf(stale)]).toEqual([412, 'revision-mismatch']);
    const fresh = await command('UpdatePort', { name: 'fresh' }, { 'if-match': '"1"' }, id);
    expect([fresh.status, fresh.body.revision]).toEqual([200, 2]);
  });

  it('shows a resource as it was at any revision and position', async () => {
    const { get } = ledger();
    const { body } = await get(`${path}/history`);
    const entries: { revision: number; position: string }[] = body.events;
    expect(entries.map(({ revision }) => revision).sort()).toEqual([0, 1, 2]);
    for (const { revision, position } of entries) {
      expect((await get(`${path}?at=${position}`)).body.revision).toBe(revision);
      expect((await get(`${path}?at=${revision}`)).body.revision).toBe(revision);
    }
  });

  it('takes many commands in one request, and every event is there once', async () => {
    const { bulk, get } = ledger();
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const lines = Array.from({ length: 100 }, (_, n) => ({
      kind: 'port',
      id: ids[n % 20],
      ...(n < 20 ? { type: 'CreatePort', data: {} } : { type: 'UpdatePort', data: { name: `name ${n}` } }),
    }));
    const verdicts = await bulk(lines);
    expect(verdicts.filter(({ status }) => status === 200)).toHaveLength(100);
    for (const each of ids) expect((await get(`/v1/ports/${each}`)).body.revision).toBe(4);
  });

  it('lets a reader of the stream go on after the last event it saw', async () => {
    const { url, command } = ledger();
    const stream = await connected(`${url}/v1/events?id=${id}`);
    const [first, second] = await take(stream, 2);
    const resumed = await connected(`${url}/v1/events?id=${id}`, { 'last-event-id': first!.id });
    expect((await take(resumed, 1))[0]!.id).toBe(second!.id);
    const live = await connected(`${url}/v1/events?id=${id}`, {
      'last-event-id': (await command('UpdatePort', { name: 'x' }, {}, id)).body.position,
    });
    const next = take(live, 2);
    const { body } = await command('UpdatePort', { name: 'y' }, {}, id);
    expect((await next).map((message) => message.id)).toContain(body.position);
  });

  it('lists what the read models know at that position', async () => {
    const { command, get } = ledger();
    const { body } = await command('UpdatePort', { name: `listed ${id}` }, {}, id);
    const list = await get(`/v1/ports?min_position=${body.position}&name=listed%20${id}`);
    expect(JSON.stringify(list.body)).toContain(`"listed ${id}"`);
  });
});
