import { describe, expect, test } from 'vitest';
import { agentRef } from '../../src/domain/agent/identity.ts';
import { defaultMechanismDrivers } from '../../src/domain/port/drivers/configured.ts';
import type { MechanismDriver } from '../../src/domain/port/drivers/mechanism-driver.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { done, nthId, openLedger } from '../support/ledger.ts';

const port = nthId(1);
const network = nthId(100);
const vlan = { networkType: 'vlan', physicalNetwork: 'physnet1', segmentationId: 1 };
const configurations = { bridge_mappings: { physnet1: 'br-1' } };
const ovsOn = (host: string): string => agentRef(host, 'Open vSwitch agent').id;

/** A store that notes which streams are loaded. */
function noting(store: EventStore, loaded: string[]): EventStore {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'readStream') return value.bind(target);
      return (stream: string, ...rest: []) => {
        loaded.push(stream);
        return target.readStream(stream, ...rest);
      };
    },
  });
}

describe('a decision that depends on other resources', () => {
  test('sees them as they are, whichever were loaded before', async () => {
    const first = await openLedger();
    await first.execute('network', network, 'CreateNetwork', { segments: [vlan] });
    await first.execute('agent', ovsOn('host-a'), 'RegisterAgent', { configurations });
    const { execute } = await openLedger({ store: first.store, clock: first.clock });
    const created = done(await execute('port', port, 'CreatePort', { networkId: network, host: 'host-a' }));
    expect(created.state).toMatchObject({ binding: { vifType: 'ovs', driver: 'openvswitch' } });
  });

  test('loads those it names and no others, however many there are', async () => {
    const loaded: string[] = [];
    const store = noting(await openStore('memory:', { clock: 'manual', now: () => 0 }), loaded);
    const { execute, clock } = await openLedger({ store });
    await execute('network', network, 'CreateNetwork', { segments: [vlan] });
    for (let n = 0; n < 200; n++) await execute('agent', ovsOn(`host-${n}`), 'RegisterAgent', { configurations });

    const restarted = await openLedger({ store, clock });
    loaded.length = 0;
    await restarted.execute('port', port, 'CreatePort', { networkId: network, host: 'host-7' });
    const types = defaultMechanismDrivers.flatMap(({ agentType }) => agentType ?? []);
    const agents = types.map((type) => `agent-host-7:${type}`);
    expect(loaded).toEqual([`port-${port}`, `network-${network}`, ...agents]);
  });

  test('may name others where the settings say so', async () => {
    const rack: MechanismDriver = {
      name: 'rack',
      vnicTypes: ['normal'],
      connectivity: 'l2',
      agentType: 'Rack agent',
      reporter: 'agent',
      bind: ({ segments: [segment], agent }) => ({
        verdict: 'bound',
        segment: segment!,
        vifType: 'other',
        vifDetails: { alive: agent?.alive ?? null },
      }),
    };
    const { execute } = await openLedger({ settings: { mechanismDrivers: [rack] } });
    await execute('network', network, 'CreateNetwork', { segments: [vlan] });
    await execute('agent', 'host-a:Rack agent', 'RegisterAgent');
    const created = done(await execute('port', port, 'CreatePort', { networkId: network, host: 'host-a' }));
    expect(created.state).toMatchObject({ binding: { driver: 'rack', vifDetails: { alive: true } } });
  });
});
