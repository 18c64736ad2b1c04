import { useEffect, useRef, useState } from 'react';
import type { Client, LiveRead } from '../../src/client/index.ts';
import { useLedger } from './ledger.ts';
import { type Failure, failed } from './use-loaded.ts';

export interface Watched<T> {
  /** The latest answer. It stays while the line is down. */
  readonly value: T | null;
  readonly failure: Failure | null;
  readonly reload: () => void;
}

/** Follows an answer as it changes. A line that breaks, or cannot be had, is tried again by itself. */
export function useWatched<T>(key: string, read: (client: Client) => LiveRead<T>): Watched<T> {
  const { client } = useLedger();
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is watched, the round for once more
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onDisconnect = (error: Error, retryInMs: number): void =>
      setFailure({ error, retryAt: Date.now() + retryInMs });
    const follow = async (tried: number): Promise<void> => {
      try {
        for await (const answer of latest.current(client).watch({ signal, onDisconnect })) {
          setValue(() => answer);
          setFailure(null);
        }
      } catch (error) {
        if (signal.aborted) return;
        const waitMs = failed(error as Error, tried, setFailure);
        if (waitMs !== null) timer = setTimeout(() => void follow(tried + 1), waitMs);
      }
    };
    void follow(0);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [key, client, round]);

  return { value, failure, reload: () => setRound((before) => before + 1) };
}
