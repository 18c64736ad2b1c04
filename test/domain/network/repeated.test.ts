import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentAggregate } from '../../../src/domain/agent/index.ts';
import type { Aggregate, Related } from '../../../src/domain/kernel/aggregate.ts';
import { Refusal } from '../../../src/domain/kernel/refusal.ts';
import { networkAggregate } from '../../../src/domain/network/index.ts';
import { Resource } from '../../support/story.ts';

const everyAgent: Related = { stateOf: ({ id }) => ({ id, revision: 0 }), heardAt: () => null };

const id = fc.constantFrom('22222222-2222-4222-8222-222222222222', '33333333-3333-4333-8333-333333333333');
const of = <T extends object>(type: string, data: fc.Arbitrary<T>) => fc.tuple(fc.constant(type), data);
const nothing = fc.constant({});
const host = fc.record({ host: fc.constantFrom('host-a', 'host-b') });
const segment = fc.record({ id, networkType: fc.constantFrom('local', 'vxlan') }, { requiredKeys: ['networkType'] });
const cidr = fc.constantFrom('10.0.0.0/24', 'fd00::/64');
const subnet = fc.record({ id, cidr, enableDhcp: fc.boolean() }, { requiredKeys: ['cidr'] });

const networkCommand = fc.oneof(
  of('CreateNetwork', fc.record({ name: fc.constantFrom('blue', 'green') })),
  of('AddSegment', segment),
  of('AddSubnet', subnet),
  of('UpdateSubnet', fc.record({ id, enableDhcp: fc.boolean() })),
  of('ScheduleDhcpAgent', host),
  of('UnscheduleDhcpAgent', host),
  of('DeleteNetwork', nothing),
);

const configurations = fc.record({ configurations: fc.record({ tunnel_types: fc.subarray(['vxlan', 'gre']) }) });
const agentCommand = fc.oneof(
  of('RegisterAgent', configurations),
  of('Heartbeat', nothing),
  of('SetAgentAdminState', fc.record({ adminStateUp: fc.boolean() })),
  of('MarkAgentLost', nothing),
  of('DeleteAgent', nothing),
);

const kinds: [string, Aggregate, string, fc.Arbitrary<[string, object]>][] = [
  ['a network', networkAggregate as unknown as Aggregate, '11111111-1111-1111-1111-111111111111', networkCommand],
  ['an agent', agentAggregate as unknown as Aggregate, 'host-a:DHCP agent', agentCommand],
];

describe.each(kinds)('%s', (_name, aggregate, resourceId, command) => {
  test('has nothing to do when a command is repeated at once', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), fc.nat(100_000), (commands, silence) => {
        const resource = new Resource(aggregate, resourceId);
        resource.facts = { related: everyAgent };
        for (const [type, data] of commands) {
          resource.now += silence;
          try {
            resource.execute(type, data);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            continue;
          }
          expect(resource.decide(type, data)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
