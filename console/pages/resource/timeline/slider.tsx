import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { Axis } from './axis.ts';

interface Props {
  readonly axis: Axis;
  readonly cursor: number;
  readonly onMove: (index: number) => void;
  readonly pick: (x: number) => number;
  /** What a screen reader says of the place the cursor is at. */
  readonly text: string;
}

/** Moves the cursor from event to event; by dragging, by a click on the line, or with the arrow keys. */
export function Slider({ axis, cursor, onMove, pick, text }: Props) {
  const track = useRef<HTMLDivElement>(null);
  const last = axis.xs.length - 1;
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: cursor - 1,
    ArrowDown: cursor - 1,
    ArrowRight: cursor + 1,
    ArrowUp: cursor + 1,
    PageDown: cursor - 10,
    PageUp: cursor + 10,
    Home: 0,
    End: last,
  };
  const press = (event: KeyboardEvent): void => {
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onMove(Math.max(0, Math.min(last, to)));
  };
  const point = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    else if (event.buttons === 0) return;
    const index = pick(event.clientX - track.current!.getBoundingClientRect().left);
    if (index !== cursor) onMove(index);
  };
  return (
    <div ref={track} className="track" onPointerDown={point} onPointerMove={point}>
      {axis.xs.length <= 200 &&
        axis.xs.map((left, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an event is told by its place
          <span key={index} className="dot" style={{ left }} />
        ))}
      <div
        role="slider"
        tabIndex={0}
        className="thumb"
        style={{ left: axis.xs[cursor] }}
        aria-label="Event"
        aria-valuemin={1}
        aria-valuemax={last + 1}
        aria-valuenow={cursor + 1}
        aria-valuetext={text}
        onKeyDown={press}
      />
    </div>
  );
}
