import { type Place, withQuery } from '../lib/navigation.ts';
import { Link } from './link.tsx';
import { Pill } from './pill.tsx';

interface Props {
  readonly place: Place;
  /** The marker of the following page; null where there is none. */
  readonly next: string | null;
  /** How much has come since the page was loaded. */
  readonly fresh?: number;
  readonly onRefresh?: () => void;
}

/** To the next page, back to the first, and to what has come since. */
export function Paging({ place, next, fresh = 0, onRefresh }: Props) {
  return (
    <p className="paging" role="status">
      {place.query.has('marker') && <Link href={withQuery(place, { marker: null })}>First page</Link>}
      {next !== null && <Link href={withQuery(place, { marker: next })}>Next page</Link>}
      {fresh > 0 && <Pill onClick={onRefresh}>{fresh} new</Pill>}
    </p>
  );
}
