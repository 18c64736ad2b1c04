import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineEvents, encode, revised, upcast } from '../../../src/domain/kernel/events.ts';

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

  test('is not read in a version that only a newer program knows', () => {
    expect(() => upcast(events, 'Resized', 4, { size: 2 })).toThrow(
      'Resized is of version 4; this program knows it up to version 3, a newer one is needed',
    );
  });

  test('is not written when it does not fit its schema', () => {
    expect(() => encode(events, { type: 'Resized', data: { sizeGiB: 'two', by: 'me' } })).toThrow();
    expect(() => encode(events, { type: 'Shrunk', data: {} })).toThrow('volume has no event Shrunk');
  });

  test('of a type this program does not know is left alone', () => {
    expect(upcast(events, 'Shrunk', 1, { any: 'thing' })).toBeUndefined();
  });
});
