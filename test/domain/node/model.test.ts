import fc from 'fast-check';
import { enablePatches, produceWithPatches, setAutoFreeze } from 'immer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deadline, type FoldableEvent, fold } from '../../../src/domain/kernel/aggregate.ts';
import { type DomainEvent, encode } from '../../../src/domain/kernel/events.ts';
import { Refusal } from '../../../src/domain/kernel/refusal.ts';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import { kindOf } from '../../../src/domain/node/provision-machine.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import { verbNames } from '../../../src/domain/node/verbs.ts';
import { reportableEvents } from '../../../src/domain/node/work-reports.ts';
import { Resource } from '../../support/story.ts';
import { neededBy } from './recorded.ts';

/** A node in a busy place: users, workers that crash and lie, a clock, conductors that die. */
class World {
  readonly node = new Resource(nodeAggregate);
  /** The node's stream, as a store would keep it. */
  readonly stream: FoldableEvent[] = [];
  /** Conductors that are lost, and will not report anything. */
  readonly lost = new Set<string>();

  constructor() {
    const record = this.node.record.bind(this.node);
    this.node.record = (event) => {
      this.check(event);
      record(event);
      const { revision, updatedAt: time } = this.state;
      this.stream.push({ ...encode(nodeAggregate.events, event), id: `event-${revision}`, revision, time });
    };
    this.node.execute('EnrollNode', { driver: 'ipmi', conductor: 'c-1' });
  }

  get state(): Node {
    return this.node.state!;
  }

  /** Carries a command out, and checks that giving it again adds nothing. A refusal is an answer like any other. */
  give(type: string, data: object): DomainEvent[] {
    const { now } = this.node;
    const events = this.try(type, data, () => this.node.execute(type, data));
    const after = this.node.now;
    this.node.now = now;
    expect(this.try(type, data, () => this.node.decide(type, data))).toEqual([]);
    this.node.now = after;
    for (const { type: happened, data: lock } of events) {
      const { holder = '', kind } = lock as { holder?: string; kind?: string };
      if (happened === 'NodeReserved' && kind !== 'other' && this.lost.has(holder)) this.takeOver(holder);
    }
    this.holds();
    return events;
  }

  /** A conductor falls silent: what it began before is taken over at once, what is begun for it later as it begins. */
  lose(conductor: string): void {
    this.lost.add(conductor);
    this.takeOver(conductor);
  }

  private takeOver(conductor: string): void {
    const by = ['c-1', 'c-2'].find((other) => !this.lost.has(other));
    this.give('TakeOverConductor', { conductor, lostAt: this.state.updatedAt, ...(by && { by }) });
  }

  private try(type: string, data: object, act: () => DomainEvent[]): DomainEvent[] {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof Refusal)) throw new Error(`${type} ${JSON.stringify(data)} broke down`, { cause: error });
      expect(error.message.length).toBeGreaterThan(10);
      return [];
    }
  }

  /** The clock gives what is due until nothing is: the end of a lock may bring an overdue call-back to light. */
  pass(milliseconds: number): void {
    this.node.now += milliseconds;
    for (let rounds = 0; this.due().length > 0; rounds++) {
      expect(rounds).toBeLessThan(3);
      for (const { command } of this.due()) this.give(command.type, command.data);
    }
  }

  private due(): readonly Deadline[] {
    const time = new Date(this.node.now).toISOString();
    return nodeAggregate.deadlines!(this.state, null).filter(({ at }) => at <= time);
  }

  /** What must be true of each event at the moment it happens. */
  private check({ type, data }: DomainEvent): void {
    if (type === 'NodeEnrolled') return;
    const { operation, provisionState, lastToken, attempts, reservation } = this.state;
    if (type === 'NodeReserved') expect((data as { token: number }).token).toBe(lastToken + 1);
    if (type === 'NodeOperationStarted') expect((data as { attempt: number }).attempt).toBe(attempts + 1);
    if (type === 'NodeReleased') expect((data as { token: number }).token).toBe(reservation!.token);
    if (type !== 'NodeProvisionStateChanged') return;
    const { event, from } = data as { event: string; from: string };
    expect(from).toBe(provisionState);
    if (event === 'fail') expect([operation?.attempt, operation?.endedAt]).toEqual([operation?.attempt, null]);
  }

  /** What must be true of the node after every command. */
  private holds(): void {
    const { provisionState, targetProvisionState, reservation, cleaning, callBack, step, operation } = this.state;
    const kind = kindOf(provisionState);
    if (kind === 'working') expect(reservation?.kind).toBe('provision');
    if (reservation?.kind === 'provision') expect(kind).toBe('working');
    if (kind === 'working' || kind === 'waiting' || kind === 'held') expect(operation?.endedAt ?? null).toBe(null);
    expect(targetProvisionState === null).toBe(kind === 'stable');
    expect(callBack !== null).toBe(kind === 'waiting');
    if (step) expect(['working', 'waiting', 'held']).toContain(kind);
    if (cleaning === 'manual') expect(targetProvisionState).toBe('manageable');
    expect(this.state.pastTroubles.length).toBeLessThanOrEqual(10);
    expect(this.node.view.warnings).not.toContainEqual(expect.objectContaining({ sign: 'work-without-lock' }));
    expect(this.waysOut()).not.toEqual([]);
  }

  /**
   * Verbs, reports and deadlines that lead on from here, without any administrator's force. The lost report nothing, and
   * maintenance ends when somebody ends it, so what matters is what leads on then.
   */
  waysOut(): string[] {
    const state: Node = { ...this.state, maintenance: null };
    const { reservation } = state;
    const isHeld = reservation !== null && !this.lost.has(reservation.holder);
    const reports = isHeld && reservation.kind === 'provision' ? reportableEvents(state) : [];
    const lockEnds = isHeld && reservation.kind !== 'provision' ? ['done or release'] : [];
    const deadlines = nodeAggregate.deadlines!(state, null).map(({ name }) => name);
    const { allowed } = nodeAggregate.view!(state) as { allowed: string[] };
    return [...allowed, ...reports, ...lockEnds, ...deadlines];
  }
}

const holders = fc.constantFrom('c-1', 'c-2', 'console');
const proofs = fc.constantFrom('none', 'holder', 'name', 'token', 'attempt', 'old token', 'old attempt');

function proofOf(kind: string, name: string, { reservation, lastToken, attempts }: Node): object {
  const proof: Record<string, object> = {
    none: {},
    holder: reservation ? { holder: reservation.holder } : {},
    name: { holder: name },
    token: lastToken > 0 ? { token: lastToken } : {},
    attempt: attempts > 0 ? { attempt: attempts } : {},
    'old token': lastToken > 1 ? { token: lastToken - 1 } : {},
    'old attempt': attempts > 1 ? { attempt: attempts - 1 } : {},
  };
  return proof[kind]!;
}

/** A command, made when its turn comes, since what it proves depends on the node. */
class Command implements fc.Command<object, World> {
  readonly name: string;
  readonly make: (node: Node) => [type: string, data: object];

  constructor(name: string, make: (node: Node) => [type: string, data: object]) {
    this.name = name;
    this.make = make;
  }

  check = (): boolean => true;
  toString = (): string => this.name;

  run(_model: object, world: World): void {
    world.give(...this.make(world.state));
  }
}

/** What befalls the world rather than the node. */
class Happening implements fc.Command<object, World> {
  readonly name: string;
  readonly happen: (world: World) => void;

  constructor(name: string, happen: (world: World) => void) {
    this.name = name;
    this.happen = happen;
  }

  check = (): boolean => true;
  toString = (): string => this.name;
  run = (_model: object, world: World): void => this.happen(world);
}

class Pass implements fc.Command<object, World> {
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }
  check = (): boolean => true;
  toString = (): string => `${this.milliseconds} ms pass`;
  run(_model: object, world: World): void {
    world.pass(this.milliseconds);
  }
}

const command = (name: string, make: Command['make']) => new Command(name, make);
const verb = (target: string) => command(target, () => ['SetProvisionState', { target, ...neededBy[target] }]);
/** Work that must be done in so much time, or shown to go on. */
const borrowed = (target: string) =>
  command(`${target}, lent`, () => ['SetProvisionState', { target, ...neededBy[target], leaseMs: 90_000 }]);
const report = (event: string, proof: string, name: string, more: object = {}) =>
  command(`report ${event} (${proof})`, (node) => [
    'ReportProvisionEvent',
    { event, ...proofOf(proof, name, node), ...more },
  ]);

/** What makes sense at the moment is frequent, so that lives are long and reach every state; all else comes too. */
const sensible = fc.nat(20).map((choice) =>
  command(`go on (${choice})`, (node) => {
    const { allowed } = nodeAggregate.view!(node) as { allowed: string[] };
    const target = allowed[choice % allowed.length];
    if (target) return ['SetProvisionState', { target, ...neededBy[target] }];
    const reports = reportableEvents(node);
    const event = reports[choice % reports.length] ?? 'done';
    return [
      'ReportProvisionEvent',
      { event, token: node.reservation?.token, ...(event === 'fail' && { error: 'it broke' }) },
    ];
  }),
);
const callBacks = fc.constantFrom('resume', 'hold', 'fail', 'done').map((event) => report(event, 'none', 'c-1'));
const anyReport = fc
  .tuple(fc.constantFrom('done', 'fail', 'wait', 'resume', 'hold', 'clean', 'manage', 'error'), proofs, holders)
  .map(([event, proof, name]) => report(event, proof, name));
const steps = fc
  .tuple(fc.boolean(), fc.constantFrom('erase', 'write'))
  .map(([abortable, name]) => report('step', 'holder', 'c-1', { step: { name, abortable } }));

const others = fc.constantFrom(
  command('reserve', () => ['ReserveNode', { holder: 'console', purpose: 'console' }]),
  command('borrow', () => ['ReserveNode', { holder: 'console', purpose: 'console', leaseMs: 60_000 }]),
  command('release', ({ reservation }) => ['ReleaseNode', reservation ? { token: reservation.token } : {}]),
  command('release by a stranger', () => ['ReleaseNode', { holder: 'stranger' }]),
  command('break', ({ reservation }) => [
    'BreakReservation',
    { reason: 'the rack burns', ...(reservation && { token: reservation.token }) },
  ]),
  command('maintain', () => ['SetMaintenance', { reason: 'a look' }]),
  command('fault', () => ['SetMaintenance', { fault: 'power failure' }]),
  command('end maintenance', () => ['ClearMaintenance', {}]),
  command('power off', () => ['SetPowerState', { target: 'power off', timeoutMs: 30_000 }]),
  command('reboot', () => ['SetPowerState', { target: 'rebooting' }]),
  command('power seen', () => ['ReportPowerState', { powerState: 'power on' }]),
  command('power lost', () => ['ReportPowerState', { error: 'no answer' }]),
  new Happening('c-1 dies', (world) => world.lose('c-1')),
  new Happening('c-2 dies', (world) => world.lose('c-2')),
  new Happening('c-1 is back', ({ lost }) => lost.delete('c-1')),
  new Happening('c-2 is back', ({ lost }) => lost.delete('c-2')),
  command('c-1 restarts', ({ updatedAt: lostAt }) => ['TakeOverConductor', { conductor: 'c-1', by: 'c-1', lostAt }]),
  command('associate', () => ['UpdateNode', { instanceId: 'aaaaaaaa-0000-4000-8000-000000000001' }]),
  command('let go', () => ['UpdateNode', { instanceId: null }]),
  command('retire', ({ retired }) => ['UpdateNode', { retired: !retired }]),
  command('beat', ({ lastToken }) => ['Heartbeat', lastToken > 0 ? { token: lastToken } : {}]),
);

const life = fc.commands(
  [
    fc.constantFrom(...verbNames).map(verb),
    fc.constantFrom('manage', 'provide', 'active', 'clean', 'service', 'abort', 'unhold', 'deleted').map(verb),
    fc.constantFrom('manage', 'provide', 'active', 'clean', 'service', 'abort', 'rescue', 'deleted').map(borrowed),
    sensible,
    sensible,
    sensible,
    sensible,
    sensible,
    callBacks,
    anyReport,
    steps,
    others,
    fc.constantFrom(1000, 400_000, 2_000_000).map((milliseconds) => new Pass(milliseconds)),
  ],
  { maxCommands: 80, size: 'max' },
);

/** As subscribers' patches are made. */
const foldedByImmer = (node: Node, event: FoldableEvent): Node =>
  produceWithPatches(node, (draft) => {
    fold(nodeAggregate, node.id, draft as Node, event);
  })[0];

/** An operator who takes every node home: frees it, fails what runs, and asks for what is allowed. */
function takeHome(world: World): void {
  const home: Record<string, string> = {
    enroll: 'manage',
    manageable: 'provide',
    'clean failed': 'manage',
    'inspect failed': 'manage',
    'adopt failed': 'manage',
    'clean wait': 'abort',
    'clean hold': 'abort',
    'inspect wait': 'abort',
  };
  const { reservation } = world.state;
  if (reservation) world.give('BreakReservation', { reason: 'going home', token: reservation.token });
  world.give('ClearMaintenance', {});
  if (world.state.retired) world.give('UpdateNode', { retired: false });
  const { step } = world.state;
  if (step && !step.abortable) {
    world.give('SetProvisionState', { target: 'unhold' });
    world.give('ReportProvisionEvent', { event: 'fail' });
  }
  if (world.state.provisionState !== 'available') {
    const { provisionState } = world.state;
    world.give('SetProvisionState', { target: home[provisionState] ?? 'deleted' });
  }
  if (world.state.provisionState === 'deleting')
    world.give('ReportProvisionEvent', { event: 'clean', holder: holder(world) });
  if (kindOf(world.state.provisionState) === 'working') {
    world.give('ReportProvisionEvent', { event: 'done', holder: holder(world) });
  }
}

const holder = ({ state }: World): string => state.reservation!.holder;

describe('a node in any life', () => {
  beforeAll(() => {
    enablePatches();
    setAutoFreeze(false);
  });
  afterAll(() => setAutoFreeze(true));

  test('never hangs, loses no lock, fails once an attempt, and does nothing twice', () => {
    fc.assert(
      fc.property(life, (commands) => {
        const world = new World();
        fc.modelRun(() => ({ model: {}, real: world }), commands);
      }),
      { numRuns: 200 },
    );
  });

  test('can be brought home to available from wherever it is', () => {
    fc.assert(
      fc.property(life, (commands) => {
        const world = new World();
        fc.modelRun(() => ({ model: {}, real: world }), commands);
        world.lost.clear(); // somebody starts the conductors again
        for (let tries = 0; tries < 12 && world.state.provisionState !== 'available'; tries++) takeHome(world);
        expect(world.state.provisionState).toBe('available');
      }),
      { numRuns: 100 },
    );
  });

  test('is the same live, replayed, from a snapshot, and folded through immer', () => {
    fc.assert(
      fc.property(life, fc.nat(100), (commands, cut) => {
        const world = new World();
        fc.modelRun(() => ({ model: {}, real: world }), commands);
        const stored = JSON.stringify(world.stream);
        const { id } = world.node;

        let replayed: Node | null = null;
        let patched: Node | null = null;
        for (const event of world.stream) {
          patched = patched ? foldedByImmer(patched, event) : fold(nodeAggregate, id, null, event);
          replayed = fold(nodeAggregate, id, replayed, event);
          if (event.revision === cut) replayed = JSON.parse(JSON.stringify(replayed));
          expect(JSON.stringify(patched)).toBe(JSON.stringify(replayed));
        }
        expect(JSON.stringify(replayed)).toBe(JSON.stringify(world.state));
        expect(JSON.stringify(world.stream)).toBe(stored);
      }),
      { numRuns: 60 },
    );
  });
});
