import { describe, expect, test } from 'vitest';
import { agentRef } from '../../src/domain/agent/identity.ts';
import type { FlowEvent } from '../../src/domain/flows/flow.ts';
import { takeOverConductors } from '../../src/domain/flows/take-over-conductors.ts';
import type { Related } from '../../src/domain/kernel/aggregate.ts';
import { type ResourceRef, streamOf } from '../../src/domain/kernel/resource.ts';
import { nthId } from '../support/ledger.ts';

const conductor = (name: string): ResourceRef => agentRef(name, 'Ironic conductor');
const nodes = [1, 2, 3].map((n): ResourceRef => ({ kind: 'node', id: nthId(n) }));
const time = '2026-01-01T00:01:15.000Z';
const event = (resource: ResourceRef, type: string, data: object = {}): FlowEvent => ({
  ...{ id: 'e', revision: 1, time, resource, type },
  data: data as never,
});

const knowing = (...states: [ResourceRef, object][]): Related => {
  const known = new Map(states.map(([resource, state]) => [streamOf(resource), state]));
  return { stateOf: (resource) => known.get(streamOf(resource)) ?? null, heardAt: () => null };
};
const nobody = knowing();
const reserved = (holder: string, kind = 'provision') => event(nodes[0]!, 'NodeReserved', { holder, kind });

describe('a conductor that falls silent', () => {
  const lost = event(conductor('c-1'), 'AgentLost');

  test('is taken over in its name, by those that are alive in turns, never by itself', () => {
    const found = [...nodes, conductor('c-1'), conductor('c-3'), conductor('c-2')];
    const commands = takeOverConductors.react(lost, nobody, found);
    expect(commands.map(({ resource }) => resource)).toEqual(nodes);
    const taken = (by: string) => ({ conductor: 'c-1', lostAt: time, by });
    expect(commands.map(({ data }) => data)).toEqual([taken('c-2'), taken('c-3'), taken('c-2')]);
    expect(takeOverConductors.actor!(lost)).toBe('take-over of c-1');
  });

  test('is taken over by nobody where none is alive: its work has failed all the same', () => {
    const [command] = takeOverConductors.react(lost, nobody, nodes.slice(0, 1));
    expect(command).toMatchObject({ type: 'TakeOverConductor', data: { conductor: 'c-1', lostAt: time } });
    expect(command!.data).not.toHaveProperty('by');
  });

  test('is not looked for where an agent of another type is lost', () => {
    expect(takeOverConductors.search(event(agentRef('c-1', 'Open vSwitch agent'), 'AgentLost'), nobody)).toEqual([]);
    expect(takeOverConductors.search(event(conductor('c-1'), 'AgentDeleted'), nobody)).toHaveLength(2);
  });
});

describe('a node that is locked', () => {
  const known = (state: object) => knowing([conductor('c-1'), state]);

  test.each([
    ['a lost conductor', known({ alive: false }), 1],
    ['one that was deleted', known({ alive: false, deletedAt: time }), 1],
    ['one that is alive', known({ alive: true }), 0],
    ['one that never introduced itself', nobody, 0],
  ])('for %s', (_who, related, takeOvers) => {
    expect(takeOverConductors.react(reserved('c-1'), related, [])).toHaveLength(takeOvers);
  });

  test('by somebody else, for a while, is left alone', () => {
    expect(takeOverConductors.react(reserved('c-1', 'other'), known({ alive: false }), [])).toEqual([]);
  });
});
