import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { axisOf, densityOf, nearest } from '../../console/pages/resource/timeline/axis.ts';

const none: ReadonlySet<number> = new Set();
const seconds = (...times: number[]): number[] => times.map((time) => time * 1000);

describe('the time axis of a life', () => {
  test('folds the days in which nothing happened, so that the seconds before can be seen', () => {
    const times = seconds(0, 1, 3, 4);
    const folded = axisOf({ times, end: 4_000 + 3 * 86_400_000, width: 1000, unfolded: none });
    expect(folded.folds).toMatchObject([{ after: 3, lastedMs: 3 * 86_400_000 }]);
    expect(folded.xs[3]).toBeGreaterThan(500);
  });

  test('unfolds what somebody wants to see unfolded', () => {
    const times = seconds(0, 1, 3, 4);
    const unfolded = axisOf({ times, end: 86_400_000, width: 1000, unfolded: new Set([3]) });
    expect(unfolded.folds).toEqual([]);
    expect(unfolded.xs[3]).toBeLessThan(100);
  });

  test('folds no moments, and nothing of a life that is all waiting', () => {
    expect(axisOf({ times: seconds(0, 1, 2), end: 9_000, width: 1000, unfolded: none }).folds).toEqual([]);
    expect(axisOf({ times: seconds(0), end: 86_400_000, width: 1000, unfolded: none }).folds).toEqual([]);
  });

  test('keeps the order, stays within the drawing, and finds each event where it is drawn', () => {
    const lives = fc.array(fc.nat(100_000_000), { minLength: 1, maxLength: 120 });
    fc.assert(
      fc.property(lives, fc.nat(1_000_000), fc.integer({ min: 600, max: 1600 }), (gaps, open, width) => {
        const times = gaps.map((_, index) => gaps.slice(0, index).reduce((sum, gap) => sum + gap, 0));
        const { xs, endX, folds } = axisOf({ times, end: times.at(-1)! + open, width, unfolded: none });
        expect(xs.every((x, index) => index === 0 || x > xs[index - 1]!)).toBe(true);
        expect(endX).toBeLessThanOrEqual(width + 1e-6);
        expect(folds.every((fold) => fold.x + fold.width <= width + 1e-6)).toBe(true);
        xs.forEach((x, index) => {
          expect(nearest(xs, x)).toBe(index);
        });
        expect(densityOf(xs, 8).reduce((sum, { count }) => sum + count, 0)).toBe(xs.length);
      }),
    );
  });
});
