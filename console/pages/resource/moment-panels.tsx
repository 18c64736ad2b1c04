import type { HistoryEntry, Kind } from '../../../src/client/index.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Scrolling } from '../../parts/scrolling.tsx';
import { DiffPanel } from './diff-panel.tsx';
import { EventPanel } from './event-panel.tsx';
import { StatePanel } from './state-panel.tsx';
import { useMoment } from './use-moment.ts';

interface Props {
  readonly kind: Kind;
  readonly id: string;
  readonly entry: HistoryEntry;
  readonly lastRevision: number;
  readonly onStep: (by: 1 | -1) => void;
}

/** The event at the cursor, the state after it, and what it changed, side by side. */
export function MomentPanels({ kind, id, entry, lastRevision, onStep }: Props) {
  const moment = useMoment(kind, id, entry);
  const { value } = moment;
  return (
    <>
      <FailureNote what="The state at this event" failure={moment.failure} retry={moment.reload} />
      <div className="moment">
        <EventPanel entry={entry} lastRevision={lastRevision} onStep={onStep} />
        <StatePanel entry={entry} moment={value} />
        <Scrolling titledBy="diff-title">
          <h2 id="diff-title">What it changed</h2>
          {value && <DiffPanel moment={value} />}
          {entry.unfoldable && <p className="tone-failed">✕ {entry.unfoldable}</p>}
        </Scrolling>
      </div>
    </>
  );
}
