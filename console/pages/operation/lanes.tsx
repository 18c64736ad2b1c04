import type { LedgerEvent, ResourceRef } from '../../../src/client/index.ts';
import { groupBy } from '../../lib/group.ts';
import { formatClock, formatDuration } from '../../lib/time.ts';
import { useWidth } from '../../lib/use-width.ts';
import { ResourceLink } from '../../parts/resource-link.tsx';
import { axisOf } from '../resource/timeline/axis.ts';

interface Props {
  readonly events: readonly LedgerEvent[];
  /** Position of the event that was picked. */
  readonly current: string | null;
  readonly onPick: (position: string) => void;
}

const noneUnfolded: ReadonlySet<number> = new Set();

/** Every event on one time axis, a lane a resource. */
export function Lanes({ events, current, onPick }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const times = events.map(({ time }) => Date.parse(time));
  const [first, last] = [times[0]!, times.at(-1)!];
  const axis = axisOf({ times, end: last, width: Math.max(0, width - 24), unfolded: noneUnfolded });
  const lanes = [
    ...groupBy(
      events.map((event, index) => ({ event, x: axis.xs[index]! })),
      ({ event }) => event.stream,
    ),
  ];
  return (
    <section className="panel" aria-labelledby="lanes-title">
      <h2 id="lanes-title">
        {lanes.length} {lanes.length === 1 ? 'resource' : 'resources'}, {events.length} events in{' '}
        {formatDuration(last - first)}
      </h2>
      <div className="lanes">
        <div className="lane-names">
          {lanes.map(([stream, [start]]) => (
            <p key={stream}>
              <LaneName resource={start!.event.resource} stream={stream} />
            </p>
          ))}
        </div>
        <div ref={frame} className="lane-tracks">
          {lanes.map(([stream, marks]) => (
            <div key={stream} className="lane">
              {marks.map(({ event, x }) => (
                <button
                  key={event.position}
                  type="button"
                  className={event.position === current ? 'lane-mark current' : 'lane-mark'}
                  style={{ left: x }}
                  title={`${event.type}, ${formatClock(event.time)}`}
                  aria-label={`${event.type} at ${formatClock(event.time)}`}
                  onClick={() => onPick(event.position)}
                />
              ))}
            </div>
          ))}
          {axis.folds.map(({ after, x, width: wide, lastedMs }) => (
            <span key={after} className="lane-fold" style={{ left: x + 16, width: wide - 16 }}>
              ⋯ {formatDuration(lastedMs)}
            </span>
          ))}
        </div>
      </div>
      <p className="timeline-ends quiet">
        <span>{formatClock(events[0]!.time)}</span>
        <span>{formatClock(events.at(-1)!.time)} UTC</span>
      </p>
    </section>
  );
}

const LaneName = ({ resource, stream }: { readonly resource: ResourceRef | null; readonly stream: string }) =>
  resource ? <ResourceLink resource={{ ...resource, name: null }} /> : <code>{stream}</code>;
