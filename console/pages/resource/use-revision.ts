import { useEffect } from 'react';
import type { Kind } from '../../../src/client/index.ts';
import { navigate, type Place, withQuery } from '../../lib/navigation.ts';
import { resourceOf } from '../../lib/resource-of.ts';
import { useLoaded } from '../../lib/use-loaded.ts';

/** The revision that `?at=` names. A time or a position is looked up once, and the address says the revision from then on. */
export function useRevision(place: Place, kind: Kind, id: string): number | null {
  const at = place.query.get('at');
  const isRevision = at !== null && /^\d{1,15}$/.test(at);
  const moment = at === null || isRevision ? null : at;
  const { value } = useLoaded(
    `at ${moment}`,
    moment === null ? null : (client, signal) => resourceOf(client, kind, id).state({ at: moment, signal }),
  );
  const revision = moment === null ? null : (value?.revision ?? null);
  const href = revision === null ? null : withQuery(place, { at: String(revision) });
  useEffect(() => {
    if (href !== null) navigate(href, { replace: true });
  }, [href]);
  return isRevision ? Number(at) : null;
}
