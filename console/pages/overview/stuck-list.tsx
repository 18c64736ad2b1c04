import type { Overview } from '../../../src/client/index.ts';
import { hrefOf } from '../../lib/kinds.ts';
import { useSteady } from '../../lib/use-steady.ts';
import { Age } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { Pill } from '../../parts/pill.tsx';
import { ResourceCells } from '../../parts/resource-cells.tsx';
import { Clearance } from './clearance.tsx';

type Blocked = Overview['blocked']['oldest'][number];

const keyOf = ({ resource, wait }: Blocked): string =>
  [resource.kind, resource.id, wait.what, wait.on?.id, wait.since].join(' ');

/** Who has waited longest, for what, and whether anybody can still clear it. Rows stay where they are until they are asked to move. */
export function StuckList({ blocked }: { readonly blocked: Overview['blocked'] }) {
  const rows = useSteady(blocked.oldest, keyOf);
  const gone = rows.shown.filter(({ isGone }) => isGone).length;
  return (
    <section className="panel table-panel" aria-labelledby="stuck-title">
      <div className="panel-head">
        <h2 id="stuck-title">Waiting, the longest first ({blocked.total.toLocaleString('en')})</h2>
        {rows.fresh + gone > 0 && (
          <Pill onClick={rows.refresh}>
            {[rows.fresh > 0 && `${rows.fresh} new`, gone > 0 && `${gone} done`].filter(Boolean).join(', ')}
          </Pill>
        )}
      </div>
      {rows.shown.length === 0 ? (
        <p className="quiet">Nobody waits for anything.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Resource</th>
              <th scope="col">Status</th>
              <th scope="col">Waiting for</th>
              <th scope="col">For</th>
              <th scope="col">Who can clear it</th>
            </tr>
          </thead>
          <tbody>
            {rows.shown.map(({ item, isGone }) => (
              <Row key={keyOf(item)} blocked={item} isGone={isGone} />
            ))}
          </tbody>
        </table>
      )}
      {blocked.total > blocked.oldest.length && <AllOfThem oldest={blocked.oldest} />}
    </section>
  );
}

/** The lists of all that wait for the same as those above. */
function AllOfThem({ oldest }: Pick<Overview['blocked'], 'oldest'>) {
  const lists = new Map(
    oldest.map(({ resource: { kind }, wait: { what } }) => [
      `${kind}s that wait for ${what}`,
      `/${kind}s?blocked_by=${encodeURIComponent(what)}`,
    ]),
  );
  return (
    <p className="paging">
      All{' '}
      {[...lists].map(([words, href]) => (
        <Link key={href} href={href}>
          {words}
        </Link>
      ))}
    </p>
  );
}

function Row({ blocked, isGone }: { readonly blocked: Blocked; readonly isGone: boolean }) {
  const { resource, wait, reason } = blocked;
  return (
    <tr className={isGone ? 'gone' : undefined}>
      <ResourceCells resource={resource} />
      <td className="reason">
        {wordsFor(wait)}
        {wait.on && (
          <>
            {' of '}
            <Link href={hrefOf(wait.on)}>its {wait.on.kind}</Link>
          </>
        )}
        {reason !== null && <span className="quiet"> ({reason})</span>}
      </td>
      <td>{isGone ? <span className="tone-fine">done</span> : <Age since={wait.since} />}</td>
      <td className="reason">{!isGone && <Clearance resource={resource} />}</td>
    </tr>
  );
}

/** What the read models have a word of their own for; everything else is in the words of whoever is waited for. */
const words: Readonly<Record<string, (wait: Blocked['wait']) => string>> = {
  capacity: () => 'room on any host',
  worker: ({ host }) => (host === null ? 'somebody to take it up' : `${host} to take it up`),
  'call-back': () => 'its ramdisk to call back',
  reservation: ({ holder }) => `the lock that ${holder} holds`,
};

const wordsFor = (wait: Blocked['wait']): string =>
  words[wait.what]?.(wait) ?? (wait.host === null ? wait.what : `${wait.what} from host ${wait.host}`);
