import { useCallback, useEffect, useRef, useState } from 'react';
import { type Client, ConnectionError, ProblemError } from '../../src/client/index.ts';
import { askForToken, useLedger } from './ledger.ts';

export interface Loaded<T> {
  /** What was loaded last. It stays while something newer is loaded, or fails to. */
  readonly value: T | null;
  readonly failure: Failure | null;
  /** Asks again now. */
  readonly reload: () => void;
}

export interface Failure {
  readonly error: Error;
  /** When it is tried again by itself; null where another try would get the same answer. */
  readonly retryAt: number | null;
}

/** Waits between tries that fail, in seconds; the last one goes on for ever. */
const patience = [1, 2, 4, 8, 15, 30];

/** What passes by itself; everything else is an answer. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ProblemError && (error.status >= 500 || error.status === 429));

/**
 * Loads something from the ledger, and again whenever the key changes. What fails is tried again by itself.
 *
 * @param load null where there is nothing to be loaded yet
 */
export function useLoaded<T>(
  key: string,
  load: ((client: Client, signal: AbortSignal) => Promise<T>) | null,
): Loaded<T> {
  const { client } = useLedger();
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const latest = useRef(load);
  latest.current = load;
  const isWanted = load !== null;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is loaded, the round for once more
  useEffect(() => {
    if (!isWanted) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = async (tried: number): Promise<void> => {
      try {
        const loaded = await latest.current!(client, leaving.signal);
        if (leaving.signal.aborted) return;
        setValue(() => loaded);
        setFailure(null);
      } catch (error) {
        if (leaving.signal.aborted) return;
        const waitMs = failed(error as Error, tried, setFailure);
        if (waitMs !== null) timer = setTimeout(() => void attempt(tried + 1), waitMs);
      }
    };
    void attempt(0);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [key, client, isWanted, round]);

  return { value, failure, reload };
}

/** Says what failed, and how long to wait before the next try; null where there is to be none. */
export function failed(error: Error, tried: number, tell: (failure: Failure) => void): number | null {
  if (error instanceof ProblemError && error.status === 401) askForToken(error.message);
  if (!isPassing(error)) {
    tell({ error, retryAt: null });
    return null;
  }
  const waitMs = patience[Math.min(tried, patience.length - 1)]! * 1000;
  tell({ error, retryAt: Date.now() + waitMs });
  return waitMs;
}
