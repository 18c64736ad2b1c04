import { power } from '../../../domain/server/states.ts';
import type { Row } from './recording.ts';

/** A row that a server passed through. */
interface Passed extends Row {
  /** Whether it was over with the change that led to it, so that nobody could see it. */
  readonly passing: boolean;
}

type Change = { readonly type: string; readonly data: object };

/** The rows that a server passes through, each once. */
export class RowTrail {
  readonly rows: Passed[] = [];

  add({ vmState, taskState, powerState, host }: Row, passing = false): void {
    const row = { vmState, taskState, powerState, host, passing };
    const last = this.rows.at(-1);
    if (!last || !sameRow(last, row)) this.rows.push(row);
    else if (!passing) this.rows.splice(-1, 1, row);
  }

  /** What the events of one command make of the row; those that do not touch it are not here. */
  follow(events: readonly Change[]): void {
    const changes = events.filter(({ type }) => type in effects);
    changes.forEach(({ type, data }, index) => {
      this.add(effects[type]!(this.rows.at(-1), data as never), index < changes.length - 1);
    });
  }
}

type Condition = Pick<Row, 'vmState' | 'taskState' | 'powerState'>;

const effects: Readonly<Record<string, (row: Row | undefined, data: never) => Row>> = {
  ServerCreated: () => ({ vmState: 'building', taskState: 'scheduling', powerState: power.none, host: null }),
  ServerStateChanged: (row, { to }: { to: Condition }) => ({ ...to, host: row?.host ?? null }),
  ServerMoved: (row, { to }: { to: string | null }) => ({ ...row!, host: to }),
};

const sameRow = (a: Row, b: Row): boolean =>
  a.vmState === b.vmState && a.taskState === b.taskState && a.powerState === b.powerState && a.host === b.host;

export interface RowDifference {
  readonly recorded: Row | null;
  readonly here: Row | null;
}

/**
 * Rows that only one of two trails has, in their order: what is left of both without their longest common part. One that
 * was merely passed here may be missing there.
 */
export function rowDifferences(recorded: readonly Row[], { rows: here }: RowTrail): RowDifference[] {
  const common = commonLengths(recorded, here);
  const differences: RowDifference[] = [];
  let [r, h] = [0, 0];
  while (r < recorded.length || h < here.length) {
    const [theirs, ours] = [recorded[r], here[h]];
    if (theirs && ours && sameRow(theirs, ours)) {
      r++;
      h++;
    } else if (theirs && (!ours || common[r + 1]![h]! >= common[r]![h + 1]!)) {
      differences.push({ recorded: theirs, here: null });
      r++;
    } else {
      if (!ours!.passing) differences.push({ recorded: null, here: ours! });
      h++;
    }
  }
  return differences;
}

/** How many rows the rests from each pair of places on have in common. */
function commonLengths(recorded: readonly Row[], here: readonly Row[]): number[][] {
  const lengths = Array.from({ length: recorded.length + 1 }, () => new Array<number>(here.length + 1).fill(0));
  for (let r = recorded.length - 1; r >= 0; r--) {
    for (let h = here.length - 1; h >= 0; h--) {
      lengths[r]![h] = sameRow(recorded[r]!, here[h]!)
        ? lengths[r + 1]![h + 1]! + 1
        : Math.max(lengths[r + 1]![h]!, lengths[r]![h + 1]!);
    }
  }
  return lengths;
}
