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

export const boxWidth = 128;
export const boxHeight = 32;
const columnGap = 64;
const rowGap = 24;

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

/** A curve from one box to another that passes between the others. */
export function pathBetween(from: Box, to: Box): { readonly d: string; readonly x: number; readonly y: number } {
  const isBack = to.x <= from.x;
  const start = { x: from.x + (isBack ? boxWidth / 2 : boxWidth), y: from.y + (isBack ? boxHeight : boxHeight / 2) };
  const end = endOf(from, to);
  if (!isBack) {
    const middle = (start.x + end.x) / 2;
    return {
      d: `M${start.x} ${start.y}C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`,
      x: middle,
      y: (start.y + end.y) / 2,
    };
  }
  const dip = Math.max(start.y, end.y) + rowGap - 8;
  return {
    d: `M${start.x} ${start.y}C${start.x} ${dip} ${end.x} ${dip} ${end.x} ${end.y}`,
    x: (start.x + end.x) / 2,
    y: (start.y + end.y) / 2 + (dip - Math.max(start.y, end.y)) * 0.75,
  };
}

function endOf(from: Box, to: Box): { x: number; y: number } {
  if (to.x > from.x) return { x: to.x, y: to.y + boxHeight / 2 };
  return { x: to.x + boxWidth / 2 + 16, y: to.y + boxHeight };
}
