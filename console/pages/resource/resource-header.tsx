import type { HistoryEntry, Kind } from '../../../src/client/index.ts';
import { apiPathOf } from '../../lib/kinds.ts';
import { nameOf, statusOf, statusSince } from '../../lib/status-of.ts';
import { formatClock } from '../../lib/time.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { Age, Time } from '../../parts/age.tsx';
import { ResourceId } from '../../parts/resource-id.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import type { Present } from './use-story.ts';

interface Props {
  readonly kind: Kind;
  readonly id: string;
  readonly present: Present | null;
  readonly entries: readonly HistoryEntry[];
  readonly isLive: boolean;
  readonly onLive: (wanted: boolean) => void;
  readonly onWhy: () => void;
}

/** What the resource is, and what it is now, wherever the cursor is. */
export function ResourceHeader({ kind, id, present, entries, isLive, onLive, onWhy }: Props) {
  const state = present?.state ?? null;
  const told = statusSince(entries);
  // Where the events that are shown began later than the status, the list of its kind knows.
  const listed = useLoaded(
    `since ${present?.revision}`,
    told !== null || state === null ? null : (client, signal) => client.list(kind, { id }).get({ signal }),
  );
  const since = told ?? listed.value?.items[0]?.statusSince ?? null;
  return (
    <header className="resource-head">
      <h1>
        <span className="quiet">{kind}</span> {state && nameOf(kind, state)} <ResourceId id={id} />
      </h1>
      <p className="resource-now">
        {present && <StatusBadge status={state ? statusOf(kind, state) : 'DELETED'} />}{' '}
        {present && since && (
          <>
            since <Time time={since} text={formatClock(since)} /> (<Age since={since} />)
          </>
        )}
      </p>
      <p className="resource-actions">
        <button type="button" aria-pressed={isLive} aria-keyshortcuts="l" onClick={() => onLive(!isLive)}>
          live
        </button>
        <button type="button" aria-keyshortcuts="w" onClick={onWhy}>
          why
        </button>
        <a href={apiPathOf({ kind, id })}>raw</a>
      </p>
    </header>
  );
}
