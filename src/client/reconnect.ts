import type { ConnectionError } from './errors.ts';
import { delayAfter, isTransient, sleep } from './retry.ts';
import type { Transport } from './transport.ts';

/** Something that is followed over as many connections as it takes. */
export interface Line<T> {
  /** One connection, until the server ends it. Null is a sign of life. */
  connection(): AsyncGenerator<T | null, void, undefined>;
  readonly wasConnected: boolean;
  /** What to say where the server ended the stream: one that stops does, and one whose reader was too slow. */
  ended(): ConnectionError;
}

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Called when the connection was lost, before it is made again. */
  readonly onDisconnect?: (error: Error, retryInMs: number) => void;
}

/** What comes over the line. A lost connection is made again; ends when the signal aborts. */
export async function* reconnecting<T>(
  transport: Transport,
  line: Line<T>,
  { signal, onDisconnect }: FollowOptions,
): AsyncGenerator<T, void, undefined> {
  let failures = 0;
  while (!signal?.aborted) {
    let failure: unknown = line.ended();
    try {
      for await (const message of line.connection()) {
        failures = 0;
        if (message !== null) yield message;
      }
    } catch (error) {
      failure = error;
    }
    if (signal?.aborted) return;
    failures++;
    // Who was connected once is at the right address: the server will be back, however long that takes.
    const hopeless = !line.wasConnected && failures >= transport.retry.attempts;
    if (hopeless || !isTransient(failure)) throw failure;
    const delayMs = delayAfter(transport.retry, failures, failure);
    onDisconnect?.(failure as Error, delayMs);
    await sleep(delayMs, signal).catch(() => {});
  }
}
