import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentRef, agentTypes } from '../../../src/domain/agent/identity.ts';
import { aggregates } from '../../../src/domain/aggregates.ts';
import { type Lifetime, viewOf } from '../../../src/domain/kernel/aggregate.ts';
import type { Kind, ResourceRef } from '../../../src/domain/kernel/resource.ts';
import { kindOf, provisionStates } from '../../../src/domain/node/provision-machine.ts';
import { explain } from '../../../src/domain/why/explain.ts';
import type { Explanation, Remedy, Why } from '../../../src/domain/why/explanation.ts';
import type { World } from '../../../src/domain/why/world.ts';
import { whyNow, whyThen } from '../../../src/projections/why/why.ts';
import { timestamp } from '../../../src/runtime/clock.ts';
import { lived } from '../../domain/node/lives.ts';
import { portCommand } from '../../domain/port/commands.ts';
import { surroundingsBy } from '../../domain/port/surroundings.ts';
import { live, lives } from '../../domain/server/lives.ts';
import { nthId, openLedger } from '../../support/ledger.ts';
import { unmet } from './site.ts';

const port = { kind: 'port', id: nthId(1) } as const;

/** A world in which there is nothing but one resource, and nobody remembers what happened. */
const alone = (resource: ResourceRef, state: Lifetime): World => ({
  time: '2026-02-01T00:00:00.000Z',
  settings: {},
  stateOf: ({ kind, id }) => (kind === resource.kind && id === resource.id ? state : null) as never,
  heardAt: () => null,
  happened: () => [],
  dependants: () => [],
  agentsOn: () => [],
});

function told(kind: Kind, state: Lifetime) {
  const resource = { kind, id: state.id };
  return explain(resource, alone(resource, viewOf(aggregates[kind], state) as Lifetime));
}

/** What must hold of every explanation, whatever it explains. */
function isSound<P>(told: Explanation<P>): void {
  for (const { met, summary, clearable, because } of told.conditions) {
    expect(summary).toMatch(/^[^{}]{5,}$/);
    expect(summary).not.toMatch(/undefined|null|\[object/);
    expect(clearable === null).toBe(met);
    if (clearable?.command) isCommand(clearable.command);
    for (const other of because) isSound(other);
  }
  for (const { summary, command } of told.hints) {
    expect(summary).not.toMatch(/undefined|null|\[object/);
    if (command) isCommand(command);
  }
  expect(told.verdict === 'fine').toBe(unmet(told).length === 0 && !['gone', 'unknown'].includes(told.verdict));
}

/** A remedy is a command that the resource knows, as it stands. */
function isCommand({ path, body }: Remedy): void {
  const kind = /^\/v1\/(\w+)s\//.exec(path)![1] as Kind;
  expect(aggregates[kind].commands[body.type]!.safeParse(body.data), JSON.stringify(body)).toMatchObject({
    success: true,
  });
}

/** What does not depend on the signs of life that only memory knows. */
const remembered = (why: Why): unknown =>
  JSON.parse(
    JSON.stringify({ ...why, at: null }).replaceAll(/"(lastSeenAt|alive)":("[^"]*"|null|true|false)/g, '"$1":0'),
  );

describe('every state that a port can come to', () => {
  test('has a condition that is not met, or is fine; and is told the same when the present has become the past', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(portCommand, { minLength: 3, maxLength: 25 }), async (commands) => {
        const { execute, store, runtime, clock } = await openLedger({ snapshotEvery: 5 });
        const { createNetwork, scheduleDhcp, registerAgent } = surroundingsBy({
          execute,
          advance: (seconds) => clock.advance(seconds * 1000),
        });
        await createNetwork([{ networkType: 'vxlan' }]);
        await scheduleDhcp();
        await registerAgent(agentRef('host-a', agentTypes.openVswitch), { tunnel_types: ['vxlan'] });
        const sources = { store, aggregates, settings: {}, views: () => null };
        const present = {
          now: () => timestamp(clock.now()),
          current: (of: ResourceRef) => runtime.current(of),
          heardAt: (of: ResourceRef) => runtime.heardAt(of),
        };
        for (const [type, data] of commands) {
          await clock.advance(1000);
          await execute('port', port.id, type, data);
        }
        const now = await whyNow(sources, present, port);
        if (!now) return;
        isSound(now);
        for (const { proof, summary } of now.conditions) expect([summary, proof.length > 0]).toEqual([summary, true]);
        if (now.verdict !== 'gone' && now.status !== 'ACTIVE') expect(unmet(now).length).toBeGreaterThan(0);
        const current = (await runtime.current(port))!;
        const then = await whyThen(sources, port, { by: 'revision', revision: current.revision }, current);
        expect(remembered(then)).toEqual(remembered(now));
      }),
      { numRuns: 60 },
    );
  });
});

describe('every state that a server can come to', () => {
  test('has a condition that is not met while something is done to it or it is in ERROR, and else is fine', () => {
    fc.assert(
      fc.property(lives, (life) => {
        live(life, (server) => {
          const explanation = told('server', server.state!);
          isSound(explanation);
          const { vmState, taskState, operation, deletedAt } = server.state!;
          if (deletedAt !== undefined) return;
          const isBusy = ['building', 'pending', 'error'].includes(vmState) || taskState !== null || operation !== null;
          expect([vmState, taskState, explanation.verdict === 'fine']).toEqual([vmState, taskState, !isBusy]);
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('every state that a node can come to', () => {
  const enrolled = lived({ type: 'EnrollNode', data: { driver: 'ipmi' } }).state!;

  test.each(provisionStates)('%s says what it waits for, or that it is at rest', (provisionState) => {
    const explanation = told('node', { ...enrolled, provisionState } as Lifetime);
    isSound(explanation);
    const isAtRest = kindOf(provisionState) === 'stable' && provisionState !== 'error';
    expect(explanation.verdict === 'fine').toBe(isAtRest);
    if (isAtRest) expect(explanation.conditions).toMatchObject([{ what: 'provision-state', met: true }]);
  });
});
