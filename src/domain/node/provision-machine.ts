import type { Foreign } from '../kernel/observation.ts';

/**
 * Ironic's provision state machine as one table: what each state is, what it is on the way to, and where each event
 * leads. Nothing here knows of commands, locks or time.
 */

export const provisionStates = [
  'enroll',
  'verifying',
  'manageable',
  'available',
  'active',
  'error',
  'rescue',
  'deploying',
  'wait call-back',
  'deploy hold',
  'deploy failed',
  'deleting',
  'cleaning',
  'clean wait',
  'clean hold',
  'clean failed',
  'inspecting',
  'inspect wait',
  'inspect failed',
  'adopting',
  'adopt failed',
  'rescuing',
  'rescue wait',
  'rescue failed',
  'unrescuing',
  'unrescue failed',
  'servicing',
  'service wait',
  'service hold',
  'service failed',
] as const;
export type KnownState = (typeof provisionStates)[number];
/** A node that was observed may be in a state that the machine does not know. */
export type ProvisionState = KnownState | Foreign;

export const provisionEvents = [
  'abort',
  'adopt',
  'clean',
  'delete',
  'deploy',
  'done',
  'fail',
  'hold',
  'inspect',
  'manage',
  'provide',
  'rebuild',
  'rescue',
  'resume',
  'service',
  'unhold',
  'unrescue',
  'wait',
] as const;
export type ProvisionEvent = (typeof provisionEvents)[number];

/** What is being done to a node in the states that are not stable. */
export type Activity =
  | 'verify'
  | 'deploy'
  | 'delete'
  | 'clean'
  | 'inspect'
  | 'adopt'
  | 'rescue'
  | 'unrescue'
  | 'service';

/**
 * `stable`: nothing is under way, and no target is kept. `working`: a worker is at it, under a lock. `waiting`: the
 * worker is gone and the node's own ramdisk must call back. `held`: an operator must let it go on. `failed`: the
 * target says what was attempted. `foreign`: the machine does not know the state, so nothing leads on from it but
 * another observation.
 */
export type StateKind = 'stable' | 'working' | 'waiting' | 'held' | 'failed' | 'foreign';

interface StateRule {
  readonly kind: StateKind;
  readonly activity: Activity | null;
  /** Where a node in this state is on the way to if nobody said otherwise. */
  readonly target: KnownState | null;
  readonly on: Readonly<Partial<Record<ProvisionEvent, KnownState>>>;
}

type Edges = StateRule['on'];
const stable = (on: Edges): StateRule => ({ kind: 'stable', activity: null, target: null, on });
const towards =
  (activity: Activity, target: KnownState) =>
  (kind: StateKind, on: Edges): StateRule => ({ kind, activity, target, on });

const verify = towards('verify', 'manageable');
const deploy = towards('deploy', 'active');
const remove = towards('delete', 'available');
const clean = towards('clean', 'available');
const inspect = towards('inspect', 'manageable');
const adopt = towards('adopt', 'active');
const rescue = towards('rescue', 'rescue');
const unrescue = towards('unrescue', 'active');
const service = towards('service', 'active');

export const machine: Readonly<Record<KnownState, StateRule>> = {
  enroll: stable({ manage: 'verifying' }),
  manageable: stable({ provide: 'cleaning', clean: 'cleaning', inspect: 'inspecting', adopt: 'adopting' }),
  available: stable({ deploy: 'deploying', manage: 'manageable' }),
  active: stable({ rebuild: 'deploying', delete: 'deleting', rescue: 'rescuing', service: 'servicing' }),
  error: stable({ rebuild: 'deploying', delete: 'deleting' }),
  rescue: stable({ rescue: 'rescuing', unrescue: 'unrescuing', delete: 'deleting' }),

  verifying: verify('working', { done: 'manageable', fail: 'enroll' }),

  deploying: deploy('working', { done: 'active', fail: 'deploy failed', wait: 'wait call-back', hold: 'deploy hold' }),
  'wait call-back': deploy('waiting', {
    resume: 'deploying',
    hold: 'deploy hold',
    fail: 'deploy failed',
    abort: 'deploy failed',
    delete: 'deleting',
  }),
  'deploy hold': deploy('held', { unhold: 'wait call-back', abort: 'deploy failed' }),
  'deploy failed': deploy('failed', { deploy: 'deploying', rebuild: 'deploying', delete: 'deleting' }),

  deleting: remove('working', { clean: 'cleaning', fail: 'error' }),

  cleaning: clean('working', {
    done: 'available',
    manage: 'manageable',
    fail: 'clean failed',
    wait: 'clean wait',
    hold: 'clean hold',
  }),
  'clean wait': clean('waiting', {
    resume: 'cleaning',
    hold: 'clean hold',
    fail: 'clean failed',
    abort: 'clean failed',
  }),
  'clean hold': clean('held', { unhold: 'clean wait', abort: 'clean failed' }),
  'clean failed': clean('failed', { manage: 'manageable' }),

  inspecting: inspect('working', { done: 'manageable', fail: 'inspect failed', wait: 'inspect wait' }),
  'inspect wait': inspect('waiting', {
    resume: 'inspecting',
    done: 'manageable',
    fail: 'inspect failed',
    abort: 'inspect failed',
  }),
  'inspect failed': inspect('failed', { inspect: 'inspecting', manage: 'manageable' }),

  adopting: adopt('working', { done: 'active', fail: 'adopt failed' }),
  'adopt failed': adopt('failed', { adopt: 'adopting', manage: 'manageable' }),

  rescuing: rescue('working', { done: 'rescue', fail: 'rescue failed', wait: 'rescue wait' }),
  'rescue wait': rescue('waiting', {
    resume: 'rescuing',
    fail: 'rescue failed',
    abort: 'rescue failed',
    delete: 'deleting',
  }),
  'rescue failed': rescue('failed', { rescue: 'rescuing', unrescue: 'unrescuing', delete: 'deleting' }),

  unrescuing: unrescue('working', { done: 'active', fail: 'unrescue failed' }),
  'unrescue failed': unrescue('failed', { rescue: 'rescuing', unrescue: 'unrescuing', delete: 'deleting' }),

  servicing: service('working', { done: 'active', fail: 'service failed', wait: 'service wait', hold: 'service hold' }),
  'service wait': service('waiting', {
    resume: 'servicing',
    hold: 'service hold',
    fail: 'service failed',
    abort: 'service failed',
    delete: 'deleting',
  }),
  'service hold': service('held', {
    unhold: 'service wait',
    service: 'servicing',
    fail: 'service failed',
    abort: 'service failed',
  }),
  'service failed': service('failed', {
    service: 'servicing',
    rescue: 'rescuing',
    wait: 'service wait',
    hold: 'service hold',
    abort: 'active',
    delete: 'deleting',
  }),
};

const foreignState: StateRule = { kind: 'foreign', activity: null, target: null, on: {} };

/** Whether the machine knows the word as a state. */
export const isState = (word: string | null): word is KnownState => word !== null && Object.hasOwn(machine, word);

export const ruleOf = (state: ProvisionState): StateRule => (isState(state) ? machine[state] : foreignState);

export const kindOf = (state: ProvisionState): StateKind => ruleOf(state).kind;

/** Where an event leads, or undefined where the state does not know it. The event may be any word somebody sent. */
export function nextState(from: ProvisionState, event: string): KnownState | undefined {
  const { on } = ruleOf(from);
  return Object.hasOwn(on, event) ? on[event as ProvisionEvent] : undefined;
}

/** A node in the machine: where it is, and where it is on the way to. */
export interface Position {
  readonly state: KnownState;
  readonly target: KnownState | null;
}

/** What is wrong with a position or a step: there is no such thing in the machine. */
export type MachineFault =
  | { readonly fault: 'undefined-state'; readonly state: string | null }
  | { readonly fault: 'no-transition'; readonly state: KnownState; readonly event: string }
  | { readonly fault: 'undefined-target'; readonly target: string }
  | { readonly fault: 'unstable-target'; readonly target: KnownState };

export const isFault = (result: Position | MachineFault): result is MachineFault => 'fault' in result;

function targetFault(target: string | null): MachineFault | null {
  if (target === null) return null;
  if (!isState(target)) return { fault: 'undefined-target', target };
  return kindOf(target) === 'stable' ? null : { fault: 'unstable-target', target };
}

/** Puts a node into the machine. One whose target is not kept is on the way to where its state leads by default. */
export function positionAt(state: string | null, target: string | null): Position | MachineFault {
  if (!isState(state)) return { fault: 'undefined-state', state };
  return targetFault(target) ?? { state, target: (target as KnownState | null) ?? machine[state].target };
}

/**
 * One step. A target that is reached is dropped; a state with a target of its own sets that; a target given with the
 * event goes before both. The machine keeps a target it neither reached nor replaced, even in a stable state: what the
 * node stores is another matter.
 */
export function step(at: Position, event: string, target: string | null = null): Position | MachineFault {
  const fault = targetFault(target);
  if (fault) return fault;
  const to = nextState(at.state, event);
  if (!to) return { fault: 'no-transition', state: at.state, event };

  const kept = at.target === to ? null : at.target;
  return { state: to, target: (target as KnownState | null) ?? machine[to].target ?? kept };
}
