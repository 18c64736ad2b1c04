import type { HistoryEntry, Kind } from '../../../../src/client/index.ts';

/** What an event is about, where its type alone says little. */
const subjects = ['entity', 'event', 'verb', 'to', 'host', 'reason', 'action'] as const;

const longest = 28;

/** `NodeProvisionStateChanged` of a node to `cleaning`: `provision state changed cleaning`. */
export function wordsFor(kind: Kind, { type, data }: HistoryEntry): string {
  const spaced = type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  const bare = spaced.startsWith(`${kind} `) ? spaced.slice(kind.length + 1) : spaced;
  const subject = subjects.map((name) => data[name]).find((value) => typeof value === 'string');
  const words = subject === undefined ? bare : `${bare} ${subject}`;
  return words.length > longest ? `${words.slice(0, longest - 1)}…` : words;
}

export interface Label {
  readonly index: number;
  readonly x: number;
  readonly row: number;
  readonly text: string;
}

/** Of the words at the cursor, which are bold: the widest. */
const characterWidth = 7.2;

/** Labels where there is room for them, the one at the cursor first. */
export function placeLabels(texts: readonly string[], xs: readonly number[], width: number, cursor: number): Label[] {
  const rows = 2;
  const placed: Label[] = [];
  const order = [cursor, ...texts.keys()].filter((index, place, all) => index >= 0 && all.indexOf(index) === place);
  for (const index of order) {
    const text = texts[index]!;
    const length = text.length * characterWidth;
    const x = Math.max(0, Math.min(xs[index]! - 4, width - length));
    const row = [...Array(rows).keys()].find((candidate) =>
      placed.every((other) => other.row !== candidate || x > endOf(other) || x + length + 12 < other.x),
    );
    if (row !== undefined) placed.push({ index, x, row, text });
  }
  return placed;
}

const endOf = ({ x, text }: Label): number => x + text.length * characterWidth + 12;
