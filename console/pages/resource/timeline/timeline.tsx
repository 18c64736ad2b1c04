import { type ReactNode, useState } from 'react';
import type { HistoryEntry, Kind } from '../../../../src/client/index.ts';
import { formatClock, formatDuration, formatUtc, useNow } from '../../../lib/time.ts';
import { useWidth } from '../../../lib/use-width.ts';
import { axisOf, nearest } from './axis.ts';
import { Bands } from './bands.tsx';
import { bandsOf } from './bands-of.ts';
import { Marks } from './marks.tsx';
import { Slider } from './slider.tsx';
import { wordsFor } from './words.ts';

interface Props {
  readonly kind: Kind;
  readonly entries: readonly HistoryEntry[];
  /** Index of the event the cursor is on. */
  readonly cursor: number;
  readonly onMove: (index: number) => void;
  /** The status before the first of the events, where they do not say. */
  readonly statusBefore: string | null;
  /** Whether the life goes on after the last event, up to the present. */
  readonly isOpen: boolean;
  /** What stands between the head and the drawing. */
  readonly above: ReactNode;
  /** What stands in the head, beside the title. */
  readonly beside: ReactNode;
}

/** How many marks find room side by side. */
const marksIn = (width: number): number => Math.max(12, Math.floor(width / 14));

/** A resource's life drawn over time: statuses as bands, events as marks, and a cursor to move. */
export function Timeline(props: Props) {
  const { entries, cursor } = props;
  const [frame, width] = useWidth<HTMLDivElement>();
  const [isZoomed, setZoomed] = useState(false);
  const isCrowded = entries.length > marksIn(width);
  const slice = isCrowded && isZoomed ? sliceAround(cursor, entries.length, marksIn(width)) : null;
  return (
    <section className="panel" aria-label="Timeline">
      <div className="panel-head">
        <h2>Timeline</h2>
        {props.beside}
        {isCrowded && (
          <button type="button" onClick={() => setZoomed(!isZoomed)}>
            {isZoomed ? `Show all ${entries.length} events` : 'Zoom to the cursor'}
          </button>
        )}
      </div>
      {props.above}
      <div ref={frame} className="timeline-frame">
        {width > 0 && (
          <Drawing
            {...props}
            width={width}
            entries={slice ? entries.slice(slice.from, slice.to) : entries}
            cursor={cursor - (slice?.from ?? 0)}
            isOpen={props.isOpen && (slice === null || slice.to === entries.length)}
            onMove={(index) => {
              props.onMove(index + (slice?.from ?? 0));
              if (isCrowded) setZoomed(true);
            }}
          />
        )}
      </div>
    </section>
  );
}

/** Some events around the cursor. It moves on in steps, so that the cursor moves rather than the drawing. */
function sliceAround(cursor: number, length: number, size: number): { from: number; to: number } {
  const step = Math.floor(size / 2);
  const from = Math.max(0, Math.min(Math.floor(cursor / step) * step - Math.floor(step / 2), length - size));
  return { from, to: Math.min(length, from + size) };
}

function Drawing({ kind, entries, cursor, onMove, statusBefore, isOpen, width }: Props & { width: number }) {
  const now = useNow();
  /** Revisions of the events after which a fold was opened. */
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const unfolded = new Set([...entries.keys()].filter((index) => opened.has(entries[index]!.revision)));
  const times = entries.map(({ time }) => Date.parse(time));
  const end = isOpen ? Math.max(now, times.at(-1)!) : times.at(-1)!;
  const axis = axisOf({ times, end, width: width - 24, unfolded });
  const bands = bandsOf(entries, statusBefore);
  const texts = entries.map((entry) => wordsFor(kind, entry));
  const { time } = entries[cursor]!;
  return (
    <>
      <Bands
        bands={bands}
        axis={axis}
        lengthOf={(from, to) => formatDuration((times[to] ?? end) - times[from]!)}
        onUnfold={(after) => setOpened(new Set([...opened, entries[after]!.revision]))}
      />
      <Marks texts={texts} axis={axis} width={width - 24} cursor={cursor} />
      <Slider
        axis={axis}
        cursor={cursor}
        onMove={onMove}
        pick={(x) => nearest(axis.xs, x)}
        text={`event ${cursor + 1} of ${entries.length}, ${texts[cursor]}, ${formatUtc(time)}`}
      />
      <p className="timeline-ends quiet">
        <span>{formatUtc(entries[0]!.time)}</span>
        <span>{isOpen ? 'now' : formatClock(entries.at(-1)!.time)}</span>
      </p>
    </>
  );
}
