import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { aggregates } from '../../../src/domain/aggregates.ts';
import { defineEvents, encode, revised, upcast } from '../../../src/domain/kernel/events.ts';
import type { JsonObject } from '../../../src/domain/kernel/json.ts';
import type { Kind } from '../../../src/domain/kernel/resource.ts';

describe('an event whose schema has changed twice', () => {
  const events = defineEvents('volume', {
    Resized: revised(
      z.object({ sizeGiB: z.number(), by: z.string() }),
      ({ size, ...rest }) => ({ ...rest, sizeGiB: size! }),
      (data) => ({ ...data, by: 'unknown' }),
    ),
  });

  test('is written in its newest version', () => {
    expect(encode(events, { type: 'Resized', data: { sizeGiB: 2, by: 'me' } })).toEqual({
      type: 'Resized',
      v: 3,
      data: { sizeGiB: 2, by: 'me' },
    });
  });

  test.each([
    [1, { size: 2 }, { sizeGiB: 2, by: 'unknown' }],
    [2, { sizeGiB: 2 }, { sizeGiB: 2, by: 'unknown' }],
    [3, { sizeGiB: 2, by: 'me' }, { sizeGiB: 2, by: 'me' }],
  ])('is read from version %i', (v, stored, current) => {
    expect(upcast(events, 'Resized', v, stored)).toEqual(current);
  });

  test('is not written when it does not fit its schema', () => {
    expect(() => encode(events, { type: 'Resized', data: { sizeGiB: 'two', by: 'me' } })).toThrow();
    expect(() => encode(events, { type: 'Shrunk', data: {} })).toThrow('volume has no event Shrunk');
  });

  test('of a type this program does not know is left alone', () => {
    expect(upcast(events, 'Shrunk', 1, { any: 'thing' })).toBeUndefined();
  });
});

interface Sample {
  v: number;
  data: JsonObject;
  becomes: JsonObject;
}

const samples = new URL('../../samples/events/', import.meta.url);
const stored = readdirSync(samples).flatMap((kind) =>
  readdirSync(new URL(`${kind}/`, samples)).map((file) => ({ kind: kind as Kind, file })),
);

describe('events as earlier versions stored them', () => {
  test.each(stored)('$kind $file', ({ kind, file }) => {
    const type = file.split('.')[0]!;
    const { events } = aggregates[kind];
    const sample = JSON.parse(readFileSync(new URL(`${kind}/${file}`, samples), 'utf8')) as Sample;

    const current = upcast(events, type, sample.v, sample.data);
    expect(current).toEqual(sample.becomes);
    expect(events.definitions[type]!.schema.safeParse(current).success).toBe(true);
  });

  test('there is one of every version that is no longer written', () => {
    const expected = Object.entries(aggregates).flatMap(([kind, { events }]) =>
      Object.entries(events.definitions).flatMap(([type, definition]) =>
        Array.from(
          { length: (definition as { version: number }).version - 1 },
          (_, index) => `${kind}/${type}.v${index + 1}.json`,
        ),
      ),
    );
    expect(stored.map(({ kind, file }) => `${kind}/${file}`).sort()).toEqual(expected.sort());
  });
});
