/** Where moments are drawn. Time runs to the right, evenly but for two things: long idle stretches are folded, and events that are close keep a distance. */
export interface Axis {
  /** One for each event, from the left. */
  readonly xs: readonly number[];
  /** Where the drawing ends: the present, or the last event of a life that is over. */
  readonly endX: number;
  readonly folds: readonly Fold[];
}

/** An idle stretch that is drawn short. */
export interface Fold {
  /** Index of the event after which it lies. */
  readonly after: number;
  readonly x: number;
  readonly width: number;
  readonly lastedMs: number;
}

/** Wide enough for a status to stand before the mark of the fold. */
const foldWidth = 176;
const maxFolds = 3;
const shortestFoldMs = 10_000;
const foldedShare = 0.5;
/** Distance of neighbours where there is room for it. */
const distance = 16;

interface AxisOptions {
  /** Of the events, in milliseconds, in their order. */
  readonly times: readonly number[];
  readonly end: number;
  readonly width: number;
  /** Folds that somebody opened, by the event they come after. */
  readonly unfolded: ReadonlySet<number>;
}

export function axisOf({ times, end, width, unfolded }: AxisOptions): Axis {
  const gaps = times.map((time, index) => Math.max(0, (times[index + 1] ?? Math.max(end, time)) - time));
  const folded = foldedGaps(gaps, unfolded);
  const kept = Math.min(distance, (width * 0.6) / Math.max(1, gaps.length));
  const room = width - folded.size * foldWidth - (gaps.length - folded.size) * kept;
  const flowing = sum(gaps.filter((_, index) => !folded.has(index)));

  const xs: number[] = [];
  const folds: Fold[] = [];
  let x = 0;
  gaps.forEach((gap, index) => {
    xs.push(x);
    if (folded.has(index)) folds.push({ after: index, x, width: foldWidth, lastedMs: gap });
    const share = flowing === 0 ? 1 / Math.max(1, gaps.length - folded.size) : gap / flowing;
    x += folded.has(index) ? foldWidth : kept + room * share;
  });
  return { xs, endX: x, folds };
}

/** The longest gap is folded while it takes most of the time that is drawn, and hides what happened besides. */
function foldedGaps(gaps: readonly number[], unfolded: ReadonlySet<number>): ReadonlySet<number> {
  const folded = new Set<number>();
  const foldable = gaps
    .map((gap, index) => ({ gap, index }))
    .filter(({ gap, index }) => gap >= shortestFoldMs && !unfolded.has(index))
    .sort((a, b) => b.gap - a.gap);
  let flowing = sum(gaps);
  for (const { gap, index } of foldable) {
    if (gaps.length < 3 || folded.size === maxFolds || gap < flowing * foldedShare) break;
    folded.add(index);
    flowing -= gap;
  }
  return folded;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

export interface Bar {
  readonly x: number;
  readonly count: number;
  /** The first event in it. */
  readonly first: number;
}

/** How many events lie in each stretch of the drawing: for more of them than there is room for marks. */
export function densityOf(xs: readonly number[], barWidth: number): Bar[] {
  const bars = new Map<number, { x: number; count: number; first: number }>();
  xs.forEach((x, index) => {
    const slot = Math.floor(x / barWidth);
    const bar = bars.get(slot) ?? { x: slot * barWidth, count: 0, first: index };
    bar.count++;
    bars.set(slot, bar);
  });
  return [...bars.values()];
}

/** The index of the event whose mark is nearest. */
export function nearest(xs: readonly number[], x: number): number {
  let best = 0;
  xs.forEach((each, index) => {
    if (Math.abs(each - x) < Math.abs(xs[best]! - x)) best = index;
  });
  return best;
}
