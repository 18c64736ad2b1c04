import type { Cause, DataOf, NodeEvent } from './events.ts';
import { type CallBackTimeouts, type NodeFacts, settingsOf } from './facts.ts';
import {
  type Activity,
  type KnownState,
  kindOf,
  nextState,
  type ProvisionEvent,
  type ProvisionState,
  ruleOf,
} from './provision-machine.ts';
import type { Node } from './state.ts';
import { clipped, later } from './texts.ts';
import { transition } from './transition.ts';

interface Move {
  readonly cause: Cause;
  readonly facts: NodeFacts;
  readonly error?: string | null | undefined;
  /** Whether a worker goes on from here. */
  readonly worker?: boolean;
  /** The attempt that moves the node, where it is not the one at hand. */
  readonly attempt?: number;
  /** What the node is cleaned for, where that begins with this move. */
  readonly cleaning?: Node['cleaning'];
  /** How long the node may be silent, where the site's own length is not meant. */
  readonly timeoutMs?: number | undefined;
}

type Changed = Extract<NodeEvent, { type: 'NodeProvisionStateChanged' }>;

/**
 * Walks the machine along `path` and says so, an event a step. Whatever moves a node comes through here, so the rules
 * on targets, errors and call-backs are the same for verbs, workers, timeouts and take-overs.
 */
export function moves(node: Node, path: readonly ProvisionEvent[], move: Move): Changed[] {
  const error = move.error ? clipped(move.error) : undefined;
  const cleaning = move.cleaning ?? node.cleaning;
  let at: { provisionState: ProvisionState; targetProvisionState: KnownState | null } = node;

  return path.map((event, index) => {
    const last = index === path.length - 1;
    const to = nextState(at.provisionState, event);
    const step = transition({ ...at, lastError: node.trouble?.message ?? null }, event, {
      target: to ? targetOfCleaning(to, cleaning) : null,
      worker: last && move.worker === true,
      error: error ?? null,
    });
    at = { provisionState: step.to, targetProvisionState: step.targetAfter };
    const { from, targetBefore, targetAfter, phase } = step;
    const callBack = callBackOf(node, step.to, move);
    return {
      type: 'NodeProvisionStateChanged',
      data: {
        event,
        from,
        to: step.to,
        targetBefore,
        targetAfter,
        cause: move.cause,
        phase,
        attempt: move.attempt ?? node.attempts,
        ...(error !== undefined && { error }),
        settlesError: node.trouble !== null && (step.lastError === null || isSuccess(event, move.cause)),
        ...(callBack && { callBack }),
      },
    };
  });
}

/** `manage` is how a worker ends a cleaning that leads back to `manageable`. */
const isSuccess = (event: ProvisionEvent, cause: Cause): boolean =>
  event === 'done' || (event === 'manage' && cause === 'worker');

/**
 * A manual cleaning goes back to `manageable`, through every wait, hold, failure and abort. What the node was cleaned
 * for is kept beside the target and decides here, so nothing on the way can turn it into an automated one.
 */
const targetOfCleaning = (to: KnownState, cleaning: Node['cleaning']): KnownState | null =>
  cleaning === 'manual' && ruleOf(to).activity === 'clean' ? 'manageable' : null;

const timeoutSettings: Readonly<Partial<Record<Activity, keyof CallBackTimeouts>>> = {
  deploy: 'deployCallBackTimeoutMs',
  clean: 'cleanCallBackTimeoutMs',
  rescue: 'rescueCallBackTimeoutMs',
  service: 'serviceCallBackTimeoutMs',
  inspect: 'inspectTimeoutMs',
};

/** An inspection is timed as a whole; everything else from its last sign of life. */
const timedFromStart: readonly (Activity | null)[] = ['inspect'];

function callBackOf(
  node: Node,
  to: ProvisionState,
  { facts, timeoutMs }: Move,
): DataOf<'NodeProvisionStateChanged'>['callBack'] {
  const { activity } = ruleOf(to);
  if (kindOf(to) !== 'waiting' || !activity) return undefined;
  const setting = timeoutSettings[activity];
  const timeout = timeoutMs ?? (setting ? settingsOf(facts)[setting] : 0);
  if (timeout === 0) return undefined;
  const start = (timedFromStart.includes(activity) && node.operation?.startedAt) || facts.time;
  return { deadline: later(start, timeout), timeoutMs: timeout };
}
