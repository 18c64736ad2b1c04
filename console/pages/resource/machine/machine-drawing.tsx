import { machine } from '../../../../src/domain/node/provision-machine.ts';
import { formatDuration } from '../../../lib/time.ts';
import {
  boxByState,
  boxes,
  boxHeight,
  boxWidth,
  columnTitles,
  columnX,
  drawingHeight,
  drawingWidth,
  type Way,
  wayBetween,
} from './layout.ts';
import type { EdgeTaken, PathTaken } from './path-taken.ts';

/** The provision states of a node: visited ones filled, the current one ringed, the ways it took with count and time. */
export function MachineDrawing({ path }: { readonly path: PathTaken }) {
  const edges = labelled(path.edges);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className="machine" tabIndex={0}>
      <svg
        width={drawingWidth + 4}
        height={drawingHeight}
        viewBox={`-2 0 ${drawingWidth + 4} ${drawingHeight}`}
        aria-hidden="true"
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0l8 4l-8 4z" className="arrow" />
          </marker>
        </defs>
        {columnTitles.map((title, column) => (
          <text key={title} x={columnX(column)} y={16} className="label">
            {title}
          </text>
        ))}
        {path.current !== null && <PossibleEdges from={path.current} />}
        {boxes.map(({ state, x, y }) => (
          <g key={state} className={classOf(state, path)}>
            <rect x={x} y={y} width={boxWidth} height={boxHeight} rx={4} />
            <text x={x + boxWidth / 2} y={y + 20} textAnchor="middle">
              {state}
            </text>
          </g>
        ))}
        {edges.map(({ key, d }) => (
          <path key={key} d={d} className="edge taken" markerEnd="url(#arrow)" />
        ))}
        {edges.map(({ key, text, x, y }) => (
          <text key={key} x={x} y={y} textAnchor="middle" className="edge-label">
            {text}
          </text>
        ))}
      </svg>
    </div>
  );
}

const classOf = (state: string, { visited, current }: PathTaken): string =>
  ['state', visited.has(state) && 'visited', state === current && 'current'].filter(Boolean).join(' ');

/** Where the machine would let it go from here. */
function PossibleEdges({ from }: { readonly from: string }) {
  const box = boxByState.get(from);
  if (!box) return null;
  const targets = new Set(Object.values(machine[box.state as keyof typeof machine].on));
  return [...targets].map((to) => (
    <path key={to} d={wayBetween(box, boxByState.get(to)!).d} className="edge possible" />
  ));
}

interface LabelledEdge extends Way {
  readonly key: string;
  readonly text: string;
}

const characterWidth = 6.5;
const lineHeight = 13;

/** The ways that were taken, their labels moved apart where they would lie on each other. */
function labelled(edges: readonly EdgeTaken[]): LabelledEdge[] {
  const placed: LabelledEdge[] = [];
  for (const { from, to, count, spentMs } of edges) {
    const [start, end] = [boxByState.get(from), boxByState.get(to)];
    if (!start || !end) continue;
    const way = wayBetween(start, end);
    const text = `${count}× ${formatDuration(spentMs)}`;
    const clashes = (y: number): boolean =>
      placed.some(
        (other) =>
          Math.abs(other.y - y) < lineHeight &&
          Math.abs(other.x - way.x) < ((other.text.length + text.length) / 2) * characterWidth,
      );
    let { y } = way;
    while (clashes(y)) y += lineHeight;
    placed.push({ ...way, y, text, key: `${from} ${to}` });
  }
  return placed;
}
