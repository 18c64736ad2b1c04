import type { Kind } from '../../../src/client/index.ts';
import { titleOf } from '../../lib/kinds.ts';
import type { Place } from '../../lib/navigation.ts';
import { statusOf } from '../../lib/status-of.ts';
import { useSteady } from '../../lib/use-steady.ts';
import { useWatched } from '../../lib/use-watched.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Paging } from '../../parts/paging.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { EmptyList } from './empty-list.tsx';
import { filterOf, hasFilter } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { ResourceTable } from './resource-table.tsx';

interface Props {
  readonly place: Place;
  readonly kind: Kind;
}

/** Which ones? */
export function ListPage({ place, kind }: Props) {
  return (
    <>
      <h1>{titleOf(kind)}</h1>
      <FilterBar place={place} kind={kind} />
      {/* Another question has another order: what the reader saw of the last one does not bind it. */}
      <List key={place.query.toString()} place={place} kind={kind} />
    </>
  );
}

function List({ place, kind }: Props) {
  const filter = filterOf(place.query);
  const watched = useWatched(`list ${JSON.stringify(filter)}`, (client) => client.list(kind, filter));
  const { value } = watched;
  const rows = useSteady(value?.items ?? null, ({ id }) => id);
  return (
    <>
      <FailureNote what="The list" failure={watched.failure} retry={watched.reload} />
      {!value && !watched.failure && <Skeleton lines={12} what="the list" />}
      {value && rows.shown.length === 0 && rows.fresh === 0 && (
        <EmptyList kind={kind} isFiltered={hasFilter(place.query)} />
      )}
      {value && rows.shown.length > 0 && (
        <ResourceTable
          place={place}
          kind={kind}
          rows={rows.shown.map(({ item, isGone }) => ({ state: item, status: statusOf(kind, item), isGone }))}
        />
      )}
      {value && <Paging place={place} next={value.next} fresh={rows.fresh} onRefresh={rows.refresh} />}
    </>
  );
}
