import { useEffect, useRef } from 'react';
import type { LedgerEvent } from '../../../src/client/index.ts';
import { hrefOf } from '../../lib/kinds.ts';
import { formatClock, formatDuration } from '../../lib/time.ts';
import { Time } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { shortId } from '../../parts/resource-id.tsx';

interface Props {
  readonly events: readonly LedgerEvent[];
  readonly current: string | null;
}

/** The same events in words, in the order of the ledger. */
export function EventTable({ events, current }: Props) {
  const start = Date.parse(events[0]!.time);
  return (
    <section className="panel table-panel" aria-label="Events in order">
      <table>
        <thead>
          <tr>
            <th scope="col">After</th>
            <th scope="col">Time</th>
            <th scope="col">Resource</th>
            <th scope="col">Event</th>
            <th scope="col">By</th>
            <th scope="col">Command</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <Row
              key={event.position}
              event={event}
              afterMs={Date.parse(event.time) - start}
              isCurrent={event.position === current}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  readonly event: LedgerEvent;
  readonly afterMs: number;
  readonly isCurrent: boolean;
}

function Row({ event: { resource, stream, revision, type, time, metadata }, afterMs, isCurrent }: RowProps) {
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  const { actor, commandType } = metadata;
  return (
    <tr ref={row} className={isCurrent ? 'picked' : undefined}>
      <td>{formatDuration(afterMs)}</td>
      <td>
        <Time time={time} text={formatClock(time)} />
      </td>
      <td>
        {resource ? (
          <>
            <span className="quiet">{resource.kind}</span> <code>{shortId(resource.id)}</code>
          </>
        ) : (
          <code>{stream}</code>
        )}
      </td>
      <td>{resource ? <Link href={`${hrefOf(resource)}?at=${revision}`}>{type}</Link> : type}</td>
      <td>
        {actor.id} <span className="quiet">{actor.type}</span>
      </td>
      <td>{commandType}</td>
    </tr>
  );
}
