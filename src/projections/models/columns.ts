import { isAlive, type Lifetime } from '../../domain/kernel/aggregate.ts';
import type { Subject } from './subject.ts';

/** The columns that change seldom, and that indexes are on. */
export const columnNames = [
  'alive',
  'status',
  'status_since',
  'sub_state',
  'sub_state_since',
  'host',
  'name',
  'project',
  'network',
  'device',
  'created_at',
  'deleted_at',
  'deadline',
] as const;

export type ColumnValue = string | number | null;

export function columnsOf(subject: Subject): ColumnValue[] {
  const { state, table, aggregate, condition } = subject;
  if (!state) return [0, ...columnNames.slice(1).map(() => null)];
  const { name, project, network, device } = table.columns(state);
  const { createdAt, deletedAt = null } = state;
  // A deleted resource is listed with the status it died in, since when it is deleted.
  const { status, statusSince, subState, subStateSince, host } = condition ?? {
    status: aggregate.status(state),
    statusSince: deletedAt,
    subState: table.subState(state),
    subStateSince: deletedAt,
    host: table.host(state),
  };
  const about = [name, project, network, device, createdAt, deletedAt];
  return [condition ? 1 : 0, status, statusSince, subState, subStateSince, host, ...about, deadlineOf(subject, state)];
}

/** The earliest moment at which the clock must do something if nobody acts before. */
function deadlineOf({ aggregate }: Subject, state: Lifetime): string | null {
  if (!isAlive(state)) return null;
  const due = aggregate.deadlines?.(state, null) ?? [];
  return due.reduce<string | null>((earliest, { at }) => (earliest === null || at < earliest ? at : earliest), null);
}
