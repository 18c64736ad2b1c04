import type { State } from '../../../../src/client/index.ts';
import { curlOf } from '../../../lib/curl.ts';
import { apiPathOf } from '../../../lib/kinds.ts';
import { formatDuration } from '../../../lib/time.ts';
import { CommandLine } from '../../../parts/command-line.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { MachineDrawing } from './machine-drawing.tsx';
import { pathTaken, type Transition } from './path-taken.ts';

/** A node as people see it. */
export type NodeView = State<'node'> & { readonly allowed?: readonly string[] };

interface Props {
  readonly id: string;
  readonly transitions: readonly Transition[];
  /** Whether these are all transitions up to there, not only those of the events that are loaded. */
  readonly isWhole: boolean;
  /** What the node is now; null where it is deleted, or the past is looked at. */
  readonly node: NodeView | null;
}

/** The state machine with the path a node took, and the verbs it would accept now. */
export function MachinePanel({ id, transitions, isWhole, node }: Props) {
  const path = pathTaken(transitions);
  return (
    <section className="panel" aria-labelledby="machine-title">
      <h2 id="machine-title">The path it took{!isWhole && ', in the events that are loaded'}</h2>
      <MachineDrawing path={path} />
      <details>
        <summary>The same as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">from</th>
              <th scope="col">to</th>
              <th scope="col">times</th>
              <th scope="col">time spent before</th>
            </tr>
          </thead>
          <tbody>
            {path.edges.map(({ from, to, count, spentMs }) => (
              <tr key={`${from} ${to}`}>
                <td>
                  <StatusBadge status={from} />
                </td>
                <td>
                  <StatusBadge status={to} />
                </td>
                <td>{count}</td>
                <td>{formatDuration(spentMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      {node && <Verbs id={id} allowed={node.allowed ?? []} />}
    </section>
  );
}

function Verbs({ id, allowed }: { readonly id: string; readonly allowed: readonly string[] }) {
  return (
    <>
      <h3>Allowed now</h3>
      {allowed.length === 0 && <p className="quiet">No verb: work is under way, or somebody holds the lock.</p>}
      <ul className="verbs">
        {allowed.map((target) => (
          <li key={target}>
            <strong>{target}</strong>
            <CommandLine
              text={curlOf(`${apiPathOf({ kind: 'node', id })}/commands`, {
                type: 'SetProvisionState',
                data: { target },
              })}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
