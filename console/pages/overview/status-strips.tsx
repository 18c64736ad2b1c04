import type { Overview } from '../../../src/client/index.ts';
import { kinds } from '../../lib/kinds.ts';
import { byUrgency, shapes, toneOf } from '../../lib/status.ts';
import { Link } from '../../parts/link.tsx';

/** A strip a kind: how many are in each status. Each part leads to the list of those. */
export function StatusStrips({ counts }: { readonly counts: Overview['counts'] }) {
  return (
    <section className="panel" aria-labelledby="strips-title">
      <h2 id="strips-title">Everything, by status</h2>
      {kinds.map((kind) => (
        <Strip key={kind} kind={kind} counts={counts.filter((count) => count.kind === kind)} />
      ))}
    </section>
  );
}

function Strip({ kind, counts }: { readonly kind: string; readonly counts: Overview['counts'] }) {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const parts = [...counts].sort((a, b) => byUrgency(a.status, b.status));
  return (
    <div className="strip">
      <h3>
        <Link href={`/${kind}s`}>
          {total.toLocaleString('en')} {total === 1 ? kind : `${kind}s`}
        </Link>
      </h3>
      <div className="strip-bar" aria-hidden="true">
        {parts.map(({ status, count }) => (
          <Link
            key={status}
            href={hrefOfStatus(kind, status)}
            className={`fill-${toneOf(status)}`}
            style={{ flexGrow: count }}
            tabIndex={-1}
            title={`${count} ${status}`}
          >
            {shapes[toneOf(status)]}
          </Link>
        ))}
      </div>
      <ul className="strip-legend">
        {parts.map(({ status, count }) => (
          <li key={status}>
            <Link href={hrefOfStatus(kind, status)} className={`tone-${toneOf(status)}`}>
              <span aria-hidden="true">{shapes[toneOf(status)]}</span> {status} {count.toLocaleString('en')}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

const hrefOfStatus = (kind: string, status: string): string => `/${kind}s?status=${encodeURIComponent(status)}`;
