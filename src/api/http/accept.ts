import { apiProblem } from '../problems/problem.ts';

/**
 * The media type of the answer: the one among `available` that the header `Accept` likes best, the first where it has no
 * wishes.
 *
 * @throws Problem where it excludes all of them
 */
export function negotiate<T extends string>(accept: string | undefined, available: readonly [T, ...T[]]): T {
  if (accept === undefined || accept === '*/*') return available[0];
  const ranges = accept.split(',').map(rangeOf);
  const ranked = available
    .map((type) => ({ type, quality: qualityOf(type, ranges) }))
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  if (ranked[0]) return ranked[0].type;
  throw apiProblem('not-acceptable', `This path answers as ${available.join(' or ')}.`, { available });
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/** The most specific range decides. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const wildcard = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const candidate of [type, wildcard, '*/*']) {
    const range = ranges.find((other) => other.type === candidate);
    if (range) return range.quality;
  }
  return 0;
}
