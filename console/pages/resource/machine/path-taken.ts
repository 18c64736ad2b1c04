import type { HistoryEntry } from '../../../../src/client/index.ts';

/** How often a node went from one state to another, and how long it had been in the first before. */
export interface EdgeTaken {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly spentMs: number;
}

export interface PathTaken {
  readonly edges: readonly EdgeTaken[];
  /** States the node has been in, the present one included. */
  readonly visited: ReadonlySet<string>;
  readonly current: string | null;
}

/** A change of state, as a history or a timeline tells it. */
export interface Transition {
  readonly from: string | null;
  readonly to: string;
  readonly spentMs: number | null;
}

export const transitionsIn = (entries: readonly HistoryEntry[]): Transition[] =>
  entries.flatMap(({ statusChange }) =>
    statusChange ? [{ from: statusChange.from, to: statusChange.to, spentMs: statusChange.lastedMs }] : [],
  );

export function pathTaken(transitions: readonly Transition[]): PathTaken {
  const edges = new Map<string, EdgeTaken>();
  for (const { from, to, spentMs } of transitions) {
    if (from === null) continue;
    const key = `${from}→${to}`;
    const known = edges.get(key) ?? { from, to, count: 0, spentMs: 0 };
    edges.set(key, { from, to, count: known.count + 1, spentMs: known.spentMs + (spentMs ?? 0) });
  }
  return {
    edges: [...edges.values()],
    visited: new Set(transitions.flatMap(({ from, to }) => (from === null ? [to] : [from, to]))),
    current: transitions.at(-1)?.to ?? null,
  };
}
