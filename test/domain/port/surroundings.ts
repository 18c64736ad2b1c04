import { agentRef, agentTypes } from '../../../src/domain/agent/identity.ts';
import type { JsonObject } from '../../../src/domain/kernel/json.ts';
import type { Kind, ResourceRef } from '../../../src/domain/kernel/resource.ts';
import type { Outcome } from '../../../src/runtime/command.ts';

export const networkId = 'cccccccc-0000-4000-8000-000000000001';
export const subnetId = 'cccccccc-0000-4000-8000-0000000000ff';
export const dhcpHost = 'dhcp-host';

interface Ledger {
  execute(kind: Kind, id: string, type: string, data?: object): Promise<Outcome>;
  advance(seconds: number): Promise<unknown>;
}

/** A network, and agents that go on beating while time passes, until they fall silent: on any ledger. */
export function surroundingsBy({ execute, advance }: Ledger) {
  const beating = new Map<string, ResourceRef>();

  async function registerAgent(agent: ResourceRef, configurations: JsonObject = {}): Promise<Outcome> {
    beating.set(agent.id, agent);
    return execute('agent', agent.id, 'RegisterAgent', { configurations });
  }

  /** Lets time pass while all agents but the silent ones go on beating. */
  async function pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 30) {
      await advance(Math.min(left, 30));
      for (const agent of beating.values()) await execute('agent', agent.id, 'Heartbeat');
    }
  }

  async function silence(agent: ResourceRef, seconds: number): Promise<void> {
    beating.delete(agent.id);
    await pass(seconds);
  }

  return {
    registerAgent,
    pass,
    silence,
    killAgent: (agent: ResourceRef): Promise<void> => silence(agent, 80),

    async deleteAgent(agent: ResourceRef): Promise<void> {
      beating.delete(agent.id);
      await execute('agent', agent.id, 'DeleteAgent');
    },

    async createNetwork(segments: object[], dhcp: { enableDhcp?: boolean } = {}): Promise<void> {
      await execute('network', networkId, 'CreateNetwork', { segments });
      await execute('network', networkId, 'AddSubnet', { id: subnetId, cidr: '10.0.0.0/24', ...dhcp });
    },

    async scheduleDhcp(): Promise<void> {
      await registerAgent(agentRef(dhcpHost, agentTypes.dhcp));
      await execute('network', networkId, 'ScheduleDhcpAgent', { host: dhcpHost });
    },
  };
}
