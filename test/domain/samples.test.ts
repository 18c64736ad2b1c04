import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { aggregates } from '../../src/domain/aggregates.ts';
import { type FoldableEvent, fold, type Lifetime } from '../../src/domain/kernel/aggregate.ts';
import { type EventDefinition, upcast } from '../../src/domain/kernel/events.ts';
import type { JsonObject } from '../../src/domain/kernel/json.ts';
import { type Kind, kinds } from '../../src/domain/kernel/resource.ts';

/** One stored event of each version that was ever written. Never changed: what is on somebody's disk does not change. */
interface Sample {
  readonly v: number;
  readonly data: JsonObject;
  /** What it is in the current version, where that is another. */
  readonly becomes?: JsonObject;
}

/** Streams as they were stored, and the states they lead to by this version of the fold. */
interface Lives {
  readonly foldVersion: number;
  readonly lives: readonly {
    readonly id: string;
    readonly events: readonly FoldableEvent[];
    readonly state: Lifetime;
  }[];
}

const folder = new URL('../samples/', import.meta.url);
const read = <T>(path: string): T => JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as T;
const definitionsOf = (kind: Kind) =>
  Object.entries(aggregates[kind].events.definitions) as [string, EventDefinition][];
const livesOf = (kind: Kind): Lives => read(`lives/${kind}.json`);

const samples = kinds.flatMap((kind) =>
  readdirSync(new URL(`events/${kind}/`, folder)).map((file) => {
    const [type, version] = file.split('.') as [string, string];
    return { kind, type, version: Number(version.slice(1)), file };
  }),
);

const folded = (kind: Kind, id: string, events: readonly FoldableEvent[]): Lifetime | null =>
  events.reduce<Lifetime | null>((state, event) => fold(aggregates[kind], id, state, event), null);

describe('events as they were ever stored', () => {
  test('there is a sample of each version of each type; who writes a new one adds its own', () => {
    const expected = kinds.flatMap((kind) =>
      definitionsOf(kind).flatMap(([type, { version }]) =>
        Array.from({ length: version }, (_, index) => `${kind}/${type}.v${index + 1}.json`),
      ),
    );
    expect(samples.map(({ kind, file }) => `${kind}/${file}`).sort()).toEqual(expected.sort());
  });

  test.each(samples)('$kind $file', ({ kind, type, version, file }) => {
    const { v, data, becomes = data } = read<Sample>(`events/${kind}/${file}`);
    expect(v).toBe(version);
    const current = upcast(aggregates[kind].events, type, v, data);
    expect(current).toEqual(becomes);
    // Byte by byte: a schema that fills in or leaves out what is stored would fold into another state than before.
    const parsed = aggregates[kind].events.definitions[type]!.schema.parse(current);
    expect(JSON.parse(JSON.stringify(parsed))).toEqual(becomes);
  });

  test.each(samples)('$kind $file takes the place of its like in a stored life', ({ kind, type, file }) => {
    const { v, data } = read<Sample>(`events/${kind}/${file}`);
    const life = livesOf(kind).lives.find(({ events }) => events.some((event) => event.type === type))!;
    const at = life.events.findIndex((event) => event.type === type);
    const events = [...life.events.slice(0, at), { ...life.events[at]!, v, data }];
    expect(folded(kind, life.id, events)).toMatchObject({ id: life.id, revision: at });
  });
});

describe('lives as they were stored', () => {
  test.each(kinds)('those of a %s know every type of event', (kind) => {
    const known = new Set(livesOf(kind).lives.flatMap(({ events }) => events.map(({ type }) => type)));
    expect(definitionsOf(kind).flatMap(([type]) => (known.has(type) ? [] : [type]))).toEqual([]);
  });

  // Where this fails, snapshots on somebody's disk are no longer what the events lead to: raise `foldVersion` of the
  // aggregate together with the states here, and never the one without the other.
  test.each(kinds)('those of a %s lead to the states they led to when the fold got its version', (kind) => {
    const { foldVersion, lives } = livesOf(kind);
    expect(foldVersion).toBe(aggregates[kind].foldVersion);
    for (const { id, events, state } of lives) {
      expect(JSON.stringify(folded(kind, id, structuredClone(events)))).toBe(JSON.stringify(state));
    }
  });
});
