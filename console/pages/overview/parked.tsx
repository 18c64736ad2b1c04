import type { Overview } from '../../../src/client/index.ts';
import { ResourceLink } from '../../parts/resource-link.tsx';

/** Resources whose latest events the lists cannot show: what is seen of them here is old. */
export function Parked({ parked }: { readonly parked: Overview['parked'] }) {
  if (parked.total === 0) return null;
  return (
    <section className="failure" aria-labelledby="parked-title">
      <strong id="parked-title">
        <span aria-hidden="true">✕</span> {parked.total} {parked.total === 1 ? 'resource is' : 'resources are'} shown as
        they were: an event of theirs cannot be read here
      </strong>
      <ul>
        {parked.first.map(({ resource, eventType, error }) => (
          <li key={`${resource.kind} ${resource.id}`}>
            <ResourceLink resource={{ ...resource, name: null }} /> {eventType}: {error}
          </li>
        ))}
      </ul>
    </section>
  );
}
