import {
  isFault,
  type KnownState,
  kindOf,
  type MachineFault,
  type ProvisionEvent,
  type ProvisionState,
  positionAt,
  step,
} from './provision-machine.ts';

/** How a transition looks to those who follow the node's notifications. */
type Phase = 'start' | 'success' | 'end' | 'error';

const isUnderWay = (state: ProvisionState): boolean => ['working', 'waiting'].includes(kindOf(state));

/** A failure is an error. Else what sets the node in motion starts, what brings it to rest ends; a hold is a rest. */
function phaseOf(event: ProvisionEvent, from: ProvisionState, to: ProvisionState): Phase {
  if (event === 'fail') return 'error';
  if (isUnderWay(from) === isUnderWay(to)) return 'success';
  return isUnderWay(to) ? 'start' : 'end';
}

/** What a transition starts from. */
export interface Origin {
  readonly provisionState: ProvisionState;
  readonly targetProvisionState: KnownState | null;
  readonly lastError: string | null;
}

interface TransitionOptions {
  /** A target that goes before the default, as a manual cleaning has. */
  readonly target?: KnownState | null;
  /** Whether a worker goes on from here, which keeps the lock. */
  readonly worker: boolean;
  readonly error?: string | null;
}

interface Transition {
  readonly event: ProvisionEvent;
  readonly from: KnownState;
  readonly to: KnownState;
  readonly targetBefore: KnownState | null;
  readonly targetAfter: KnownState | null;
  readonly lastError: string | null;
  readonly locked: boolean;
  readonly phase: Phase;
}

/**
 * One step of a node: what it stores afterwards. A stable state keeps no target, unless a worker is still on the node.
 * A worker starts with a clean slate: the last error goes, whether or not there is a new one.
 */
export function transition(
  origin: Origin,
  event: ProvisionEvent,
  { target = null, worker, error = null }: TransitionOptions,
): Transition {
  const { provisionState, targetProvisionState: targetBefore } = origin;
  const at = positionAt(provisionState, targetBefore);
  const next = isFault(at) ? at : step(at, event, target);
  if (isFault(at) || isFault(next)) {
    const { fault } = next as MachineFault;
    throw new Error(`${event} from ${provisionState} towards ${targetBefore}: ${fault}`);
  }
  const { state: from } = at;
  const { state: to } = next;
  return {
    event,
    from,
    to,
    targetBefore,
    targetAfter: !worker && kindOf(to) === 'stable' ? null : next.target,
    lastError: error ?? (worker ? null : origin.lastError),
    locked: worker,
    phase: phaseOf(event, from, to),
  };
}
