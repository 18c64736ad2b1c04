import type { ResourceSummary, Why } from '../../../src/client/index.ts';
import { resourceOf } from '../../lib/resource-of.ts';
import { formatDuration, setLedgerTime, useNow } from '../../lib/time.ts';
import { useLoaded } from '../../lib/use-loaded.ts';

/** How often it is looked at again whether somebody can still clear it. */
const lookAgainMs = 30_000;

/** Whether anybody can still clear what a resource waits for, and whether who should is alive. */
export function Clearance({ resource }: { readonly resource: ResourceSummary }) {
  const round = Math.floor(useNow() / lookAgainMs);
  const { value } = useLoaded(`${resource.statusSince} ${round}`, async (client, signal) => {
    const why = await resourceOf(client, resource.kind, resource.id).why({ signal });
    setLedgerTime(why.at.time);
    return why;
  });
  return value && <Words why={value} />;
}

const words = {
  itself: 'clears by itself',
  owner: 'its owner can',
  operator: 'an operator can',
  nobody: 'nobody can as things are',
} as const;

function Words({ why: { causes } }: { readonly why: Why }) {
  const now = useNow();
  const cause = causes[0];
  if (!cause) return <span className="quiet">nothing stands in the way any more</span>;
  const { owner, clearable } = cause;
  const by = clearable?.by ?? 'owner';
  const silentSince = owner?.alive === false ? owner.lastSeenAt : null;
  return (
    <>
      <span className={by === 'nobody' ? 'tone-failed' : undefined}>
        {by === 'nobody' && <span aria-hidden="true">✕ </span>}
        {words[by]}
      </span>
      {owner &&
        `; ${owner.kind}${silentSince === null ? '' : ` silent ${formatDuration(now - Date.parse(silentSince))}`}`}
      {owner?.alive === true && ' alive'}
    </>
  );
}
