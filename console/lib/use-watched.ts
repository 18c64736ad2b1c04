import { useEffect, useRef, useState } from 'react';
import type { Client, LiveRead } from '../../src/client/index.ts';
import { follow } from './follow.ts';
import { useLedger } from './ledger.ts';
import type { Failure, Loaded } from './use-loaded.ts';

/** Follows an answer as it changes. What was shown last stays while the line is down. */
export function useWatched<T>(key: string, read: (client: Client) => LiveRead<T>): Loaded<T> {
  const { client } = useLedger();
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is watched, the round for once more
  useEffect(() => {
    const leaving = new AbortController();
    void follow(
      (options) => latest.current(client).watch(options),
      leaving.signal,
      (answer) => setValue(() => answer),
      setFailure,
    );
    return () => leaving.abort();
  }, [key, client, round]);

  return { value, failure, reload: () => setRound((before) => before + 1) };
}
