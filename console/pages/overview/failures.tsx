import type { Overview } from '../../../src/client/index.ts';
import { useSteady } from '../../lib/use-steady.ts';
import { Age } from '../../parts/age.tsx';
import { Pill } from '../../parts/pill.tsx';
import { ResourceCells } from '../../parts/resource-cells.tsx';

/** What failed and still is so, the newest first. */
export function Failures({ failures }: { readonly failures: Overview['failures'] }) {
  const rows = useSteady(failures, ({ resource }) => `${resource.kind} ${resource.id} ${resource.statusSince}`);
  return (
    <section className="panel table-panel" aria-labelledby="failures-title">
      <div className="panel-head">
        <h2 id="failures-title">Failed, the newest first</h2>
        {rows.fresh > 0 && <Pill onClick={rows.refresh}>{rows.fresh} new</Pill>}
      </div>
      {rows.shown.length === 0 ? (
        <p className="quiet">Nothing has failed.</p>
      ) : (
        <table>
          <tbody>
            {rows.shown.map(({ item: { resource, reason }, isGone }) => (
              <tr
                key={`${resource.kind} ${resource.id} ${resource.statusSince}`}
                className={isGone ? 'gone' : undefined}
              >
                <ResourceCells resource={resource} />
                <td className="reason">
                  {reason ?? <span className="quiet">{resource.kind === 'agent' ? 'silent' : 'nobody said why'}</span>}
                </td>
                <td>
                  <Age since={resource.statusSince} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
