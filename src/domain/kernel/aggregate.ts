import type { Draft } from 'immer';
import type { z } from 'zod';
import type { Actor } from './actor.ts';
import type { CommandSchemas } from './commands.ts';
import { type DomainEvent, type EventCatalogue, upcast } from './events.ts';
import type { JsonObject } from './json.ts';
import { type RefusalCatalogue, type RefusalDefinition, refuser } from './refusal.ts';
import type { Kind, ResourceRef } from './resource.ts';

/**
 * What every aggregate's state carries. A life begins with its `id`; `fold` keeps the next three; an evolve handler sets
 * `deletedAt`.
 */
export interface Lifetime {
  id: string;
  revision: number;
  createdAt: string;
  updatedAt: string;
  deletedAt?: string;
}

/** What an evolve handler may know besides the event's own data. */
export interface EventContext {
  /** The resource's id. */
  readonly id: string;
  readonly eventId: string;
  readonly revision: number;
  readonly time: string;
}

/** What a decision may know besides the state. Aggregates extend it with the views they need. */
export interface Facts {
  readonly time: string;
  readonly actor: Actor;
  readonly resource: ResourceRef;
  /** The resources named by the aggregate's `needs`. */
  readonly related?: Related;
  /** How many resources of this kind count as what, by the aggregate's `countsAs`. What is not named is 0. */
  readonly underWay?: Readonly<Record<string, number>>;
  /** Whether the caller has proved to be an administrator. Where nobody is asked for a token, nobody has. */
  readonly administrator?: boolean;
}

/** Other resources, as they durably are at the moment of the decision. */
export interface Related {
  /** The state as people see it; null where nothing was ever recorded. To be read, never to be changed. */
  stateOf(resource: ResourceRef): unknown;
  /**
   * When the resource last gave a sign of life: RFC 3339. Where it gave none since the process started, the moment of the
   * start, since nobody listened before. Null for resources that give none.
   */
  heardAt(resource: ResourceRef): string | null;
}

/**
 * A new life without what `fold` adds to it. Its `id` is written first, before any attributes are spread: properties that
 * follow a spread at the beginning of an object take V8 a microsecond each, which is more than all else that folding does.
 */
export type Born<S extends Lifetime> = Omit<S, Exclude<keyof Lifetime, 'id'>> & { deletedAt?: never };

type DataOf<E extends DomainEvent, T extends E['type']> = Extract<E, { type: T }>['data'];

/** One entry an event that opens a life: the state as it is from then on, whatever was there before. */
export type Begin<S extends Lifetime, E extends DomainEvent, T extends E['type']> = {
  readonly [K in T]: (data: DataOf<E, K>, context: EventContext) => Born<S>;
};

/** One entry for each other event: what the fact means. Mutates the draft; decides nothing; reads no clock. */
export type Evolve<S extends Lifetime, E extends DomainEvent, B extends E['type'] = never> = {
  readonly [K in Exclude<E['type'], B>]: (draft: Draft<S>, data: DataOf<E, K>, context: EventContext) => void;
};

/** One entry a command: the entry is the whole rule. Doing nothing is `[]`; a refusal is thrown. */
export type Decide<S, C extends CommandSchemas, E extends DomainEvent, F extends Facts = Facts> = {
  readonly [K in keyof C]: (state: S, data: z.output<C[K]>, facts: F) => E[];
};

// The machinery handles every aggregate alike, so it sees the tables with their types erased.
// biome-ignore lint/suspicious/noExplicitAny: an existential type; each table was checked where it was written
type Erased = any;

/** A command the runtime gives to the resource, as `system`, once its clock has passed `at`. */
export interface Deadline {
  /** Tells the deadlines of one resource apart, and is the id of the actor that acts on it. */
  readonly name: string;
  readonly at: string;
  readonly command: { readonly type: string; readonly data: object };
}

export interface Aggregate<S extends Lifetime = Lifetime> {
  readonly kind: Kind;
  /** What an id of this kind looks like. */
  readonly id: z.ZodType<string>;
  /** Raise it when `evolve` or the state's shape changes: snapshots of an older fold are then ignored. */
  readonly foldVersion: number;
  readonly events: EventCatalogue<Erased>;
  readonly commands: CommandSchemas;
  readonly refusals: RefusalCatalogue;
  readonly begin: Readonly<Record<string, (data: Erased, context: EventContext) => Born<S>>>;
  readonly evolve: Readonly<Record<string, (draft: Erased, data: Erased, context: EventContext) => void>>;
  /** Commands that may come where nothing lives yet. They see the state as it is: null, deleted, or alive. */
  readonly open: Readonly<Record<string, (state: S | null, data: Erased, facts: Erased) => DomainEvent[]>>;
  /** Commands on a living resource. */
  readonly decide: Readonly<Record<string, (state: S, data: Erased, facts: Erased) => DomainEvent[]>>;
  /** Commands that only the ledger's own clock and process managers may give. */
  readonly internal?: readonly string[];
  /** The word people know the resource's condition by: Neutron's status, Nova's status, Ironic's provision state. */
  readonly status: (state: S) => string;
  /** What must happen by when if nobody acts before: kept by the runtime's clock, derived from the state alone. */
  readonly deadlines?: (state: S, heardAt: string | null) => readonly Deadline[];
  /** Other resources whose state the decision on this command must see. */
  readonly needs?: (
    state: S | null,
    command: { readonly type: string; readonly data: Erased },
    settings: object,
  ) => readonly ResourceRef[];
  /** What the resource adds to while it is as it is, for decisions that depend on how many of its kind are so. */
  readonly countsAs?: (state: S) => readonly string[];
  /** Commands that are signs of life: when they last came is kept in memory, whether or not they lead to an event. */
  readonly signsOfLife?: readonly string[];
  /** The state as people see it, where that is more than what is folded (`allowed`, for one). */
  readonly view?: (state: S) => object;
}

/** Whether a state is of a resource that exists now. */
export const isAlive = (state: Lifetime | null): boolean => state !== null && state.deletedAt === undefined;

/** Decides one command on one state. Pure. @throws Refusal */
export function decide<S extends Lifetime>(
  aggregate: Aggregate<S>,
  state: S | null,
  command: { readonly type: string; readonly data: unknown },
  facts: Facts,
): DomainEvent[] {
  const open = aggregate.open[command.type];
  if (open) return open(state, command.data, facts);
  const rule = aggregate.decide[command.type];
  if (!rule) throw new Error(`${aggregate.kind} has no rule for ${command.type}`);
  return rule(alive(aggregate.kind, state, facts.resource.id), command.data, facts);
}

function alive<S extends Lifetime>(kind: Kind, state: S | null, id: string): S {
  if (state && isAlive(state)) return state;
  const refuse = refuser(lifetimeRefusals(kind));
  if (!state) return refuse(`${kind}-not-found`, `There is no ${kind} ${id}.`);
  const { deletedAt } = state;
  return refuse(`${kind}-deleted`, `The ${kind} ${id} was deleted at ${deletedAt}. Its history stays readable.`, {
    deletedAt,
  });
}

/** The two refusals every kind of resource has. */
export const lifetimeRefusals = <K extends Kind>(kind: K) =>
  ({
    [`${kind}-not-found`]: {
      category: 'not-found',
      title: `No such ${kind}`,
      explanation: `No ${kind} with this id was ever recorded. Check the id; ids are compared exactly, in lower case.`,
    },
    [`${kind}-deleted`]: {
      category: 'gone',
      title: `The ${kind} was deleted`,
      explanation: `The ${kind} existed and was deleted. Commands no longer reach it. Its history, and its state at any earlier moment (\`?at=\`), stay readable.`,
    },
  }) as Record<`${K}-not-found` | `${K}-deleted`, RefusalDefinition>;

/** What `fold` needs of a recorded event. */
export interface FoldableEvent {
  readonly id: string;
  readonly revision: number;
  readonly type: string;
  readonly time: string;
  readonly v: number;
  readonly data: JsonObject;
}

/**
 * Folds one event into a state, mutating it; returns the state to go on with. Events of an unknown type change nothing
 * but the revision, so that a program older than its ledger still folds what it knows.
 *
 * @throws NewerEvent
 */
export function fold<S extends Lifetime>(
  aggregate: Aggregate<S>,
  id: string,
  state: S | null,
  event: FoldableEvent,
): S | null {
  const data = upcast(aggregate.events, event.type, event.v, event.data);
  if (data === undefined) {
    if (state) state.revision = event.revision;
    return state;
  }
  const context: EventContext = { id, eventId: event.id, revision: event.revision, time: event.time };
  const begin = aggregate.begin[event.type];
  if (begin) {
    const lifetime = { revision: event.revision, createdAt: event.time, updatedAt: event.time };
    return Object.assign(begin(data, context), lifetime) as unknown as S;
  }
  if (!state) return null;
  aggregate.evolve[event.type]!(state, data, context);
  state.revision = event.revision;
  state.updatedAt = event.time;
  return state;
}

/** The state as people see it. */
export const viewOf = <S extends Lifetime>(aggregate: Aggregate<S>, state: S): object =>
  aggregate.view?.(state) ?? state;
