import type { Kind, Listed } from '../../../src/client/index.ts';
import { hrefOf } from '../../lib/kinds.ts';
import { type Place, withQuery } from '../../lib/navigation.ts';
import { hostOf, reasonOf } from '../../lib/reason.ts';
import { nameOf } from '../../lib/status-of.ts';
import { Age } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { ResourceId, shortId } from '../../parts/resource-id.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { defaultSort } from './filter.ts';

interface Props {
  readonly place: Place;
  readonly kind: Kind;
  readonly rows: readonly Row[];
}

interface Row {
  readonly state: Listed;
  readonly status: string;
  /** It is no longer among those that were asked for. */
  readonly isGone: boolean;
}

const columns = [
  { title: 'Status', sort: 'status' },
  { title: 'For', sort: 'status_since' },
  { title: 'Name', sort: 'name' },
  { title: 'Id', sort: 'id' },
  { title: 'Host', sort: 'host' },
  { title: 'Reason', sort: null },
  { title: 'Last event', sort: 'updated_at' },
] as const;

/** Resources, one a row, each with its age and its reason. */
export function ResourceTable({ place, kind, rows }: Props) {
  return (
    <div className="panel table-panel">
      <table>
        <thead>
          <tr>
            {columns.map(({ title, sort }) => (
              <Heading key={title} place={place} title={title} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <ResourceRow key={row.state.id} kind={kind} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading({
  place,
  title,
  sort,
}: {
  readonly place: Place;
  readonly title: string;
  readonly sort: string | null;
}) {
  if (sort === null) return <th scope="col">{title}</th>;
  const [by, direction = 'asc'] = (place.query.get('sort') ?? defaultSort).split(':');
  const isSorted = by === sort;
  const isDescending = isSorted && direction === 'desc';
  const wanted = isSorted && !isDescending ? `${sort}:desc` : sort;
  return (
    <th scope="col" aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}>
      <Link href={withQuery(place, { sort: wanted, marker: null })}>
        {title}
        {isSorted && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
      </Link>
    </th>
  );
}

function ResourceRow({ kind, row: { state, status, isGone } }: { readonly kind: Kind; readonly row: Row }) {
  const { id } = state;
  return (
    <tr className={isGone ? 'gone' : undefined}>
      <td>
        <StatusBadge status={status} />
      </td>
      <td>
        <Age since={state.statusSince} />
      </td>
      <td>
        <Link href={hrefOf({ kind, id })}>{nameOf(kind, state) || shortId(id)}</Link>
      </td>
      <td>
        <ResourceId id={id} />
      </td>
      <td>{hostOf(kind, state)}</td>
      <td className="reason">
        {isGone && <span className="quiet">no longer so · </span>}
        {reasonOf(kind, state)}
      </td>
      <td>
        <Age since={state.updatedAt} />
      </td>
    </tr>
  );
}
