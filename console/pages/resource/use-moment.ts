import type { Client, HistoryEntry, JsonPatchOperation, Kind, State } from '../../../src/client/index.ts';
import { resourceOf } from '../../lib/resource-of.ts';
import { type Loaded, useLoaded } from '../../lib/use-loaded.ts';

/** The resource at one of its events. */
export interface Moment {
  readonly revision: number;
  /** Null where it did not exist, or no longer. */
  readonly state: State | null;
  readonly before: State | null;
  /** What the event made of the state. */
  readonly patch: readonly JsonPatchOperation[];
}

/** What is past does not change: who steps back and forth is not made to wait twice. */
const kept = 100;
const moments = new Map<string, Moment>();

export function useMoment(kind: Kind, id: string, { revision }: HistoryEntry): Loaded<Moment> {
  return useLoaded(`moment ${revision}`, async (client, signal) => {
    const key = `${kind} ${id} ${revision}`;
    const moment = moments.get(key) ?? (await loadMoment(client, kind, id, revision, signal));
    moments.set(key, moment);
    if (moments.size > kept) moments.delete(moments.keys().next().value!);
    return moment;
  });
}

async function loadMoment(
  client: Client,
  kind: Kind,
  id: string,
  revision: number,
  signal: AbortSignal,
): Promise<Moment> {
  const resource = resourceOf(client, kind, id);
  const stateAt = (at: number): Promise<State | null> =>
    resource.state({ at, signal }).then(
      ({ state }) => state,
      (error) => (isAnswer(error) ? null : Promise.reject(error)),
    );
  const [state, before, page] = await Promise.all([
    stateAt(revision),
    revision === 0 ? null : stateAt(revision - 1),
    resource.historyPage({ diff: true, limit: 1, signal, ...(revision > 0 && { marker: revision - 1 }) }),
  ]);
  return { revision, state, before, patch: page.events[0]?.patch ?? [] };
}

/** A resource that is deleted, or does not exist yet, has no state; that is no failure. */
const isAnswer = (error: unknown): boolean => {
  const { status } = error as { readonly status?: number };
  return status === 404 || status === 410;
};
