import { describe, expect, test } from 'vitest';
import { agentRef } from '../../../src/domain/agent/identity.ts';
import type { FlowEvent } from '../../../src/domain/flows/flow.ts';
import { reconsiderPorts } from '../../../src/domain/flows/reconsider-ports.ts';
import { unscheduleDeletedDhcpAgents } from '../../../src/domain/flows/unschedule-deleted-dhcp-agents.ts';
import type { Related } from '../../../src/domain/kernel/aggregate.ts';
import { type ResourceRef, streamOf } from '../../../src/domain/kernel/resource.ts';
import { portAggregate } from '../../../src/domain/port/index.ts';
import { nthId } from '../../support/ledger.ts';
import { story } from '../../support/story.ts';

const port: ResourceRef = { kind: 'port', id: nthId(1) };
const network: ResourceRef = { kind: 'network', id: nthId(100) };
const ovs = agentRef('host-a', 'Open vSwitch agent');
const alive = { type: 'Open vSwitch agent', alive: true, adminStateUp: true };

const event = (resource: ResourceRef, type: string, data: object = {}): FlowEvent => ({
  id: 'e',
  resource,
  revision: 1,
  type,
  time: '2026-01-01T00:00:00.000Z',
  data: data as never,
});

const knowing = (...states: [ResourceRef, object][]): Related => {
  const known = new Map(states.map(([resource, state]) => [streamOf(resource), state]));
  return { stateOf: (resource) => known.get(streamOf(resource)) ?? null, heardAt: () => null };
};

const lookAgain = (cause: string) => [{ resource: port, type: 'ReconsiderPort', data: { cause } }];

describe('an agent that returns', () => {
  const back = event(ovs, 'AgentBack');

  test('is for the failed ports of its host', () => {
    expect(reconsiderPorts.search(back, knowing())).toEqual([
      { kind: 'port', host: 'host-a', vifType: 'binding_failed' },
    ]);
    expect(reconsiderPorts.react(back, knowing([ovs, alive]), [port])).toEqual(lookAgain('agent-back'));
  });

  test('is for nobody while it is administratively down, or serves addresses only', () => {
    expect(reconsiderPorts.react(back, knowing([ovs, { ...alive, adminStateUp: false }]), [port])).toEqual([]);
    const dhcp = agentRef('host-a', 'DHCP agent');
    const served = knowing([dhcp, { ...alive, type: 'DHCP agent' }]);
    expect(reconsiderPorts.react(event(dhcp, 'AgentBack'), served, [port])).toEqual([]);
  });
});

describe('a port that failed just when its agent returned', () => {
  const failed = (agents: object[]) => event(port, 'PortBindingFailed', { host: 'host-a', agents });
  const dead = { type: 'Open vSwitch agent', alive: false };

  test('looks again', () => {
    expect(reconsiderPorts.search(failed([dead]), knowing())).toEqual([]);
    expect(reconsiderPorts.needs!(failed([dead]), knowing())).toContainEqual(ovs);
    expect(reconsiderPorts.react(failed([dead]), knowing([ovs, alive]), [])).toEqual(lookAgain('agent-back'));
    expect(reconsiderPorts.react(failed([]), knowing([ovs, alive]), [])).toEqual(lookAgain('agent-back'));
  });

  test('does not where the agent is still dead, or was alive and could not', () => {
    expect(reconsiderPorts.react(failed([dead]), knowing([ovs, { ...alive, alive: false }]), [])).toEqual([]);
    expect(reconsiderPorts.react(failed([{ ...dead, alive: true }]), knowing([ovs, alive]), [])).toEqual([]);
  });
});

describe('a port that began to wait just when whom it waits for went', () => {
  const waits = (data: object) => event(port, 'ProvisioningComponentAdded', data);
  const onHostA = { entity: 'L2', host: 'host-a' };
  const inNetwork: [ResourceRef, object] = [port, { networkId: network.id }];
  const served = { dhcpAgents: [{ host: 'host-d' }], subnets: [{ enableDhcp: true }] };

  test('looks again', () => {
    expect(reconsiderPorts.react(waits(onHostA), knowing(), [])).toEqual(lookAgain('agent-gone'));
    expect(reconsiderPorts.react(waits(onHostA), knowing([ovs, { deletedAt: 'now' }]), [])).toHaveLength(1);
    const dhcp = waits({ entity: 'DHCP' });
    expect(reconsiderPorts.needs!(dhcp, knowing(inNetwork))).toEqual([port, network]);
    expect(reconsiderPorts.react(dhcp, knowing(inNetwork, [network, { ...served, dhcpAgents: [] }]), [])).toHaveLength(
      1,
    );
    expect(
      reconsiderPorts.react(dhcp, knowing(inNetwork, [network, { ...served, deletedAt: 'now' }]), []),
    ).toHaveLength(1);
  });

  test('does not where there is somebody, or the ledger cannot tell', () => {
    expect(reconsiderPorts.react(waits(onHostA), knowing([ovs, alive]), [])).toEqual([]);
    expect(reconsiderPorts.react(waits({ entity: 'DHCP' }), knowing(inNetwork, [network, served]), [])).toEqual([]);
    expect(reconsiderPorts.react(waits({ entity: 'DHCP' }), knowing([port, { networkId: null }]), [])).toEqual([]);
    expect(reconsiderPorts.react(waits({ entity: 'storage' }), knowing(), [])).toEqual([]);
  });
});

describe('a DHCP agent that is deleted', () => {
  const dhcp = agentRef('host-d', 'DHCP agent');

  test('serves no network any more', () => {
    const deleted = event(dhcp, 'AgentDeleted');
    expect(unscheduleDeletedDhcpAgents.search(deleted, knowing())).toEqual([{ kind: 'network', dhcpHost: 'host-d' }]);
    expect(unscheduleDeletedDhcpAgents.react(deleted, knowing(), [network])).toEqual([
      { resource: network, type: 'UnscheduleDhcpAgent', data: { host: 'host-d', reason: 'the agent was deleted' } },
    ]);
    expect(unscheduleDeletedDhcpAgents.search(event(ovs, 'AgentDeleted'), knowing())).toEqual([]);
  });

  test('is unscheduled as well where it was scheduled at that moment', () => {
    const scheduled = event(network, 'DhcpAgentScheduled', { host: 'host-d' });
    expect(unscheduleDeletedDhcpAgents.react(scheduled, knowing(), [])).toHaveLength(1);
    expect(unscheduleDeletedDhcpAgents.react(scheduled, knowing([dhcp, alive]), [])).toEqual([]);
  });
});

describe('a port that was bound without any agent, and waits for whom its owner has named', () => {
  const waiting = [
    { type: 'CreatePort', data: { host: 'host-a' } },
    { type: 'AddProvisioningComponent', data: { entity: 'L2', host: 'host-a' } },
  ];

  story('is not bound again because there is no agent', portAggregate, waiting, (it) =>
    it
      .when('ReconsiderPort', { cause: 'agent-gone' })
      .events()
      .state({ blocks: [{ entity: 'L2' }] }),
  );
});
