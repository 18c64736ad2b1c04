import { formatClock } from '../../lib/time.ts';
import { useWatched } from '../../lib/use-watched.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { EmptyLedger } from './empty-ledger.tsx';
import { Failures } from './failures.tsx';
import { Parked } from './parked.tsx';
import { Rates } from './rates.tsx';
import { Restless } from './restless.tsx';
import { StatusStrips } from './status-strips.tsx';
import { StuckList } from './stuck-list.tsx';

/** What is wrong now? */
export function OverviewPage() {
  const watched = useWatched('overview', (client) => client.overview());
  const { value: overview } = watched;
  return (
    <>
      <h1 className="visually-hidden">What is wrong now?</h1>
      <FailureNote what="The overview" failure={watched.failure} retry={watched.reload} />
      {!overview && !watched.failure && <Skeleton lines={16} what="the overview" />}
      {overview?.at === null && <EmptyLedger />}
      {overview && overview.at !== null && (
        <div className="overview">
          <Parked parked={overview.parked} />
          <div className="overview-top">
            <StatusStrips counts={overview.counts} />
            <Rates rates={overview.rates} until={overview.at} />
          </div>
          <StuckList blocked={overview.blocked} />
          <div className="overview-bottom">
            <Failures failures={overview.failures} />
            <Restless flapping={overview.flapping} />
          </div>
          <p className="quiet">The newest event was at {formatClock(overview.at)} UTC.</p>
        </div>
      )}
    </>
  );
}
