import type { HistoryEntry } from '../../../src/client/index.ts';
import { formatClock, formatDuration } from '../../lib/time.ts';
import { Age, Time } from '../../parts/age.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Link } from '../../parts/link.tsx';
import { ResourceId } from '../../parts/resource-id.tsx';
import { Scrolling } from '../../parts/scrolling.tsx';

interface Props {
  readonly entry: HistoryEntry;
  readonly lastRevision: number;
  readonly onStep: (by: 1 | -1) => void;
}

/** Who did what, when, on what facts. */
export function EventPanel({ entry, lastRevision, onStep }: Props) {
  const { type, time, actor, cause, data, revision, sincePreviousMs, id } = entry;
  return (
    <Scrolling titledBy="event-title">
      <div className="panel-head">
        <h2 id="event-title">
          Event {revision + 1} of {lastRevision + 1}
        </h2>
        <button type="button" aria-keyshortcuts="k" title="The event before (k)" onClick={() => onStep(-1)}>
          ◀<span className="visually-hidden"> the event before</span>
        </button>
        <button type="button" aria-keyshortcuts="j" title="The next event (j)" onClick={() => onStep(1)}>
          ▶<span className="visually-hidden"> the next event</span>
        </button>
      </div>
      <h3 className="event-type">{type}</h3>
      <dl className="facts">
        <dt>when</dt>
        <dd>
          <Age since={time} suffix=" ago" />, <Time time={time} text={formatClock(time)} />
          {sincePreviousMs !== null && `, ${formatDuration(sincePreviousMs)} after the event before`}
        </dd>
        <dt>actor</dt>
        <dd>{actor ? `${actor.id} (${actor.type})` : 'not recorded'}</dd>
        <dt>cause</dt>
        <dd>
          {cause.commandType ?? 'not recorded'}
          {cause.correlationId !== null && (
            <>
              , <Link href={`/operations/${encodeURIComponent(cause.correlationId)}`}>all that the request caused</Link>
            </>
          )}
        </dd>
        <dt>event</dt>
        <dd>
          <ResourceId id={id} />
        </dd>
      </dl>
      <h3>Facts</h3>
      <JsonView value={data} />
    </Scrolling>
  );
}
