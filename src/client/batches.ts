const late = Symbol('late');

/**
 * Groups what a source gives into batches of at most `size`. A batch leaves as soon as the source makes one wait longer
 * than `lingerMs`, so that a slow source is not held back.
 */
export async function* inBatches<T>(
  source: AsyncIterable<T> | Iterable<T>,
  size: number,
  lingerMs: number,
): AsyncGenerator<T[], void, undefined> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let next: Promise<IteratorResult<T>> | undefined;
  let ended = false;
  try {
    while (!ended) {
      const batch: T[] = [];
      let patience: Promise<typeof late> | undefined;
      while (batch.length < size) {
        next ??= Promise.resolve(iterator.next());
        const item = patience ? await Promise.race([next, patience]) : await next;
        if (item === late) break;
        next = undefined;
        ended = item.done === true;
        if (item.done) break;
        batch.push(item.value);
        patience ??= new Promise((resolve) => setTimeout(resolve, lingerMs, late));
      }
      if (batch.length > 0) yield batch;
    }
  } finally {
    if (!ended) await iterator.return?.();
  }
}
