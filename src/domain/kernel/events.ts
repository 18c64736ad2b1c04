import { z } from 'zod';
import type { JsonObject } from './json.ts';

/** Lifts the data of one schema version to the next. Pure; runs at each read, so what is stored never changes. */
export type Upcaster = (data: JsonObject) => JsonObject;

export interface EventDefinition<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** The version `schema` describes; the first is 1. */
  readonly version: number;
  /** `upcasters[n]` lifts version n + 1 to n + 2. */
  readonly upcasters: readonly Upcaster[];
}

type SchemaOf<D> = D extends EventDefinition<infer S> ? S : D extends z.ZodType ? D : never;

/** The events of one kind of resource: their names are the storage format. */
export interface EventCatalogue<D = Record<string, z.ZodType | EventDefinition>> {
  readonly kind: string;
  readonly definitions: { readonly [T in keyof D]: EventDefinition<SchemaOf<D[T]> & z.ZodType> };
}

/** The union of `{type, data}` that a catalogue describes. */
export type EventOf<C> =
  C extends EventCatalogue<infer D>
    ? { [T in keyof D & string]: { type: T; data: z.output<SchemaOf<D[T]> & z.ZodType> } }[keyof D & string]
    : never;

/** An event as a decision returns it, before it has a place in a stream. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** An event whose schema has changed: the current schema, and a step up from each earlier version, oldest first. */
export const revised = <S extends z.ZodType>(schema: S, ...upcasters: Upcaster[]): EventDefinition<S> => ({
  schema,
  version: upcasters.length + 1,
  upcasters,
});

export function defineEvents<D extends Record<string, z.ZodType | EventDefinition>>(
  kind: string,
  definitions: D,
): EventCatalogue<D> {
  const entries = Object.entries(definitions).map(([type, definition]) => [
    type,
    definition instanceof z.ZodType ? revised(definition) : definition,
  ]);
  return { kind, definitions: Object.fromEntries(entries) };
}

/** An event as it is to be stored: checked against its schema and stamped with that schema's version. */
export function encode(catalogue: EventCatalogue, event: DomainEvent): { type: string; v: number; data: JsonObject } {
  const definition = catalogue.definitions[event.type];
  if (!definition) throw new Error(`${catalogue.kind} has no event ${event.type}`);
  return { type: event.type, v: definition.version, data: definition.schema.parse(event.data) as JsonObject };
}

/** An event of a type that this program knows, in a version that only a newer one can read. */
export class NewerEvent extends Error {
  override readonly name = 'NewerEvent';
  readonly version: number;
  readonly knownVersion: number;

  constructor(type: string, version: number, knownVersion: number) {
    super(
      `${type} is of version ${version}; this program knows it up to version ${knownVersion}, a newer one is needed`,
    );
    this.version = version;
    this.knownVersion = knownVersion;
  }
}

/** Whether this program can read such an event. */
export const isKnown = (catalogue: EventCatalogue, { type, v }: { type: string; v: number }): boolean =>
  v <= (catalogue.definitions[type]?.version ?? 0);

/**
 * Stored data lifted to the current schema, or undefined where this version of the program does not know the type.
 *
 * @throws NewerEvent where it knows the type, but not this version of it: what its data mean is not for guessing
 */
export function upcast(catalogue: EventCatalogue, type: string, v: number, data: JsonObject): JsonObject | undefined {
  const definition = catalogue.definitions[type];
  if (!definition) return undefined;
  if (v === definition.version) return data;
  if (v > definition.version) throw new NewerEvent(type, v, definition.version);
  return definition.upcasters.slice(v - 1).reduce((lifted, lift) => lift(lifted), data);
}
