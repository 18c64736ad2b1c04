import { describe, expect, test } from 'vitest';
import {
  type KnownState,
  kindOf,
  type MachineFault,
  machine,
  type Position,
  type ProvisionEvent,
  positionAt,
  provisionEvents,
  provisionStates,
  step,
} from '../../../src/domain/node/provision-machine.ts';
import { transition } from '../../../src/domain/node/transition.ts';
import { vectors } from './recorded.ts';

interface MachineFile {
  states: { value: KnownState; stable: boolean; target: KnownState | null }[];
  events: string[];
  transitions: { from: string; event: string; to: string }[];
  constants: Record<string, string[]>;
}

interface PairRow {
  state: string;
  event: string;
  allowed: boolean;
  to?: string;
  target?: string | null;
}

interface TargetRow {
  state: string;
  event: string;
  initial_target_arg: string | null;
  event_target_arg: string | null;
  to: string;
  target: string | null;
}

interface InvalidRow {
  state?: string;
  event?: string;
  event_target_arg?: string;
  initialize?: string | null;
  result: string;
}

interface TaskRow {
  from: KnownState;
  event: ProvisionEvent;
  node_target_before: KnownState | null;
  callback: boolean;
  target_state_arg: KnownState | null;
  last_error_arg: string | null;
  to: string;
  node_target_after: string | null;
  last_error_after: string | null;
  lock_held_after_return: boolean;
  notification: [string, string, string, string | null];
}

const fsm = vectors<MachineFile>('fsm.json');
const recorded = vectors<{ pairs: PairRow[]; targets: TargetRow[]; invalid: InvalidRow[] }>('fsm-vectors.json');
const tasks = vectors<TaskRow[]>('task-manager-vectors.json');

const walk = (state: string | null, initial: string | null, event: string, target: string | null) => {
  const at = positionAt(state, initial);
  return 'fault' in at ? at : step(at as Position, event, target);
};

describe("Ironic's machine and this one", () => {
  test('have the same states, with the same default targets', () => {
    expect(provisionStates.toSorted()).toEqual(fsm.states.map((state) => state.value).sort());
    for (const { value, stable, target } of fsm.states) {
      expect([value, kindOf(value) === 'stable', machine[value].target]).toEqual([value, stable, target]);
    }
  });

  test('have the same events and the same edges', () => {
    expect([...provisionEvents]).toEqual(fsm.events);
    const edges = provisionStates.flatMap((from) =>
      Object.entries(machine[from].on).map(([event, to]) => ({ from, event, to })),
    );
    const sorted = (list: object[]) => list.map((edge) => JSON.stringify(edge)).sort();
    expect(sorted(edges)).toEqual(sorted(fsm.transitions));
  });

  test('mean the same by stable, unstable and stuck', () => {
    const ofKind = (...kinds: string[]) => provisionStates.filter((state) => kinds.includes(kindOf(state))).sort();
    expect(ofKind('stable')).toEqual(fsm.constants.STABLE_STATES!.toSorted());
    expect(ofKind('working', 'waiting')).toEqual(fsm.constants.UNSTABLE_STATES!.toSorted());
    expect(ofKind('working')).toEqual(fsm.constants.STUCK_STATES_TREATED_AS_FAIL!.toSorted());
    expect(ofKind('failed')).toEqual(fsm.constants.FAILURE_STATES!.toSorted());
  });

  test('a target is always a stable state', () => {
    const targets = provisionStates.map((state) => machine[state].target).filter((target) => target !== null);
    expect(targets.filter((target) => kindOf(target) !== 'stable')).toEqual([]);
  });
});

describe('one step', () => {
  test.each(recorded.pairs)('$state, $event', ({ state, event, allowed, to, target }) => {
    const expected = allowed ? { state: to, target } : { fault: 'no-transition', state, event };
    expect(walk(state, null, event, null)).toEqual(expected);
  });

  test('leads to the recorded target, whatever target there was and whatever target is given', () => {
    const differing = recorded.targets.filter((row) => {
      const reached = walk(row.state, row.initial_target_arg, row.event, row.event_target_arg) as Position;
      return reached.state !== row.to || reached.target !== row.target;
    });
    expect(differing).toEqual([]);
    expect(recorded.targets.length).toBeGreaterThan(4000);
  });

  const faults: Record<MachineFault['fault'], RegExp> = {
    'undefined-state': /undefined state/,
    'no-transition': /no defined transition/,
    'undefined-target': /does not exist/,
    'unstable-target': /not a 'stable' state/,
  };

  test.each(recorded.invalid)('is refused: $result', ({ state, event, event_target_arg, initialize, result }) => {
    const answer = walk(state ?? initialize ?? null, null, event ?? 'deploy', event_target_arg ?? null);
    expect(result).toMatch(faults[(answer as MachineFault).fault]);
  });

  test('names an event that lives on every object as unknown', () => {
    expect(walk('available', null, 'constructor', null)).toMatchObject({ fault: 'no-transition' });
    expect(walk('toString', null, 'deploy', null)).toMatchObject({ fault: 'undefined-state' });
  });
});

describe('what a node stores after a step', () => {
  test('is what Ironic stored: state, target, last error, lock and kind of notification', () => {
    const differing = tasks.filter((row) => {
      const origin = {
        provisionState: row.from,
        targetProvisionState: row.node_target_before,
        lastError: 'old error',
      };
      const options = { worker: row.callback, target: row.target_state_arg, error: row.last_error_arg };
      const stored = transition(origin, row.event, options);
      const [notification, , from, targetBefore] = row.notification;
      return (
        stored.to !== row.to ||
        stored.targetAfter !== row.node_target_after ||
        stored.lastError !== row.last_error_after ||
        stored.locked !== row.lock_held_after_return ||
        `baremetal.node.provision_set.${stored.phase}` !== notification ||
        stored.from !== from ||
        stored.targetBefore !== targetBefore
      );
    });
    expect(differing).toEqual([]);
    expect(tasks.length).toBeGreaterThan(1000);
  });

  test('cannot be computed for a step that does not exist, or from a target that is not stable', () => {
    const origin = { provisionState: 'enroll', targetProvisionState: null, lastError: null } as const;
    expect(() => transition(origin, 'deploy', { worker: true })).toThrow('no-transition');
    const odd = { provisionState: 'cleaning', targetProvisionState: 'deploying', lastError: null } as const;
    expect(() => transition(odd, 'done', { worker: false })).toThrow('unstable-target');
  });
});
