import { type NodeFacts, type NodeSettings, settingsOf } from './facts.ts';
import { lockedBy, workerFor } from './lock.ts';
import { kindOf, type ProvisionEvent, type ProvisionState } from './provision-machine.ts';
import type { NodeRefusalSlug } from './refusals.ts';
import type { Node } from './state.ts';
import { type Limited, workerOf } from './under-way.ts';
import {
  argumentVerbs,
  pathOf,
  startsWork,
  type Verb,
  type VerbArgument,
  type VerbName,
  verbArguments,
  verbNames,
  verbOf,
  verbs,
} from './verbs.ts';

export interface VerbRequest extends Readonly<Partial<Record<VerbArgument, unknown>>> {
  readonly target: string;
  readonly holder?: string | undefined;
}

interface Objection {
  readonly slug: NodeRefusalSlug;
  readonly detail: string;
  readonly help?: object;
}

interface Situation {
  readonly node: Node;
  readonly request: VerbRequest;
  readonly verb: Verb | undefined;
  readonly settings: NodeSettings;
  readonly facts: Pick<NodeFacts, 'time' | 'underWay' | 'settings'> & Partial<Pick<NodeFacts, 'actor'>>;
}

type Guard = (situation: Situation) => Objection | null;

const inMaintenance = ({ node, request }: Situation, help: object = {}): Objection => ({
  slug: 'node-in-maintenance',
  detail: `${request.target} is not accepted while the node is in maintenance (${node.maintenance?.reason ?? 'no reason given'}).`,
  help: { maintenance: node.maintenance, ...help },
});

const maintenanceFirst: Guard = (situation) =>
  situation.verb?.inMaintenance === 'refused-first' && situation.node.maintenance ? inMaintenance(situation) : null;

/** A word that leads nowhere meets the lock first: what is being done to the node may make it lead somewhere. */
const leadsSomewhere: Guard = ({ node, request, verb, facts }) => {
  if (pathOf(node.provisionState, request.target)) return null;
  if (node.reservation) return locked(node, facts);
  return { slug: 'invalid-state-requested', ...whyNot(node, request.target, verb) };
};

/** Where a verb that leads nowhere would have led; what has happened already is told apart from what cannot. */
function whyNot({ provisionState, targetProvisionState }: Node, target: string, verb: Verb | undefined) {
  if (!verb) {
    return {
      detail: `${target} is not a verb that leads on from ${provisionState}.`,
      help: { reason: 'no-such-verb' },
    };
  }
  const goal = goals[verb.event];
  if (goal === provisionState) return { detail: `The node is already ${goal}.`, help: { reason: 'already-there' } };
  if (goal && goal === targetProvisionState && kindOf(provisionState) !== 'failed') {
    const detail = `The node is ${provisionState}, already on the way to ${goal}.`;
    return { detail, help: { reason: 'already-under-way' } };
  }
  return {
    detail: `${target} cannot be carried out while the node is ${provisionState}.`,
    help: { reason: 'not-from-here' },
  };
}

/** The stable state each verb is after. */
const goals: Partial<Record<ProvisionEvent, ProvisionState>> = {
  deploy: 'active',
  adopt: 'active',
  manage: 'manageable',
  provide: 'available',
  delete: 'available',
  rescue: 'rescue',
  unrescue: 'active',
};

const isGiven = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : Array.isArray(value) ? value.length > 0 : value !== undefined;

const argumentsFit: Guard = ({ request, verb }) => {
  const { target } = request;
  const stray = verbArguments.find(
    (argument) => request[argument] !== undefined && !argumentVerbs(argument).includes(target as VerbName),
  );
  if (stray) {
    const help = { argument: stray, verbs: argumentVerbs(stray) };
    return { slug: 'argument-not-applicable', detail: `${stray} does not belong to ${target}.`, help };
  }
  const { requires } = verb ?? {};
  if (!requires || isGiven(request[requires])) return null;
  return { slug: 'argument-required', detail: `${target} needs ${requires}.`, help: { argument: requires } };
};

/** Words of the machine that workers use are not for people, even where the machine knows them. */
const isForPeople: Guard = ({ node, request, verb }) => {
  if (verb) return null;
  const detail = `${request.target} is what a worker reports while the node is ${node.provisionState}, not a verb.`;
  return { slug: 'invalid-state-requested', detail, help: { reason: 'internal-event' } };
};

const canBeAborted: Guard = ({ node, request, settings }) =>
  request.target === 'abort' &&
  node.provisionState === 'inspect wait' &&
  settings.driversWithoutInspectAbort.includes(node.driver)
    ? { slug: 'abort-not-supported', detail: `The driver ${node.driver} cannot stop an inspection.` }
    : null;

const locked = ({ reservation }: Node, { time }: Situation['facts']): Objection | null =>
  reservation && { slug: 'node-locked', ...lockedBy(reservation, time) };

const isUnlocked: Guard = ({ node, facts }) => locked(node, facts);

const maintenanceUnderLock: Guard = (situation) => {
  const { node, request, verb, settings } = situation;
  if (!node.maintenance) return null;
  if (verb?.inMaintenance) return inMaintenance(situation);
  if (request.target === 'provide' && !settings.allowProvisioningInMaintenance) return inMaintenance(situation);
  // Ending a failed service would make the node active, which a node in maintenance is not to become unseen.
  const endsService = request.target === 'abort' && node.provisionState === 'service failed';
  return endsService ? inMaintenance(situation, { ironic: 'InvalidState' }) : null;
};

const isNotProtected: Guard = ({ node, request, verb }) =>
  verb?.refusedTo === 'protected' && node.protected
    ? {
        slug: 'node-protected',
        detail: `The node is protected (${node.protectedReason ?? 'no reason given'}); ${request.target} is refused.`,
      }
    : null;

const isNotRetired: Guard = ({ node, request, verb }) =>
  verb?.refusedTo === 'retired' && node.retired
    ? {
        slug: 'node-retired',
        detail: `The node is retired (${node.retiredReason ?? 'no reason given'}); ${request.target} is refused.`,
      }
    : null;

/** What the site allows of a verb at the same time, and how much of that is under way; null where there is no limit. */
export function limitOn(target: string, facts: Pick<NodeFacts, 'settings' | 'underWay'>) {
  const limit = verbOf(target)?.limit;
  if (!limit) return null;
  const { maxConcurrentDeploy, maxConcurrentClean } = settingsOf(facts);
  const allowed = { deploy: maxConcurrentDeploy, clean: maxConcurrentClean }[limit];
  return { of: limit, underWay: facts.underWay?.[limit] ?? 0, allowed };
}

/** The site's limits count before the lock does: a node that could not be worked on anyway is not waited for. */
const isWithinLimits: Guard = ({ request, facts }) => {
  const limit = limitOn(request.target, facts);
  if (!limit || limit.underWay < limit.allowed) return null;
  const { of, underWay, allowed } = limit;
  const detail = `${underWay} nodes are ${doing[of]}; the site allows ${allowed} at a time. Try again when one is done.`;
  return { slug: 'concurrent-action-limit', detail, help: { underWay, limit: allowed, retryable: true } };
};

const doing: Readonly<Record<Limited, string>> = { deploy: 'being deployed', clean: 'being torn down or cleaned' };

const hasWorker: Guard = ({ node, request, settings, facts: { actor, underWay } }) => {
  if (!actor || !startsWork(node.provisionState, pathOf(node.provisionState, request.target) ?? [])) return null;
  const conductor = workerFor(node, request.holder, { actor });
  const busy = underWay?.[workerOf(conductor)] ?? 0;
  if (busy < settings.workersPerConductor) return null;
  const detail = `All ${settings.workersPerConductor} workers of ${conductor} are busy.`;
  return { slug: 'no-free-worker', detail, help: { conductor, busy, retryable: true } };
};

/** What the node's own state says to a verb, once its lock is free. */
const underLock: readonly Guard[] = [maintenanceUnderLock, isNotProtected, isNotRetired, canBeAborted];

/** The order is Ironic's: its clients rely on which answer comes. */
const guards: readonly Guard[] = [
  maintenanceFirst,
  leadsSomewhere,
  argumentsFit,
  isForPeople,
  isWithinLimits,
  isUnlocked,
  ...underLock,
  hasWorker,
];

function first(ordered: readonly Guard[], situation: Situation): Objection | null {
  for (const guard of ordered) {
    const objection = guard(situation);
    if (objection) return objection;
  }
  return null;
}

/** Why a verb is not accepted, or null where it is. */
export const objectionTo = (
  node: Node,
  request: VerbRequest,
  settings: NodeSettings,
  facts: NodeFacts,
): Objection | null => first(guards, { node, request, verb: verbOf(request.target), settings, facts });

/** The verbs that would be accepted now, by the node's state alone: a locked node accepts none. */
export function allowedVerbs(node: Node, settings: NodeSettings): VerbName[] {
  if (node.reservation || node.deletedAt !== undefined) return [];
  const facts = { time: node.stateSince }; // only a lock is measured against the time, and there is none
  const ordered = [maintenanceFirst, leadsSomewhere, ...underLock];
  return verbNames.filter(
    (target) => !first(ordered, { node, request: { target }, verb: verbs[target], settings, facts }),
  );
}
