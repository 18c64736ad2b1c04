import { shapes, toneOf } from '../../../lib/status.ts';
import { formatDuration } from '../../../lib/time.ts';
import type { Axis } from './axis.ts';
import type { Band } from './bands-of.ts';

interface Props {
  readonly bands: readonly Band[];
  readonly axis: Axis;
  readonly lengthOf: (first: number, next: number) => string;
  readonly onUnfold: (after: number) => void;
}

/** Of the mark at the end of a fold. */
const markWidth = 96;

/** Statuses as bands, from one event to the next that changed it; over them the idle stretches that are folded. */
export function Bands({ bands, axis, lengthOf, onUnfold }: Props) {
  return (
    <div className="bands">
      {bands.map(({ status, first }, index) => {
        const next = bands[index + 1]?.first;
        const left = axis.xs[first]!;
        const width = (next === undefined ? axis.endX : axis.xs[next]!) - left;
        const room = roomIn(axis, left, width);
        const length = lengthOf(first, next ?? Number.POSITIVE_INFINITY);
        return (
          <div
            key={first}
            className={`band fill-${toneOf(status)}`}
            style={{ left, width: Math.max(2, width) }}
            title={`${status}, ${length}`}
          >
            {room > 16 && <span aria-hidden="true">{shapes[toneOf(status)]}</span>}
            {room > status.length * 10 + 24 && ` ${status}`}
            {room > status.length * 10 + 104 && <span className="band-length"> {length}</span>}
          </div>
        );
      })}
      {axis.folds.map(({ after, x, width, lastedMs }) => (
        <button
          key={after}
          type="button"
          className="fold"
          style={{ left: x + width - markWidth, width: markWidth - 4 }}
          title="Nothing happened here. Click unfolds it."
          onClick={() => onUnfold(after)}
        >
          ⋯ {formatDuration(lastedMs)}
          <span className="visually-hidden"> without an event, unfold</span>
        </button>
      ))}
    </div>
  );
}

/** What is left for words before the first fold in a band. */
function roomIn({ folds }: Axis, left: number, width: number): number {
  const fold = folds.find(({ x }) => x >= left - 1 && x < left + width);
  return fold ? fold.x + fold.width - markWidth - left : width;
}
