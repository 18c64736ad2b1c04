import { describe, expect, test } from 'vitest';
import { sharedLedger } from './support.ts';

const agent = '/v1/agents/compute-1:Open%20vSwitch%20agent';
const start = '2026-01-01T00:00:00.000Z';

describe('an agent that is heard over HTTP', () => {
  const shared = sharedLedger();
  const tell = (type: string) => shared().post(`${agent}/commands`, { type, data: {} });
  const pass = (advance: string) => shared().post('/v1/clock', { advance });

  test('shows its last heartbeat, though heartbeats are no events', async () => {
    await tell('RegisterAgent');
    await pass('PT30S');
    const heartbeat = await tell('Heartbeat');
    const heard = { alive: true, lastHeartbeatAt: '2026-01-01T00:00:30.000Z', revision: 0 };
    expect(heartbeat.body).toMatchObject({ events: [], state: heard });
    const read = await shared().get(agent);
    expect(read.body).toEqual(heartbeat.body.state);
    expect((await shared().get(`${agent}?at=0`)).body).toMatchObject({ alive: true, lastHeartbeatAt: start });
  });

  test('is read in full also by those who know its revision, which a heartbeat does not change', async () => {
    expect((await shared().get(agent, { 'if-none-match': '"0"' })).status).toBe(200);
  });

  test('is dead when it has been silent too long, and alive with the next heartbeat', async () => {
    await pass('PT75S');
    const silent = { alive: false, lastHeartbeatAt: '2026-01-01T00:00:30.000Z' };
    expect((await shared().get(agent)).body).toMatchObject(silent);
    const { body } = await tell('Heartbeat');
    expect(body.state).toMatchObject({ alive: true, lastHeartbeatAt: '2026-01-01T00:01:45.000Z' });
  });
});
