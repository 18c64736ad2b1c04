import type { NovaNotifierOptions } from './nova-notifier-options.ts';

export const checkpointName = 'nova-notifier';

/**
 * Up to where Nova was told. On a ledger on which no notifier ever ran that is its end, which is settled once for all
 * processes, each of which waits for it before it takes requests: no event falls between two opinions of where that is.
 */
export async function beginningOf(
  { store, observer }: Pick<NovaNotifierOptions, 'store' | 'observer'>,
  stop: AbortSignal = new AbortController().signal,
): Promise<string> {
  const kept = await store.loadCheckpoint(checkpointName);
  if (kept !== null) return kept;
  const lease = await store.lease(`${checkpointName}-beginning`, stop);
  const position = (await store.loadCheckpoint(checkpointName)) ?? (await store.head());
  if (!lease) return position;
  await store.saveCheckpoint({ name: checkpointName, position }).catch((error) => observer?.checkpointFailed?.(error));
  await lease.release();
  return position;
}
