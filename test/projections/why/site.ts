import { expect } from 'vitest';
import type { Kind } from '../../../src/domain/kernel/resource.ts';
import type { Explanation, Why } from '../../../src/domain/why/explanation.ts';
import type { clientOf } from '../../api/support.ts';
import { nthId } from '../../support/ledger.ts';

type Client = ReturnType<typeof clientOf>;

let stories = 0;

/** A story on a ledger that tells many: ids and hosts of its own, and agents that beat until they fall silent. */
export function storyOn(client: Client) {
  const number = ++stories;
  const beating = new Set<string>();
  const id = (n: number): string => nthId(number * 0x1000 + n);
  const host = (name: string): string => `${name}-${number}`;
  const agent = (on: string, type = 'Open vSwitch agent'): string => `${host(on)}:${type}`;
  const pathOf = (kind: Kind, of: string): string => `/v1/${kind}s/${encodeURIComponent(of)}`;

  const ask = async (path: string) => {
    const answer = await client.get(path);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  /** Lets time pass and everything follow that follows; agents beat every half minute. */
  const pass = async (seconds: number): Promise<void> => {
    for (let left = seconds; left >= 0; left -= 30) {
      await client.post('/v1/clock', { advance: `PT${Math.max(Math.min(left, 30), 0)}S` });
      for (const each of beating)
        await client.post(`${pathOf('agent', each)}/commands`, { type: 'Heartbeat', data: {} });
      if (left === 0) break;
    }
    await client.post('/v1/clock', { advance: 'PT0S' });
  };
  /** Gives a command, and lets everything follow that follows. */
  const tell = async (kind: Kind, of: string, type: string, data: object = {}) => {
    const answer = await client.post(`${pathOf(kind, of)}/commands`, { type, data }, { 'x-actor': 'someone' });
    expect(answer.status, `${type}: ${answer.text}`).toBe(200);
    await client.post('/v1/clock', { advance: 'PT0S' });
    return answer.body;
  };
  const why = async (kind: Kind, of: string, query = ''): Promise<Why> => {
    const { next: head } = await ask('/v1/events?kind=port&id=-&limit=1');
    return ask(`${pathOf(kind, of)}/why?min_position=${head}${query}`);
  };

  return {
    ...client,
    id,
    host,
    agent,
    pathOf,
    ask,
    pass,
    tell,
    why,
    async register(of: string, configurations: object = {}): Promise<void> {
      await tell('agent', of, 'RegisterAgent', { configurations });
      beating.add(of);
    },
    /** The agent falls silent and is taken for dead. */
    async kill(of: string): Promise<void> {
      beating.delete(of);
      await pass(90);
    },
    /** A network whose ports any tunnel agent can bind, and with DHCP agents on these hosts. */
    async network(n: number, dhcpHosts: readonly string[] = []): Promise<{ networkId: string; fixedIps: object[] }> {
      const networkId = id(n);
      const subnetId = id(n + 1);
      await tell('network', networkId, 'CreateNetwork', { name: `net-${n}`, segments: [{ networkType: 'vxlan' }] });
      await tell('network', networkId, 'AddSubnet', { id: subnetId, cidr: '10.0.0.0/24' });
      for (const each of dhcpHosts) await tell('network', networkId, 'ScheduleDhcpAgent', { host: host(each) });
      return { networkId, fixedIps: [{ subnetId, ipAddress: `10.0.0.${n}` }] };
    },
  };
}

export type Story = ReturnType<typeof storyOn>;

export const tunnels = { tunnel_types: ['vxlan'] };

export const unmet = <P>({ conditions }: Explanation<P>) => conditions.filter(({ met }) => !met);
export const named = ({ conditions }: Why, what: string) => conditions.find((condition) => condition.what === what);
/** What is not met, by name, down the tree. */
export const chain = <P>(told: Explanation<P>): string[] =>
  unmet(told).flatMap(({ what, because }) => [what, ...because.flatMap(chain)]);
/** Every word of the tree. */
export const words = (why: Why): string => JSON.stringify(why);
