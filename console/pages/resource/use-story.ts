import { useEffect, useState } from 'react';
import { type Client, type HistoryEntry, type Kind, ProblemError, type State } from '../../../src/client/index.ts';
import { resourceOf } from '../../lib/resource-of.ts';
import { type Loaded, useLoaded } from '../../lib/use-loaded.ts';
import { type Arrivals, useArrivals } from './use-arrivals.ts';

/** The events that are shown: some consecutive ones, oldest first. */
export interface Shown {
  readonly entries: readonly HistoryEntry[];
  /** Of the latest event when they were loaded. */
  readonly lastRevision: number;
}

/** What the resource is now. */
export interface Present {
  /** Null where it is deleted. */
  readonly state: State | null;
  readonly revision: number;
  readonly position: string | null;
}

export interface Story {
  readonly shown: Loaded<Shown>;
  readonly present: Loaded<Present>;
  readonly arrivals: Arrivals;
  /** Events that came since, and are not shown. */
  readonly fresh: number;
  /** Shows the latest events. */
  readonly showLatest: () => void;
}

/** Events loaded at a time: more than a screen can tell apart, and little enough to load at once. */
const windowSize = 500;

/** What happened to a resource, some of it at a time, and word of what goes on happening. */
export function useStory(kind: Kind, id: string, at: number | null): Story {
  const [around, setAround] = useState(at);
  const [round, setRound] = useState(0);
  const present = useLoaded('present', (client, signal) => presentOf(client, kind, id, signal));
  const shown = useLoaded(`${around ?? 'end'} ${round}`, (client, signal) =>
    loadWindow(client, kind, id, around, signal),
  );

  const arrivals = useArrivals(kind, id, present.value?.position ?? null, present.reload);
  const latest = Math.max(arrivals.revision, present.value?.revision ?? 0);
  const { value } = shown;
  const isOutside = value !== null && at !== null && !covers(value, at) && at <= latest;
  useEffect(() => {
    if (isOutside) setAround(at);
  }, [isOutside, at]);

  return {
    shown,
    present,
    arrivals,
    fresh: value === null ? 0 : Math.max(0, latest - value.lastRevision),
    showLatest: () => {
      setAround(null);
      setRound((before) => before + 1);
    },
  };
}

export const reachesEnd = ({ entries, lastRevision }: Shown): boolean => entries.at(-1)?.revision === lastRevision;

/** Whether these are all events there were when they were loaded. */
export const isWhole = (shown: Shown): boolean => shown.entries[0]?.revision === 0 && reachesEnd(shown);

const covers = ({ entries }: Shown, revision: number): boolean =>
  entries.length > 0 && entries[0]!.revision <= revision && revision <= entries.at(-1)!.revision;

async function loadWindow(
  client: Client,
  kind: Kind,
  id: string,
  around: number | null,
  signal: AbortSignal,
): Promise<Shown> {
  const resource = resourceOf(client, kind, id);
  if (around === null) {
    const { events, lastRevision } = await resource.historyPage({ order: 'desc', limit: windowSize, signal });
    return { entries: events.toReversed(), lastRevision };
  }
  const before = around - windowSize / 2;
  const place = before > 0 ? { marker: before } : {};
  const { events, lastRevision } = await resource.historyPage({ limit: windowSize, ...place, signal });
  return { entries: events, lastRevision };
}

async function presentOf(client: Client, kind: Kind, id: string, signal: AbortSignal): Promise<Present> {
  try {
    return await resourceOf(client, kind, id).state({ signal });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 410) throw error;
    return { state: null, revision: 0, position: null };
  }
}
