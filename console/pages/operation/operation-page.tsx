import { useState } from 'react';
import type { LedgerEvent } from '../../../src/client/index.ts';
import type { Place } from '../../lib/navigation.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Paging } from '../../parts/paging.tsx';
import { ResourceId } from '../../parts/resource-id.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { EventTable } from './event-table.tsx';
import { Lanes } from './lanes.tsx';

const pageSize = 200;

interface Props {
  readonly place: Place;
  readonly id: string;
}

/** What did one request cause? */
export function OperationPage({ place, id }: Props) {
  const marker = place.query.get('marker');
  const page = useLoaded(`operation ${marker}`, (client, signal) =>
    client.operation(id, { limit: pageSize, signal, ...(marker !== null && { marker }) }),
  );
  const { value } = page;
  return (
    <>
      <h1>
        <span className="quiet">operation</span> <ResourceId id={id} />
      </h1>
      <FailureNote what="The operation" failure={page.failure} retry={page.reload} />
      {!value && !page.failure && <Skeleton lines={8} what="the operation" />}
      {value && value.events.length === 0 && <p className="panel">No event has this correlation id.</p>}
      {value && value.events.length > 0 && <Events events={value.events} />}
      {value && <Paging place={place} next={value.next} />}
    </>
  );
}

function Events({ events }: { readonly events: readonly LedgerEvent[] }) {
  const [current, setCurrent] = useState<string | null>(null);
  return (
    <div className="operation">
      <Lanes events={events} current={current} onPick={setCurrent} />
      <EventTable events={events} current={current} />
    </div>
  );
}
