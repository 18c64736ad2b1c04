import { useEffect } from 'react';
import type { Kind } from '../../../src/client/index.ts';
import { navigate, type Place, withQuery } from '../../lib/navigation.ts';
import { resourceOf } from '../../lib/resource-of.ts';
import { type Failure, useLoaded } from '../../lib/use-loaded.ts';

export interface NamedRevision {
  readonly revision: number | null;
  /** A time or a position may lie before the resource was created, or where nothing is recorded. */
  readonly failure: Failure | null;
  readonly reload: () => void;
}

/** The revision that `?at=` names. A time or a position is looked up once, and the address says the revision from then on. */
export function useRevision(place: Place, kind: Kind, id: string): NamedRevision {
  const at = place.query.get('at');
  const isRevision = at !== null && /^\d{1,15}$/.test(at);
  const moment = at === null || isRevision ? null : at;
  const found = useLoaded(
    `at ${moment}`,
    moment === null
      ? null
      : async (client, signal) => {
          const { revision } = await resourceOf(client, kind, id).state({ at: moment, signal });
          return { moment, revision };
        },
  );
  const isFound = moment !== null && found.value?.moment === moment;
  const href = isFound ? withQuery(place, { at: String(found.value?.revision) }) : null;
  useEffect(() => {
    if (href !== null) navigate(href, { replace: true });
  }, [href]);
  return {
    revision: isRevision ? Number(at) : null,
    failure: moment === null ? null : found.failure,
    reload: found.reload,
  };
}
