import { isFault, kindOf, type ProvisionEvent, type ProvisionState, positionAt, step } from './provision-machine.ts';

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
  readonly targetProvisionState: ProvisionState | null;
  readonly lastError: string | null;
}

interface TransitionOptions {
  /** A target that goes before the default, as a manual cleaning has. */
  readonly target?: ProvisionState | null;
  /** Whether a worker goes on from here, which keeps the lock. */
  readonly worker: boolean;
  readonly error?: string | null;
}

interface Transition {
  readonly event: ProvisionEvent;
  readonly from: ProvisionState;
  readonly to: ProvisionState;
  readonly targetBefore: ProvisionState | null;
  readonly targetAfter: ProvisionState | null;
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
  const { provisionState: from, targetProvisionState: targetBefore } = origin;
  const at = positionAt(from, targetBefore);
  const next = isFault(at) ? at : step(at, event, target);
  if (isFault(next)) throw new Error(`${event} from ${from} towards ${targetBefore}: ${next.fault}`);

  const to = next.state;
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
