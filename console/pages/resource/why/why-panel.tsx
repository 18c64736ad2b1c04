import type { Kind, Why } from '../../../../src/client/index.ts';
import { resourceOf } from '../../../lib/resource-of.ts';
import { MomentShown, setLedgerTime, useNow } from '../../../lib/time.ts';
import { useLoaded } from '../../../lib/use-loaded.ts';
import { Age } from '../../../parts/age.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { ResourceLink } from '../../../parts/resource-link.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { ConditionList } from './condition-list.tsx';
import { HintList } from './hint-list.tsx';
import { Summary } from './summary.tsx';

interface Props {
  readonly kind: Kind;
  readonly id: string;
  /** The revision the cursor is on; null where that is the present. */
  readonly at: number | null;
  /** What the present is known by: when it changes, the present is asked for again. */
  readonly latest: number;
}

const lookAgainMs = 15_000;

/** Why is it so; and where the cursor is in the past, why was it so then? */
export function WhyPanel({ kind, id, at, latest }: Props) {
  // The present changes without an event of this resource: an agent falls silent, a deadline passes.
  const round = Math.floor(useNow() / lookAgainMs);
  const why = useLoaded(`why ${at ?? `now ${latest} ${round}`}`, async (client, signal) => {
    const answer = await resourceOf(client, kind, id).why({ signal, ...(at !== null && { at }) });
    if (at === null) setLedgerTime(answer.at.time);
    return answer;
  });
  const { value } = why;
  return (
    <aside id="why" tabIndex={-1} className="panel" aria-labelledby="why-title">
      <h2 id="why-title">{value ? titleOf(value, at !== null) : 'Why'}</h2>
      {at !== null && <p className="quiet">As it was at event {at + 1}</p>}
      <FailureNote what="The reason" failure={why.failure} retry={why.reload} />
      {value ? (
        <MomentShown value={at === null ? null : value.at.time}>
          <Answer why={value} />
        </MomentShown>
      ) : (
        !why.failure && <Skeleton lines={6} what="the reason" />
      )}
    </aside>
  );
}

function titleOf({ verdict, status }: Why, isPast: boolean): string {
  if (isPast) return `Why it was ${status}`;
  return verdict === 'fine' ? `Why ${status}` : `Why still ${status}`;
}

function Answer({ why }: { readonly why: Why }) {
  return (
    <>
      <Summary explanation={why} />
      <ConditionList conditions={why.conditions} />
      <WaitedForBy why={why} />
      <HintList hints={why.hints} />
      {why.partial && <p className="quiet">Not all it hangs on could be looked at.</p>}
    </>
  );
}

function WaitedForBy({ why: { waitedForBy } }: { readonly why: Why }) {
  if (waitedForBy.length === 0) return null;
  return (
    <>
      <h3>Who waits for this</h3>
      <ul>
        {waitedForBy.map(({ resource, what, since }) => (
          <li key={`${resource.kind} ${resource.id} ${what}`}>
            <ResourceLink resource={resource} />, {what} <Age since={since} prefix="since " />
          </li>
        ))}
      </ul>
    </>
  );
}
