import { isAlive, type Lifetime } from '../kernel/aggregate.ts';
import type { Kind, ResourceRef } from '../kernel/resource.ts';
import { agentExplainer } from './agent.ts';
import type { ConditionDraft, Explainer } from './explainer.ts';
import type { Clearance, Clue, Condition, Explanation, RootCause, Verdict } from './explanation.ts';
import { networkExplainer } from './network.ts';
import { nodeExplainer } from './node.ts';
import { portExplainer } from './port.ts';
import { serverExplainer } from './server.ts';
import type { World } from './world.ts';

/** The rules of every kind, with the types of their states erased: each table was checked where it was written. */
export const explainers = {
  port: portExplainer,
  server: serverExplainer,
  node: nodeExplainer,
  agent: agentExplainer,
  network: networkExplainer,
} as unknown as Readonly<Record<Kind, Explainer<Lifetime>>>;

/** From a port through its server and node to an agent, with room to spare. */
const deepest = 6;

/** Why the resource is as it is, down to the bottom. Pure: the same world always gives the same tree. */
export function explain(resource: ResourceRef, world: World): Explanation<Clue> {
  return new Telling(world).of(resource, []);
}

/** Tells each resource once: what is told again elsewhere is named there. */
class Telling {
  readonly #world: World;
  readonly #told = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  of(resource: ResourceRef, path: readonly string[]): Explanation<Clue> {
    const { kind, id } = resource;
    const world = this.#world;
    const state = world.stateOf(resource);
    if (!state) return unknown(resource);
    const explainer = explainers[kind];
    const base = {
      resource: { kind, id, name: explainer.name(state) },
      status: explainer.status(state),
      since: state.deletedAt ?? explainer.since(state, world),
    };
    const name = `${kind}-${id}`;
    const elided = this.#told.has(name) ? 'told-elsewhere' : path.length >= deepest ? 'too-deep' : null;
    if (elided) return { ...base, ...inShort(explainer, state, world), conditions: [], hints: [], elided };
    this.#told.add(name);

    const hints = Object.values(explainer.hints)
      .flatMap((rule) => rule(state, world))
      .toSorted((a, b) => compare(a.since, b.since));
    if (!isAlive(state)) {
      const summary = `The ${kind} was deleted at ${state.deletedAt}.`;
      return { ...base, verdict: 'gone', summary, conditions: [], hints, elided: null };
    }
    const conditions = drafts(explainer, state, world).map((draft) => this.#condition(draft, [...path, name]));
    return { ...base, ...verdictOf(conditions, explainer.whenFine(state)), conditions, hints, elided: null };
  }

  #condition(draft: ConditionDraft, path: readonly string[]): Condition<Clue> {
    const { what, met, summary, since, owner = null, clearable = null, proof } = draft;
    const because = met ? [] : (draft.because ?? []).map((other) => this.of(other, path));
    const lifted = clearable && seenThrough(clearable, because);
    return { what, met, summary, since, owner, clearable: lifted, proof, because };
  }
}

/** What is not met comes first, and the older before the younger; the order of the rules decides between equals. */
const drafts = (explainer: Explainer<Lifetime>, state: Lifetime, world: World): ConditionDraft[] =>
  Object.values(explainer.conditions)
    .flatMap((rule) => rule(state, world))
    .toSorted((a, b) => Number(a.met) - Number(b.met) || compare(a.since, b.since));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** An owner who waits for somebody who is stuck does not clear anything either. */
function seenThrough(clearable: Clearance, causes: readonly Explanation<Clue>[]): Clearance {
  const isHeldUp = clearable.by === 'owner' && causes.some(({ verdict }) => verdict === 'stuck');
  return isHeldUp ? { ...clearable, by: 'nobody' } : clearable;
}

const stuck: readonly Clearance['by'][] = ['operator', 'nobody'];

function verdictOf(
  conditions: readonly Pick<Condition<Clue>, 'met' | 'summary' | 'clearable'>[],
  whenFine: string,
): { verdict: Verdict; summary: string } {
  const unmet = conditions.filter(({ met }) => !met);
  if (unmet.length === 0) return { verdict: 'fine', summary: whenFine };
  const held = unmet.find(({ clearable }) => clearable && stuck.includes(clearable.by));
  const lead = (held ?? unmet[0]!).summary;
  const more = unmet.length === 1 ? '' : ` (and ${unmet.length - 1} more)`;
  return { verdict: held ? 'stuck' : 'waiting', summary: `${lead}${more}` };
}

/** What is said of a resource whose tree stands elsewhere, or would stand too deep. */
function inShort(explainer: Explainer<Lifetime>, state: Lifetime, world: World) {
  if (!isAlive(state)) return { verdict: 'gone' as const, summary: `It was deleted at ${state.deletedAt}.` };
  const conditions = drafts(explainer, state, world).map((draft) => ({ ...draft, clearable: draft.clearable ?? null }));
  return verdictOf(conditions, explainer.whenFine(state));
}

const unknown = ({ kind, id }: ResourceRef): Explanation<Clue> => ({
  resource: { kind, id, name: null },
  status: 'unknown',
  since: null,
  verdict: 'unknown',
  summary: `Nothing was ever recorded of a ${kind} ${id}.`,
  conditions: [],
  hints: [],
  elided: null,
});

/** What lies at the bottom, the oldest first: what is not met, and not because of another resource that is not well. */
export function causesOf<P>(explanation: Explanation<P>): RootCause<P>[] {
  return [...bottom(explanation)].toSorted((a, b) => compare(a.since, b.since));
}

const held: readonly Verdict[] = ['waiting', 'stuck'];

function* bottom<P>({ resource, conditions }: Explanation<P>): Generator<RootCause<P>> {
  for (const { met, because, ...condition } of conditions) {
    if (met) continue;
    const deeper = because.flatMap((other) => [...bottom(other)]);
    const isToldElsewhere = because.some(({ elided, verdict }) => elided && held.includes(verdict));
    if (deeper.length > 0) yield* deeper;
    else if (!isToldElsewhere) yield { resource, ...condition };
  }
}
