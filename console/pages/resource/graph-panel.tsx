import type { Graph, ResourceRef } from '../../../src/client/index.ts';
import { byUrgency } from '../../lib/status.ts';
import { useWatched } from '../../lib/use-watched.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { ResourceLink } from '../../parts/resource-link.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';

/** What a resource depends on and what depends on it, at a glance: what is unwell comes first. */
export function GraphPanel({ resource }: { readonly resource: ResourceRef }) {
  const watched = useWatched('graph', (client) => client.graph(resource, { depth: 4 }));
  const graph = watched.value;
  return (
    <section className="panel" aria-labelledby="graph-title">
      <h2 id="graph-title">What it depends on</h2>
      <FailureNote what="The graph" failure={watched.failure} retry={watched.reload} />
      {graph && <Branches graph={graph} of={resource} passed={new Set([keyOf(resource)])} />}
      {graph && graph.edges.length === 0 && <p className="quiet">Nothing.</p>}
      {graph?.truncated && <p className="quiet">There is more than is shown.</p>}
    </section>
  );
}

type Vertex = Graph['vertices'][number];
type Place = Pick<Vertex, 'kind' | 'id'>;

const keyOf = ({ kind, id }: Place): string => `${kind} ${id}`;

interface BranchesProps {
  readonly graph: Graph;
  readonly of: Place;
  /** On the way here: a graph may have circles, what is drawn of it has none. */
  readonly passed: ReadonlySet<string>;
}

function Branches({ graph, of, passed }: BranchesProps) {
  const branches = branchesOf(graph, of).filter(({ vertex }) => !passed.has(keyOf(vertex)));
  if (branches.length === 0) return null;
  const next = new Set([...passed, ...branches.map(({ vertex }) => keyOf(vertex))]);
  return (
    <ul className="graph">
      {branches.map(({ vertex, relation }) => (
        <li key={`${relation} ${keyOf(vertex)}`}>
          <VertexLine vertex={vertex} />
          {vertex.kind !== 'host' && <Branches graph={graph} of={vertex} passed={next} />}
        </li>
      ))}
    </ul>
  );
}

function branchesOf({ edges, vertices }: Graph, of: Place): { vertex: Vertex; relation: string }[] {
  const known = new Map(vertices.map((vertex) => [keyOf(vertex), vertex]));
  const here = keyOf(of);
  return edges
    .flatMap(({ from, to, relation }) => {
      const other = keyOf(from) === here ? to : keyOf(to) === here ? from : null;
      const vertex = other && known.get(keyOf(other));
      return vertex ? [{ vertex, relation }] : [];
    })
    .filter(({ vertex }, index, all) => all.findIndex((each) => each.vertex === vertex) === index)
    .sort((a, b) => byUrgency(statusOf(a.vertex), statusOf(b.vertex)));
}

/** What was never recorded is as bad as what failed: something depends on it. */
const statusOf = ({ kind, resource }: Vertex): string => resource?.status ?? (kind === 'host' ? 'ACTIVE' : 'UNKNOWN');

function VertexLine({ vertex: { kind, id, resource, deleted } }: { readonly vertex: Vertex }) {
  if (kind === 'host') return <p>host {id}</p>;
  return (
    <p>
      <ResourceLink resource={resource ?? { kind, id, name: null }} />{' '}
      {resource ? <StatusBadge status={resource.status} /> : <span className="tone-failed">✕ never recorded</span>}
      {deleted && ', deleted'}
    </p>
  );
}
