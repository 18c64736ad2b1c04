import { useEffect, useRef, useState } from 'react';
import type { Kind } from '../../../src/client/index.ts';
import { follow } from '../../lib/follow.ts';
import { useLedger } from '../../lib/ledger.ts';
import type { Failure } from '../../lib/use-loaded.ts';

/** Events that come together are told once. */
const gatherMs = 100;

export interface Arrivals {
  /** Of the latest event that has come; 0 where none has. */
  readonly revision: number;
  /** Set while the line is down. */
  readonly failure: Failure | null;
  /** Makes the line anew. */
  readonly reload: () => void;
}

/**
 * Listens for new events of a resource.
 *
 * @param position where to begin; null as long as that is not known
 * @param tell called after some have come
 */
export function useArrivals(kind: Kind, id: string, position: string | null, tell: () => void): Arrivals {
  const { client } = useLedger();
  const [revision, setRevision] = useState(0);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [round, setRound] = useState(0);
  const latestTell = useRef(tell);
  latestTell.current = tell;
  const start = useRef<string | null>(null);
  start.current ??= position;
  const after = start.current;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the round stands for once more
  useEffect(() => {
    if (after === null) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const arrive = (event: { readonly revision: number }): void => {
      setRevision(event.revision);
      timer ??= setTimeout(() => {
        timer = undefined;
        latestTell.current();
      }, gatherMs);
    };
    const onCaughtUp = (): void => setFailure(null);
    void follow(
      (options) => client.events({ kind, id, after, onCaughtUp, ...options }),
      leaving.signal,
      arrive,
      setFailure,
    );
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [client, kind, id, after, round]);
  return { revision, failure, reload: () => setRound((before) => before + 1) };
}
