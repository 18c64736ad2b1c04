import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/domain/agent/events.ts';
import { agentRef } from '../../../src/domain/agent/identity.ts';
import { agentAggregate } from '../../../src/domain/agent/index.ts';
import type { ResourceRef } from '../../../src/domain/kernel/resource.ts';
import { done, openLedger, slugOf, typesOf } from '../../support/ledger.ts';
import { story } from '../../support/story.ts';

const ovs = agentRef('compute-1', 'Open vSwitch agent');
const second = 1000;
const registered = { type: 'RegisterAgent' };

async function openSite() {
  const ledger = await openLedger();
  const { execute, store } = ledger;
  const tell = (type: string, data: object = {}, agent: ResourceRef = ovs) => execute('agent', agent.id, type, data);
  const eventsOf = async (agent: ResourceRef = ovs): Promise<AgentEvent[]> => {
    const events: AgentEvent[] = [];
    for await (const { type, data } of store.readStream(`agent-${agent.id}`)) events.push({ type, data } as AgentEvent);
    return events;
  };
  return { ...ledger, tell, eventsOf, state: async () => (await ledger.runtime.current(ovs))!.state };
}

describe('an agent', () => {
  test('is known by its host and type, and by what it says it can do', async () => {
    const { tell } = await openSite();
    const configurations = { bridge_mappings: { physnet1: 'br-ex' }, tunnel_types: ['vxlan'] };
    expect(done(await tell('RegisterAgent', { configurations })).state).toMatchObject({
      id: 'compute-1:Open vSwitch agent',
      host: 'compute-1',
      type: 'Open vSwitch agent',
      alive: true,
      adminStateUp: true,
      lastHeartbeatAt: '2026-01-01T00:00:00.000Z',
      configurations,
    });
    const ipv6 = agentRef('fd00::7', 'DHCP agent');
    expect(done(await tell('RegisterAgent', {}, ipv6)).state).toMatchObject({ host: 'fd00::7', type: 'DHCP agent' });
  });

  test('may introduce itself as often as it likes; what it can do is recorded when it changes', async () => {
    const { tell } = await openSite();
    const configurations = { tunnel_types: ['vxlan'], bridge_mappings: { a: '1', b: '2' } };
    await tell('RegisterAgent', { configurations });
    const reordered = { bridge_mappings: { b: '2', a: '1' }, tunnel_types: ['vxlan'] };
    expect(typesOf(await tell('RegisterAgent', { configurations: reordered }))).toEqual([]);
    expect(typesOf(await tell('Heartbeat', { configurations: { tunnel_types: ['gre'] } }))).toEqual([
      'AgentConfigurationChanged',
    ]);
    expect(typesOf(await tell('Heartbeat'))).toEqual([]);
  });

  test('that was never registered, or was deleted, is told so when it reports', async () => {
    const { tell } = await openSite();
    expect(slugOf(await tell('Heartbeat'))).toBe('agent-not-found');
    expect(slugOf(await tell('DeleteAgent'))).toBe('agent-not-found');
    await tell('RegisterAgent');
    expect(typesOf(await tell('DeleteAgent'))).toEqual(['AgentDeleted']);
    expect(typesOf(await tell('DeleteAgent'))).toEqual([]);
    expect(slugOf(await tell('Heartbeat'))).toBe('agent-deleted');
    expect(done(await tell('RegisterAgent')).state).toMatchObject({ alive: true });
  });

  test('is set administratively down and up, once each', async () => {
    const { tell, state } = await openSite();
    await tell('RegisterAgent');
    expect(typesOf(await tell('SetAgentAdminState', { adminStateUp: false, reason: 'new switch' }))).toEqual([
      'AgentAdminStateChanged',
    ]);
    expect(typesOf(await tell('SetAgentAdminState', { adminStateUp: false }))).toEqual([]);
    expect(await state()).toMatchObject({ adminStateUp: false, alive: true });
  });
});

describe('an agent that beats every half minute', () => {
  test('leaves no trace of its heartbeats', async () => {
    const { tell, clock, eventsOf, state } = await openSite();
    await tell('RegisterAgent');
    for (let beat = 0; beat < 1000; beat++) {
      await clock.advance(30 * second);
      await tell('Heartbeat');
    }
    expect(await eventsOf()).toHaveLength(1);
    expect(await state()).toMatchObject({ alive: true });
  });

  test('is lost when it is silent for 75 seconds, and back with the gap when it is heard again', async () => {
    const { tell, clock, eventsOf, state } = await openSite();
    await tell('RegisterAgent');
    await clock.advance(30 * second);
    await tell('Heartbeat');
    await clock.advance(75 * second - 1);
    expect(await state()).toMatchObject({ alive: true });

    await clock.advance(1);
    expect(await state()).toMatchObject({ alive: false, lastHeartbeatAt: '2026-01-01T00:00:30.000Z' });

    await clock.advance(600 * second);
    await tell('Heartbeat');
    expect(await state()).toMatchObject({ alive: true, since: '2026-01-01T00:11:45.000Z' });
    expect(await eventsOf()).toMatchObject([
      { type: 'AgentRegistered' },
      { type: 'AgentLost', data: { silentSince: '2026-01-01T00:00:30.000Z' } },
      { type: 'AgentBack', data: { silentSince: '2026-01-01T00:00:30.000Z', gapMs: 675 * second } },
    ]);
  });

  test('is lost again each time it falls silent', async () => {
    const { tell, clock, eventsOf } = await openSite();
    await tell('RegisterAgent');
    for (let outage = 0; outage < 3; outage++) {
      await clock.advance(100 * second);
      await tell('RegisterAgent');
    }
    await clock.advance(1000 * second);
    const types = (await eventsOf()).map(({ type }) => type);
    const outages = ['AgentLost', 'AgentBack', 'AgentLost', 'AgentBack', 'AgentLost', 'AgentBack'];
    expect(types).toEqual(['AgentRegistered', ...outages, 'AgentLost']);
  });

  test('is not taken for dead because the ledger was restarted', async () => {
    const { tell, clock, store, runtime, eventsOf } = await openSite();
    await tell('RegisterAgent');
    for (let beat = 0; beat < 20; beat++) {
      await clock.advance(30 * second);
      await tell('Heartbeat');
    }
    runtime.close();
    const restarted = await openLedger({ store, clock });
    await restarted.runtime.takeUp(ovs);
    await clock.advance(30 * second);
    await restarted.execute('agent', ovs.id, 'Heartbeat');
    await clock.advance(74 * second);
    expect(await eventsOf()).toMatchObject([{ type: 'AgentRegistered' }]);
    await clock.advance(1 * second);
    expect((await eventsOf()).at(-1)).toEqual({
      type: 'AgentLost',
      data: { silentSince: '2026-01-01T00:10:30.000Z' },
    });
  });

  story('was lost all the same when its heartbeat overtakes the alarm clock', agentAggregate, [registered], (it) =>
    it
      .after(80 * second)
      .when('Heartbeat')
      .events('AgentLost', 'AgentBack')
      .when('Heartbeat')
      .events()
      .state({ alive: true }),
  );

  story('is not lost when a heartbeat came after the alarm clock went off', agentAggregate, [registered], (it) =>
    it
      .after(80 * second)
      .knowing({ related: { stateOf: () => null, heardAt: () => '2026-01-01T00:01:00.000Z' } })
      .when('MarkAgentLost')
      .events()
      .after(60 * second)
      .when('MarkAgentLost')
      .leadsTo({ type: 'AgentLost', data: { silentSince: '2026-01-01T00:01:00.000Z' } })
      .when('MarkAgentLost')
      .events(),
  );
});
