/**
 * The rows of a ledger's own file and of its archive as if they were in one: each in the same order, and each once, where
 * both have it. The archive is opened second, when the read of the ledger's own file has begun.
 *
 * @param open null where the archive has nothing to add
 */
export function* mergedRows<T>(
  live: IterableIterator<T>,
  open: () => IterableIterator<T> | null,
  compare: (a: T, b: T) => number,
): Generator<T> {
  let archived: IterableIterator<T> | null = null;
  try {
    let ours = live.next();
    archived = open();
    if (archived) {
      let theirs = archived.next();
      while (!theirs.done) {
        const order = ours.done ? 1 : compare(ours.value, theirs.value);
        if (order === 0) theirs = archived.next();
        else if (order > 0) {
          yield theirs.value;
          theirs = archived.next();
        } else {
          yield (ours as IteratorYieldResult<T>).value;
          ours = live.next();
        }
      }
    }
    for (; !ours.done; ours = live.next()) yield ours.value;
  } finally {
    live.return?.();
    archived?.return?.();
  }
}
