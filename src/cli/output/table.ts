export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Longer cells are cut, with an ellipsis. */
  readonly maxWidth?: number;
}

/** Rows as lines in which the columns stand under each other. The last column is not padded. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const cut = rows.map((row) => row.map((cell, index) => shorten(cell, columns[index]?.maxWidth)));
  const lines = [columns.map(({ title }) => title), ...cut];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? '').length)));
  return lines.map((line) =>
    line
      .map((cell, index) => pad(cell, columns[index]!, widths[index]!))
      .join('  ')
      .trimEnd(),
  );
}

export const shorten = (text: string, maxWidth = Number.POSITIVE_INFINITY): string =>
  text.length > maxWidth ? `${text.slice(0, maxWidth - 1)}…` : text;

const pad = (cell: string, { align }: Column, width: number): string =>
  align === 'right' ? cell.padStart(width) : cell.padEnd(width);

/** Name and value pairs under each other. */
export function formatPairs(pairs: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** A count with its thousands set apart by thin gaps: `1 000 000`. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** The size of something for people: `512 bytes`, `40.9 kB`, `7.0 GB`. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), byteUnits.length - 1);
  const amount = bytes / 1000 ** unit;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${byteUnits[unit]}`;
}
