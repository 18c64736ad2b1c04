import { useRef, useState } from 'react';

export interface Steady<T> {
  /** In the order in which the reader first saw them, each as it is now, or as it was last. */
  readonly shown: readonly { readonly item: T; readonly isGone: boolean }[];
  /** How many have come since. */
  readonly fresh: number;
  /** Shows the list as it is now. */
  readonly refresh: () => void;
}

/** A list that changes without moving under the reader's eyes: rows stay where they are until the reader wants the new ones. */
export function useSteady<T>(items: readonly T[] | null, keyOf: (item: T) => string): Steady<T> {
  const [order, setOrder] = useState<readonly string[] | null>(null);
  const known = useRef(new Map<string, T>());
  if (items === null) return { shown: [], fresh: 0, refresh: () => {} };

  const keys = items.map(keyOf);
  const present = new Set(keys);
  items.forEach((item, index) => {
    known.current.set(keys[index]!, item);
  });
  if (order === null) setOrder(keys);
  const kept = order ?? keys;
  const seen = new Set(kept);
  for (const key of known.current.keys()) if (!seen.has(key) && !present.has(key)) known.current.delete(key);
  return {
    shown: kept.map((key) => ({ item: known.current.get(key)!, isGone: !present.has(key) })),
    fresh: keys.filter((key) => !seen.has(key)).length,
    refresh: () => setOrder(keys),
  };
}
