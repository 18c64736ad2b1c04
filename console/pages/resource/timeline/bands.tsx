import { shapes, toneOf } from '../../../lib/status.ts';
import { formatDuration } from '../../../lib/time.ts';
import type { Axis } from './axis.ts';
import type { Band } from './bands.ts';

interface Props {
  readonly bands: readonly Band[];
  readonly axis: Axis;
  readonly lengthOf: (first: number, next: number) => string;
  readonly onUnfold: (after: number) => void;
}

/** Statuses as bands, from one event to the next that changed it; over them the idle stretches that are folded. */
export function Bands({ bands, axis, lengthOf, onUnfold }: Props) {
  return (
    <div className="bands">
      {bands.map(({ status, first }, index) => {
        const next = bands[index + 1]?.first;
        const left = axis.xs[first]!;
        const width = (next === undefined ? axis.endX : axis.xs[next]!) - left;
        const length = lengthOf(first, next ?? Number.POSITIVE_INFINITY);
        return (
          <div
            key={first}
            className={`band fill-${toneOf(status)}`}
            style={{ left, width: Math.max(2, width) }}
            title={`${status}, ${length}`}
          >
            {width > status.length * 8 + 32 && (
              <>
                <span aria-hidden="true">{shapes[toneOf(status)]}</span> {status}
              </>
            )}
            {width > status.length * 8 + 120 && <span className="band-length"> {length}</span>}
          </div>
        );
      })}
      {axis.folds.map(({ after, x, width, lastedMs }) => (
        <button
          key={after}
          type="button"
          className="fold"
          style={{ left: x + 2, width: width - 4 }}
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
