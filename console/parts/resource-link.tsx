import type { ResourceSummary } from '../../src/client/index.ts';
import { hrefOf } from '../lib/kinds.ts';
import { Link } from './link.tsx';
import { shortId } from './resource-id.tsx';

type Named = Pick<ResourceSummary, 'kind' | 'id'> & { readonly name: string | null };

/** A resource by its kind and name, or by its id where it has none. Agents have a host as well. */
export function ResourceLink({ resource }: { readonly resource: Named }) {
  const { kind, id, name } = resource;
  return (
    <span>
      <span className="quiet">{kind}</span>{' '}
      <Link href={hrefOf(resource)} title={id}>
        {kind === 'agent' ? id : name || shortId(id)}
      </Link>
      {kind !== 'agent' && name && <code className="quiet"> {shortId(id)}</code>}
    </span>
  );
}
