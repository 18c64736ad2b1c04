import type { HistoryEntry, Kind, Stay } from '../../../../src/client/index.ts';
import { resourceOf } from '../../../lib/resource-of.ts';
import { toneOf } from '../../../lib/status.ts';
import { formatDuration, formatUtc, useNow } from '../../../lib/time.ts';
import { useLoaded } from '../../../lib/use-loaded.ts';

interface Props {
  readonly kind: Kind;
  readonly id: string;
  /** The events that are loaded: some of many. */
  readonly entries: readonly HistoryEntry[];
  readonly onPick: (time: string) => void;
}

const mostStays = 1000;

/** A life that is too long to be loaded, by its statuses alone. The part whose events are shown below is marked. */
export function LifeStrip({ kind, id, entries, onPick }: Props) {
  const now = useNow();
  const life = useLoaded('life', (client, signal) =>
    resourceOf(client, kind, id).timeline({ limit: mostStays, signal }),
  );
  const stays = life.value?.items ?? [];
  if (stays.length === 0) return <div className="life" />;
  const start = Date.parse(stays[0]!.since);
  const end = Math.max(
    Date.parse(stays.at(-1)!.until ?? new Date(now).toISOString()),
    Date.parse(entries.at(-1)!.time),
  );
  const share = (time: number): string => `${((time - start) / Math.max(1, end - start)) * 100}%`;
  const shown = { from: Date.parse(entries[0]!.time), to: Date.parse(entries.at(-1)!.time) };
  return (
    <div className="life">
      {joined(stays).map(({ status, since, until }) => {
        const to = until === null ? end : Date.parse(until);
        const lasted = formatDuration(to - Date.parse(since));
        return (
          <button
            key={since}
            type="button"
            className={`life-part fill-${toneOf(status)}`}
            style={{ left: share(Date.parse(since)), right: `calc(100% - ${share(to)})` }}
            title={`${status}, ${lasted}, from ${formatUtc(since)}`}
            aria-label={`${status} for ${lasted} from ${formatUtc(since)}: go there`}
            onClick={() => onPick(since)}
          />
        );
      })}
      <span
        className="life-shown"
        style={{ left: share(shown.from), right: `calc(100% - ${share(shown.to)})` }}
        title="The events below"
      />
    </div>
  );
}

/** Stays that differ in something else than the status are one here. */
function joined(stays: readonly Stay[]): Stay[] {
  const parts: Stay[] = [];
  for (const stay of stays) {
    const before = parts.at(-1);
    if (before?.status === stay.status && before.until === stay.since)
      parts[parts.length - 1] = { ...before, until: stay.until };
    else parts.push(stay);
  }
  return parts;
}
