import { type Action, actionNames, actionOf, stepsOf } from './actions.ts';
import { type Condition, type TaskState, type VmState, vmStates } from './states.ts';

/** The two variables that rules move. Power follows the hypervisor and surprises nobody. */
type Place = Pick<Condition, 'vmState' | 'taskState'>;

interface Path {
  readonly action: Action;
  readonly start: VmState;
  readonly steps: readonly Place[];
  readonly ends: readonly Place[];
}

const at = (vmState: VmState, taskState: TaskState | null = null): Place => ({ vmState, taskState });
const same = (a: Place, b: Place): boolean => a.vmState === b.vmState && a.taskState === b.taskState;

/** Where an action may end that began in `start`. A resized server may have been running or not. */
function endsOf({ ends, steps }: Action, start: VmState): VmState[] {
  const either: VmState[] = ['active', 'stopped'];
  const asItRan: VmState[] = start === 'resized' ? either : [start === 'stopped' ? 'stopped' : 'active'];
  const open: Readonly<Record<string, VmState[]>> = { 'as-before': [start], 'by-power': either, 'as-it-ran': asItRan };
  const special = steps.flatMap((step) => (step.ends ? [step.ends.vmState as VmState] : []));
  return [...(open[ends.vmState] ?? [ends.vmState as VmState]), ...special];
}

function pathOf(action: Action, start: VmState): Path {
  const ends = endsOf(action, start);
  let vmState = start;
  const steps = stepsOf(action, ends.includes('stopped') ? 'stopped' : ends[0]!).map(({ task, enters }) => {
    vmState = enters?.vmState ?? vmState;
    return at(vmState, task);
  });
  return { action, start, steps, ends: ends.map((end) => at(end)) };
}

const paths: readonly Path[] = actionNames.map(actionOf).flatMap((action) => {
  const starts = action.guard.vmStates === 'any' ? vmStates : action.guard.vmStates;
  return starts.map((start) => pathOf(action, start));
});

function leadsThrough({ action, start, steps, ends }: Path, from: Place, to: Place): boolean {
  const { taskStates } = action.guard;
  const starting = from.vmState === start && (taskStates === 'any' || taskStates.includes(from.taskState));
  const position = starting ? -1 : steps.findIndex((step) => same(step, from));
  if (!starting && position < 0) return false;
  return [...steps.slice(position + 1), ...ends].some((place) => same(place, to));
}

const builds: Readonly<Partial<Record<VmState, readonly VmState[]>>> = {
  building: ['building', 'active', 'pending'],
  pending: ['building'],
};

/**
 * Whether one action, one build or one failure leads from one state to the other, with steps in between that nobody saw.
 * Whatever lives may be deleted or become ERROR.
 */
export function isExpected(from: Place, to: Place): boolean {
  if (same(from, to)) return true;
  if (from.vmState === 'deleted') return false;
  if (to.taskState === null && (to.vmState === 'deleted' || to.vmState === 'error')) return true;
  if (builds[from.vmState]?.includes(to.vmState)) return true;
  if (from.vmState === to.vmState && to.taskState === null) return true;
  return paths.some((path) => leadsThrough(path, from, to));
}
