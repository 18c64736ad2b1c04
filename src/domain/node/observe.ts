import type { z } from 'zod';
import { isAlive } from '../kernel/aggregate.ts';
import { isLate, isLater } from '../kernel/observation.ts';
import { changesOf } from './attributes.ts';
import { type NodeCommands, nodeCommands } from './commands.ts';
import { type NodeAttributes, type NodeEvent, nodeAttributes } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { deletable, enrollNode } from './lifecycle.ts';
import { released, reserved } from './lock.ts';
import { isState, type KnownState, kindOf, type ProvisionState, ruleOf, type StateKind } from './provision-machine.ts';
import type { Node, Observation } from './state.ts';
import { clipped } from './texts.ts';
import { born, inTurn } from './turns.ts';

type Observed = z.output<NodeCommands['ObserveNode']>;

/** A node as another system shows it: the ledger takes that over, and says whether it could have been foreseen. */
export function observeNode(node: Node | null, observed: Observed, facts: NodeFacts): NodeEvent[] {
  if (!node) return discover(observed, facts);
  if (!observed.deleted && isLate(node, observed.observedAt)) return recordLate(node, observed);
  return isAlive(node) ? observe(node, observed, facts) : recall(node, observed);
}

function discover(observed: Observed, facts: NodeFacts): NodeEvent[] {
  const attributes = { ...nodeCommands.EnrollNode.parse({}), ...attributesOf(observed) };
  const enrolled = enrollNode(null, attributes as Parameters<typeof enrollNode>[1]);
  return [...enrolled, ...takeOver(born(enrolled[0]!, facts), observed, facts, isStrange(observed))];
}

function observe(node: Node, observed: Observed, facts: NodeFacts): NodeEvent[] {
  const events = takeOver(node, observed, facts, isUnexpected(node, observed));
  const changesNothing = events.length === 1 && isWhereSeen(node, observed);
  return changesNothing && !isLater(node.observation, observed.observedAt) ? [] : events;
}

const isWhereSeen = (node: Node, observed: Observed): boolean =>
  node.provisionState === observed.provisionState && node.targetProvisionState === targetOf(node, observed);

/** History that comes after what followed it. */
function recordLate(node: Node, observed: Observed): NodeEvent[] {
  const seen = observationOf(node, observed, { late: true, unexpected: false });
  return isSame(node.lateObservation, seen.data) ? [] : [seen];
}

/** News of a deleted node is kept and changes nothing: it comes from before, or from somebody who is wrong. */
function recall(node: Node, observed: Observed): NodeEvent[] {
  const seen = observationOf(node, observed, { late: false, unexpected: true });
  return observed.deleted || isSame(node.observation, seen.data) ? [] : [seen];
}

type Seen = Extract<NodeEvent, { type: 'NodeObserved' }>;

const isSame = (known: Observation | null, seen: Seen['data']): boolean =>
  known !== null && Object.entries(seen).every(([field, value]) => known[field as keyof Observation] === value);

function observationOf(node: Node, observed: Observed, judged: { late: boolean; unexpected: boolean }): Seen {
  const { source, observedAt = null, provisionState, targetProvisionState = null, deleted } = observed;
  const target = targetOf(node, observed);
  const said = { source, observedAt, provisionState, targetProvisionState, target, deleted };
  return { type: 'NodeObserved', data: { ...said, ...judged } };
}

/** What the observation says, piece by piece; each piece that is not said stays as it is. */
function takeOver(node: Node, observed: Observed, facts: NodeFacts, unexpected: boolean): NodeEvent[] {
  return inTurn(
    node,
    facts,
    (next) => update(next, observed),
    (next) => beginWork(next, observed, facts),
    (next) => [observationOf(next, observed, { late: false, unexpected })],
    (next) => endWork(next, observed),
    (next) => power(next, observed),
    (next) => instance(next, observed),
    (next) => maintenance(next, observed),
    (next) => trouble(next, observed),
    () => (observed.deleted ? [{ type: 'NodeDeleted', data: {} }] : []),
  );
}

const attributesOf = (observed: Observed): Partial<NodeAttributes> =>
  Object.fromEntries(
    Object.entries(observed).filter(([field, value]) => Object.hasOwn(nodeAttributes, field) && value !== undefined),
  );

function update(node: Node, observed: Observed): NodeEvent[] {
  const changes = changesOf(node, attributesOf(observed));
  return Object.keys(changes).length > 0 ? [{ type: 'NodeUpdated', data: { changes } }] : [];
}

/** Work that is seen takes a lock, as it does there: verbs are refused until it is seen to have ended. */
function beginWork(node: Node, { provisionState, source }: Observed, facts: NodeFacts): NodeEvent[] {
  const { activity, kind } = ruleOf(provisionState);
  if (!activity || !underWay.includes(kind)) return [];
  const goesOn = underWay.includes(kindOf(node.provisionState)) && ruleOf(node.provisionState).activity === activity;
  const lock = { holder: node.conductor ?? source, kind: 'provision', purpose: `${activity}, as observed` } as const;
  const isLent = node.reservation !== null && node.reservation.kind !== 'provision';
  const locked = kind === 'working' && !isLent && !(goesOn && node.reservation);
  const started: NodeEvent = {
    type: 'NodeOperationStarted',
    data: {
      attempt: node.attempts + 1,
      verb: activity,
      token: node.lastToken + 1,
      cleaning: null,
      steps: [],
      given: [],
    },
  };
  return [
    ...(locked ? released(node, 'work-done') : []),
    ...(locked ? [reserved(node, lock, facts)] : []),
    ...(goesOn ? [] : [started]),
  ];
}

const underWay: readonly StateKind[] = ['working', 'waiting', 'held'];

/** A lock that was taken for work is given back where no work is seen. Whoever else borrowed the node keeps it. */
function endWork(node: Node, { provisionState, deleted }: Observed): NodeEvent[] {
  const isAtWork = kindOf(provisionState) === 'working' && !deleted;
  return isAtWork || (!deleted && node.reservation?.kind !== 'provision') ? [] : released(node, 'work-done');
}

const power = (node: Node, { powerState }: Observed): NodeEvent[] =>
  powerState === undefined || powerState === node.powerState
    ? []
    : [{ type: 'NodePowerStateReported', data: { powerState, completes: powerState === node.targetPowerState } }];

function instance({ instanceId: current }: Node, { instanceId: seen }: Observed): NodeEvent[] {
  if (seen === undefined || seen === current) return [];
  const left: NodeEvent[] = current
    ? [{ type: 'NodeInstanceReleased', data: { instanceId: current, why: 'updated' } }]
    : [];
  return seen ? [...left, { type: 'NodeInstanceAssociated', data: { instanceId: seen } }] : left;
}

function maintenance(node: Node, { maintenance: seen }: Observed): NodeEvent[] {
  if (seen === undefined) return [];
  const causes = node.maintenance?.causes ?? [];
  if (seen === null) return causes.map(({ cause }) => ({ type: 'NodeMaintenanceCleared', data: { cause } }));
  const cause = seen.fault ?? 'operator';
  const reason = seen.reason ? clipped(seen.reason) : null;
  const isKnown = causes.some((known) => known.cause === cause && known.reason === reason);
  return isKnown ? [] : [{ type: 'NodeMaintenanceSet', data: { cause, reason } }];
}

function trouble(node: Node, { lastError, source, provisionState }: Observed): NodeEvent[] {
  if (lastError === undefined) return [];
  if (!lastError) return node.trouble ? [{ type: 'NodeErrorResolved', data: { by: source } }] : [];
  const error = clipped(lastError);
  const told = node.trouble ? [node.trouble, ...node.trouble.followUps] : [];
  if (told.some(({ message }) => message === error)) return [];
  const during = ruleOf(provisionState).activity ?? provisionState;
  return [{ type: 'NodeErrorRaised', data: { during, error, attempt: node.attempts } }];
}

const isTarget = (state: string | null | undefined): state is KnownState =>
  isState(state ?? null) && kindOf(state as KnownState) === 'stable';

/** Where the node is on the way to. A target that is no stable state would be one that no step of the machine reaches. */
function targetOf(node: Node, { provisionState, targetProvisionState: said }: Observed): KnownState | null {
  const { activity, kind, target } = ruleOf(provisionState);
  if (kind === 'stable' || kind === 'foreign') return null;
  if (isTarget(said)) return said;
  const known = ruleOf(node.provisionState).activity === activity ? node.targetProvisionState : null;
  return known ?? target;
}

/** Whether the rules could not have led there. */
function isUnexpected(node: Node, observed: Observed): boolean {
  if (observed.deleted) return node.maintenance === null && !['available', ...deletable].includes(node.provisionState);
  return isStrange(observed) || !leadsTo(node.provisionState, observed.provisionState);
}

/** No node could be like that, wherever it came from. */
const isStrange = ({ provisionState, targetProvisionState: target }: Observed): boolean =>
  kindOf(provisionState) === 'foreign' ||
  (typeof target === 'string' && (!isTarget(target) || kindOf(provisionState) === 'stable'));

/** Whether one piece of work leads from the one state to the other, with steps in between that nobody saw. */
function leadsTo(from: ProvisionState, to: ProvisionState): boolean {
  const reached = new Set<ProvisionState>([from]);
  for (const state of reached) {
    if (state !== from && !underWay.includes(kindOf(state))) continue;
    for (const next of Object.values(ruleOf(state).on)) reached.add(next);
  }
  return reached.has(to);
}
