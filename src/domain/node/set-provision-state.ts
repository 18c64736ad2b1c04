import type { NodeEvent, PlannedStep } from './events.ts';
import { type NodeFacts, settingsOf } from './facts.ts';
import { cleanUpLock, reserved, workerFor } from './lock.ts';
import { moves } from './moves.ts';
import { type ProvisionEvent, ruleOf } from './provision-machine.ts';
import { refuse } from './refusals.ts';
import type { Node } from './state.ts';
import { allowedVerbs, limitOn, objectionTo, type VerbRequest } from './verb-guards.ts';
import { pathOf, startsWork, verbArguments } from './verbs.ts';
import { abortedText } from './work.ts';

interface ProvisionRequest extends VerbRequest {
  readonly deploySteps?: readonly GivenStep[] | undefined;
  readonly cleanSteps?: readonly GivenStep[] | undefined;
  readonly serviceSteps?: readonly GivenStep[] | undefined;
  readonly holder?: string | undefined;
  readonly leaseMs?: number | undefined;
}

type GivenStep = { interface: string; step: string; priority?: number | undefined };

/** Carries out a verb: at once, or by setting a worker to work under a lock taken in the same append. */
export function setProvisionState(node: Node, request: ProvisionRequest, facts: NodeFacts): NodeEvent[] {
  const settings = settingsOf(facts);
  const objection = objectionTo(node, request, settings, facts);
  if (objection) {
    const { slug, detail, help } = objection;
    refuse(slug, detail, { allowed: allowedVerbs(node, settings), ...help });
  }
  const path = pathOf(node.provisionState, request.target)!;
  if (request.target === 'abort') return abort(node, path, request, facts);
  if (!startsWork(node.provisionState, path)) return moves(node, path, { cause: 'command', facts });
  return startWork(node, path, request, facts);
}

/** The steps before the last bring what was under way to its end; with the last, something new begins. */
function startWork(
  node: Node,
  path: readonly ProvisionEvent[],
  request: ProvisionRequest,
  facts: NodeFacts,
): NodeEvent[] {
  const { target: verb, leaseMs } = request;
  const attempt = node.attempts + 1;
  const cleaning = verb === 'clean' ? 'manual' : verb === 'provide' ? 'automated' : null;
  const given = verbArguments.filter((argument) => request[argument] !== undefined);
  const limit = limitOn(verb, facts);
  const token = node.lastToken + 1;
  const lock = { kind: 'provision', purpose: `${verb} (attempt ${attempt})`, leaseMs } as const;

  const ending = moves(node, path.slice(0, -1), { cause: 'command', facts });
  const ended = ending.at(-1)?.data;
  const here = ended ? { ...node, provisionState: ended.to, targetProvisionState: ended.targetAfter } : node;
  return [
    ...ending,
    reserved(node, { ...lock, holder: workerFor(node, request.holder, facts) }, facts),
    {
      type: 'NodeOperationStarted',
      data: { attempt, verb, token, cleaning, steps: plannedSteps(request), given, ...(limit && { limit }) },
    },
    ...moves(here, path.slice(-1), { cause: 'command', facts, worker: true, attempt, cleaning }),
  ];
}

const plannedSteps = ({ deploySteps, cleanSteps, serviceSteps }: ProvisionRequest): PlannedStep[] =>
  (deploySteps ?? cleanSteps ?? serviceSteps ?? []).map(({ interface: name, step, priority }) => ({
    interface: name,
    step,
    ...(priority !== undefined && { priority }),
  }));

/** What must be tidied up after an abort keeps a worker busy. An inspection leaves nothing behind. */
const tidiedUp = new Set(['deploy', 'clean', 'rescue', 'service']);

/**
 * Ends what waits or is held. A step that cannot be interrupted is let finish first. Aborting a rescue is no error: the
 * machine the user has is as it was.
 */
function abort(node: Node, path: readonly ProvisionEvent[], request: ProvisionRequest, facts: NodeFacts): NodeEvent[] {
  const { step, provisionState, attempts: attempt } = node;
  const { activity, kind } = ruleOf(provisionState);
  if (step && !step.abortable && kind !== 'failed') {
    return step.abortAfter ? [] : [{ type: 'NodeAbortRequested', data: { attempt, step: step.name } }];
  }
  const worker = tidiedUp.has(activity ?? '');
  const error = activity === 'rescue' ? undefined : abortedText(step?.name);
  const moved = moves(node, path, { cause: 'command', facts, worker, error });
  if (!worker) return moved;
  return [reserved(node, cleanUpLock(workerFor(node, request.holder, facts), request.leaseMs), facts), ...moved];
}
