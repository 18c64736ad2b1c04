import type { ResourceSummary } from '../../src/client/index.ts';
import { ResourceLink } from './resource-link.tsx';
import { StatusBadge } from './status-badge.tsx';

/** The cells that a row about a resource begins with: which it is, and how it is. */
export const ResourceCells = ({ resource }: { readonly resource: ResourceSummary }) => (
  <>
    <td>
      <ResourceLink resource={resource} />
    </td>
    <td>
      <StatusBadge status={resource.status} />
    </td>
  </>
);
