import type { Overview } from '../../../src/client/index.ts';
import { Age } from '../../parts/age.tsx';
import { ResourceLink } from '../../parts/resource-link.tsx';

/** Resources that keep changing their status. */
export function Restless({ flapping }: { readonly flapping: Overview['flapping'] }) {
  return (
    <section className="panel table-panel" aria-labelledby="restless-title">
      <div className="panel-head">
        <h2 id="restless-title">Restless in the last hour</h2>
      </div>
      {flapping.length === 0 ? (
        <p className="quiet">Everything keeps still.</p>
      ) : (
        <table>
          <tbody>
            {flapping.map(({ resource, changes, lastAt }) => (
              <tr key={`${resource.kind} ${resource.id}`}>
                <td>
                  <ResourceLink resource={resource} />
                </td>
                <td>{changes} changes</td>
                <td>
                  <Age since={lastAt} prefix="last " suffix=" ago" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
