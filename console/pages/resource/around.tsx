import { Pill } from '../../parts/pill.tsx';
import type { Shown } from './use-story.ts';

interface Props {
  readonly shown: Shown;
  /** Events that came since. */
  readonly fresh: number;
  readonly onShow: (revision: number) => void;
  readonly onLatest: () => void;
}

/** The ways to what is not shown: earlier events, later ones, and those that have come since. */
export function Around({ shown, fresh, onShow, onLatest }: Props) {
  const first = shown.entries[0]!.revision;
  const last = shown.entries.at(-1)!.revision;
  const later = shown.lastRevision - last;
  return (
    <p className="around" role="status">
      {first > 0 && (
        <button type="button" onClick={() => onShow(first - 1)}>
          ◀ {first.toLocaleString('en')} earlier
        </button>
      )}
      {later > 0 && (
        <button type="button" onClick={() => onShow(last + 1)}>
          {later.toLocaleString('en')} later ▶
        </button>
      )}
      {fresh > 0 && <Pill onClick={onLatest}>{fresh.toLocaleString('en')} new</Pill>}
    </p>
  );
}
