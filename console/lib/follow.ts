import { sleep } from '../../src/client/retry.ts';
import { type Failure, failed } from './use-loaded.ts';

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onDisconnect: (error: Error, retryInMs: number) => void;
}

/** Takes all that comes over a line, until the signal aborts. A line that breaks, or cannot be had, is tried again. */
export async function follow<T>(
  open: (options: FollowOptions) => AsyncIterable<T>,
  signal: AbortSignal,
  onItem: (item: T) => void,
  tell: (failure: Failure | null) => void,
): Promise<void> {
  const onDisconnect = (error: Error, retryInMs: number): void => tell({ error, retryAt: Date.now() + retryInMs });
  for (let tried = 0; !signal.aborted; tried++) {
    try {
      for await (const item of open({ signal, onDisconnect })) {
        tried = 0;
        tell(null);
        onItem(item);
      }
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = failed(error as Error, tried, tell);
      if (waitMs === null) return;
      await sleep(waitMs, signal).catch(() => {});
    }
  }
}
