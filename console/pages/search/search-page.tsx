import { useEffect } from 'react';
import { hrefOf } from '../../lib/kinds.ts';
import { navigate } from '../../lib/navigation.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { Age } from '../../parts/age.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Link } from '../../parts/link.tsx';
import { ResourceCells } from '../../parts/resource-cells.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';

const most = 50;

/** What has this id or name, or begins so. Where it is one, that one is shown at once. */
export function SearchPage({ query }: { readonly query: string }) {
  const found = useLoaded(`search ${query}`, (client, signal) => client.search(query, { limit: most }).get({ signal }));
  const items = found.value?.items ?? [];
  const only = items.length === 1 ? hrefOf(items[0]!) : null;
  useEffect(() => {
    if (only !== null) navigate(only, { replace: true });
  }, [only]);
  return (
    <>
      <h1>Found for “{query}”</h1>
      <FailureNote what="The search" failure={found.failure} retry={found.reload} />
      {!found.value && !found.failure && <Skeleton lines={4} what="what was found" />}
      {found.value && items.length === 0 && <NothingFound query={query} />}
      {items.length > 1 && (
        <div className="panel table-panel">
          <table>
            <tbody>
              {items.map((item) => (
                <tr key={`${item.kind} ${item.id}`}>
                  <ResourceCells resource={item} />
                  <td>
                    <Age since={item.statusSince} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function NothingFound({ query }: { readonly query: string }) {
  const host = encodeURIComponent(query);
  return (
    <section className="panel empty">
      <p>No id, no name and no address begins so.</p>
      <p>
        On a host of that name: <Link href={`/servers?host=${host}`}>servers</Link>,{' '}
        <Link href={`/ports?host=${host}`}>ports</Link>, <Link href={`/nodes?host=${host}`}>nodes</Link>,{' '}
        <Link href={`/agents?host=${host}`}>agents</Link>
      </p>
    </section>
  );
}
