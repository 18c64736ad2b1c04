import type { ResourceRef } from '../kernel/resource.ts';
import type { Clearance, Clue, Condition, Hint, Remedy } from './explanation.ts';
import type { World } from './world.ts';

/** A condition whose causes are named and not yet told. */
export type ConditionDraft = Omit<Condition<Clue>, 'because' | 'owner' | 'clearable'> &
  Partial<Pick<Condition<Clue>, 'owner' | 'clearable'>> & { readonly because?: readonly ResourceRef[] };

export type HintDraft = Hint<Clue>;

/** What the conditions of one kind of resource are. Each entry of the tables is one rule, found by its name. */
export interface Explainer<S> {
  /** The resources it depends on, the most telling first. */
  readonly looksAt: (state: S, world: Pick<World, 'settings' | 'happened'>) => readonly ResourceRef[];
  /** Those that depend on it. What they depend on beside it is not looked at. */
  readonly belongsTo?: (state: S) => readonly ResourceRef[];
  /** Events of which the rules must see the latest, however long ago it was. */
  readonly mustSee?: readonly string[];
  readonly name: (state: S) => string | null;
  readonly status: (state: S) => string;
  readonly since: (state: S, world: World) => string | null;
  /** What it takes for the resource to be well. */
  readonly conditions: Readonly<Record<string, (state: S, world: World) => readonly ConditionDraft[]>>;
  readonly hints: Readonly<Record<string, (state: S, world: World) => readonly HintDraft[]>>;
  /** What is said of a resource that lacks nothing. */
  readonly whenFine: (state: S) => string;
}

/** A command to a resource, ready to be sent. */
export const remedy = ({ kind, id }: ResourceRef, type: string, data: object = {}): Remedy => ({
  path: `/v1/${kind}s/${encodeURIComponent(id)}/commands`,
  body: { type, data },
});

type More = Partial<Pick<Clearance, 'deadline' | 'command'>>;
const clearance =
  (by: Clearance['by']) =>
  (how: string, { deadline = null, command = null }: More = {}): Clearance => ({ by, how, deadline, command });

export const byItself = clearance('itself');
export const byOwner = clearance('owner');
export const byOperator = clearance('operator');
export const byNobody = clearance('nobody');

export const listed = (words: readonly string[]): string => words.join('; ');
