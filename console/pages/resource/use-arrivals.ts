import { useEffect, useRef, useState } from 'react';
import type { Kind } from '../../../src/client/index.ts';
import { useLedger } from '../../lib/ledger.ts';
import type { Present } from './use-story.ts';

/** Events that come together are told once. */
const gatherMs = 100;

/**
 * Listens for new events of a resource.
 *
 * @param tell called after some have come
 * @returns the revision of the latest one, 0 where none has come
 */
export function useArrivals(kind: Kind, id: string, present: Present | null, tell: () => void): number {
  const { client } = useLedger();
  const [latest, setLatest] = useState(0);
  const latestTell = useRef(tell);
  latestTell.current = tell;
  const start = useRef<string | null>(null);
  start.current ??= present?.position ?? null;
  const after = start.current;

  useEffect(() => {
    if (after === null) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = async (): Promise<void> => {
      for await (const { revision } of client.events({ kind, id, after, signal: leaving.signal })) {
        setLatest(revision);
        timer ??= setTimeout(() => {
          timer = undefined;
          latestTell.current();
        }, gatherMs);
      }
    };
    // A line that cannot be had at all is told by the other reads of the page, which fail alike.
    listen().catch(() => {});
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [client, kind, id, after]);
  return latest;
}
