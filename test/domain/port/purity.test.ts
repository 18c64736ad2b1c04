import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Related } from '../../../src/domain/kernel/aggregate.ts';
import { Refusal } from '../../../src/domain/kernel/refusal.ts';
import { portAggregate } from '../../../src/domain/port/index.ts';
import type { Port } from '../../../src/domain/port/state.ts';
import { Resource } from '../../support/story.ts';
import { type Given, portCommand } from './commands.ts';
import { networkId, subnetId } from './surroundings.ts';

/** A network with DHCP, and an agent on `host-a`; `host-b` has none. */
const surroundings: Related = {
  heardAt: () => null,
  stateOf({ kind, id }) {
    if (kind === 'network' && id === networkId) {
      const segment = { id: subnetId, networkType: 'vlan', physicalNetwork: 'p', segmentationId: 1 };
      const subnet = { id: subnetId, cidr: '10.0.0.0/24', enableDhcp: true, segmentId: null };
      return { segments: [segment], subnets: [subnet], dhcpAgents: [{ host: 'host-d' }] };
    }
    if (id !== 'host-a:Open vSwitch agent') return null;
    const configurations = { bridge_mappings: { p: 'br' } };
    return { alive: true, adminStateUp: true, lastHeartbeatAt: '2999-01-01T00:00:00.000Z', configurations };
  },
};

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** The events of a command, or the refusal it meets. */
function answer(port: Resource<Port>, [type, data]: Given): unknown {
  try {
    return port.decide(type, data);
  } catch (error) {
    if (error instanceof Refusal) return error.slug;
    throw error;
  }
}

describe('a decision about a port', () => {
  test('changes nothing it is given, is always the same, and finds nothing to do the second time', () => {
    fc.assert(
      fc.property(fc.array(portCommand, { minLength: 1, maxLength: 40 }), (commands) => {
        const port = new Resource<Port>(portAggregate);
        port.facts = { related: surroundings };
        for (const command of commands) {
          if (port.state) port.state = structuredClone(port.state);
          deepFreeze(port.state);
          const first = answer(port, command);
          expect(answer(port, command)).toEqual(first);
          port.state = structuredClone(port.state);
          if (!Array.isArray(first)) continue;
          for (const event of first) port.record(event);
          expect(answer(port, command)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('leads to a state that is plain JSON', () => {
    fc.assert(
      fc.property(fc.array(portCommand, { minLength: 1, maxLength: 40 }), (commands) => {
        const port = new Resource<Port>(portAggregate);
        port.facts = { related: surroundings };
        for (const command of commands) {
          const events = answer(port, command);
          if (!Array.isArray(events)) continue;
          for (const event of events) port.record(event);
          expect(JSON.parse(JSON.stringify(port.state))).toEqual(port.state);
        }
      }),
      { numRuns: 100 },
    );
  });
});
