import {
  type Activity,
  machine,
  type ProvisionState,
  provisionStates,
} from '../../../../src/domain/node/provision-machine.ts';

/** Where a state is drawn: stable states in the first column, beside them a row for each thing that can be done to a node. */
export interface Box {
  readonly state: ProvisionState;
  readonly x: number;
  readonly y: number;
}

export const boxWidth = 120;
export const boxHeight = 32;
const columnGap = 96;
const rowGap = 32;

const rows: readonly Activity[] = [
  'verify',
  'inspect',
  'clean',
  'adopt',
  'deploy',
  'delete',
  'service',
  'rescue',
  'unrescue',
];

/** A stable state stands beside the row of what is usually done next. */
const stableRows: Readonly<Partial<Record<ProvisionState, number>>> = {
  enroll: 0,
  manageable: 1,
  available: 3,
  active: 4,
  error: 5,
  rescue: 7,
};

const columns = { stable: 0, working: 1, waiting: 2, held: 3, failed: 4 } as const;

export const columnTitles = ['stable', 'at work', 'waiting for a call-back', 'held', 'failed'] as const;
export const columnX = (column: number): number => column * (boxWidth + columnGap);
const rowY = (row: number): number => 32 + row * (boxHeight + rowGap);

function boxOf(state: ProvisionState): Box {
  const { kind, activity } = machine[state as keyof typeof machine];
  const column = columns[kind as keyof typeof columns];
  const row = activity === null ? (stableRows[state] ?? 0) : rows.indexOf(activity);
  return { state, x: columnX(column), y: rowY(row) };
}

export const boxes: readonly Box[] = provisionStates.map(boxOf);
export const boxByState: ReadonlyMap<string, Box> = new Map(boxes.map((box) => [box.state, box]));

export const drawingWidth = columnX(columnTitles.length - 1) + boxWidth;
export const drawingHeight = rowY(rows.length - 1) + boxHeight + 8;

export interface Way {
  /** For an SVG path. */
  readonly d: string;
  /** Where its label stands. */
  readonly x: number;
  readonly y: number;
}

/** A way from one box to another that passes between the others, so that there and back again are two ways. */
export function wayBetween(from: Box, to: Box): Way {
  const columnsApart = (to.x - from.x) / (boxWidth + columnGap);
  if (columnsApart === 0) return besideTheColumn(from, to);
  if (columnsApart === 1) return betweenSides(from.x + boxWidth, from.y + upper, to.x, to.y + upper, -6);
  if (columnsApart === -1) return betweenSides(from.x, from.y + lower, to.x + boxWidth, to.y + lower, 14);
  return columnsApart > 0 ? overTheRow(from, to) : underTheRow(from, to);
}

const upper = boxHeight / 2 - 6;
const lower = boxHeight / 2 + 6;
const bulge = 40;

function betweenSides(x1: number, y1: number, x2: number, y2: number, labelShift: number): Way {
  const middle = (x1 + x2) / 2;
  return { d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`, x: middle, y: (y1 + y2) / 2 + labelShift };
}

function besideTheColumn(from: Box, to: Box): Way {
  const x = from.x + boxWidth;
  const [y1, y2] = [from.y + lower, to.y + lower];
  return { d: `M${x} ${y1}C${x + bulge} ${y1} ${x + bulge} ${y2} ${x} ${y2}`, x: x + bulge, y: (y1 + y2) / 2 };
}

function overTheRow(from: Box, to: Box): Way {
  return arc(from.x + boxWidth - 16, from.y, to.x + 16, to.y, Math.min(from.y, to.y) - 18, 4);
}

function underTheRow(from: Box, to: Box): Way {
  const [y1, y2] = [from.y + boxHeight, to.y + boxHeight];
  return arc(from.x + 16, y1, to.x + boxWidth - 16, y2, Math.max(y1, y2) + 18, 4);
}

function arc(x1: number, y1: number, x2: number, y2: number, height: number, labelShift: number): Way {
  const inset = x2 > x1 ? 24 : -24;
  return {
    d: `M${x1} ${y1}C${x1} ${height} ${x1 + inset} ${height} ${x1 + 2 * inset} ${height}L${x2 - 2 * inset} ${height}C${x2 - inset} ${height} ${x2} ${height} ${x2} ${y2}`,
    x: (x1 + x2) / 2,
    y: height + labelShift,
  };
}
