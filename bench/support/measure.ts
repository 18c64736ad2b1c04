import { cpus } from 'node:os';

/** One line of the table: what we do, beside what it is measured against, in the same run. */
export interface Line {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  readonly baseline?: { readonly what: string; readonly value: number };
  /** Median of the ratios of the rounds; by default the ratio of the medians. */
  readonly ratio?: number;
  /** The ratio that is wanted at least. */
  readonly wanted?: number;
  /** What the ratio, or without a baseline the figure itself, may be at most. */
  readonly atMost?: number;
  readonly note?: string;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(Math.floor(values.length * share), values.length - 1)]!;

/** Milliseconds from the request to the whole answer. */
export async function timed(url: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(url);
  await response.text();
  if (!response.ok) throw new Error(`${response.status} from ${url}`);
  return performance.now() - start;
}

/**
 * Runs two things in turns, `rounds` times each, and gives both medians and the median of the ratios. Turns, because the
 * machine is never as quiet in one minute as in the next.
 */
export async function sideBySide(
  rounds: number,
  ours: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<{ ours: number; baseline: number; ratio: number }> {
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round++) {
    const pair: [number, number] =
      round % 2 ? [await ours(), await baseline()] : swapped(await baseline(), await ours());
    pairs.push(pair);
  }
  return {
    ours: median(pairs.map(([first]) => first)),
    baseline: median(pairs.map(([, second]) => second)),
    ratio: median(pairs.map(([first, second]) => first / second)),
  };
}

const swapped = <A, B>(a: A, b: B): [B, A] => [b, a];

/** How many a second, of `count` things that `work` does. */
export async function rate(count: number, work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return count / ((performance.now() - start) / 1000);
}

const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);

function verdict({ wanted, atMost }: Line, figure: number): string {
  if (wanted !== undefined) return `>= ${wanted} ${figure < wanted ? 'MISSED' : 'met'}`;
  return atMost === undefined ? '' : `<= ${atMost} ${figure > atMost ? 'MISSED' : 'met'}`;
}

export function printTable(lines: readonly Line[]): void {
  console.log(
    `\n${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}, ${new Date().toISOString()}`,
  );
  const rows = lines.map((line) => {
    const ratio = line.ratio ?? (line.baseline ? line.ours / line.baseline.value : null);
    return [
      line.what,
      `${number(line.ours)} ${line.unit}`,
      line.baseline ? `${number(line.baseline.value)} ${line.baseline.what}` : '',
      ratio === null ? '' : ratio.toFixed(2),
      verdict(line, ratio ?? line.ours),
      line.note ?? '',
    ];
  });
  const table = [['what', 'here', 'beside', 'ratio', 'wanted', 'note'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
}
