import {
  type KnownTaskState,
  type KnownVmState,
  type TaskState,
  taskStates,
  type VmState,
  vmStates,
} from './states.ts';

interface StatusRow {
  /** The status while no task says otherwise. */
  readonly default: string;
  readonly tasks?: Readonly<Partial<Record<KnownTaskState, string>>>;
}

const each = <S extends string>(status: S, ...tasks: KnownTaskState[]): Partial<Record<KnownTaskState, S>> =>
  Object.fromEntries(tasks.map((task) => [task, status]));

const rebuild = each('REBUILD', 'rebuilding', 'rebuild_block_device_mapping', 'rebuild_spawning');
const resize = each('RESIZE', 'resize_prep', 'resize_migrating', 'resize_migrated', 'resize_finish');
const migrate = each('MIGRATING', 'migrating');

/** Nova's table: one row a vm_state, and the tasks that change the word people see. */
const rows: Readonly<Record<KnownVmState, StatusRow>> = {
  active: {
    default: 'ACTIVE',
    tasks: {
      ...each('REBOOT', 'rebooting', 'reboot_pending', 'reboot_started'),
      ...each('HARD_REBOOT', 'rebooting_hard', 'reboot_pending_hard', 'reboot_started_hard'),
      ...each('PASSWORD', 'updating_password'),
      ...rebuild,
      ...migrate,
      ...resize,
    },
  },
  building: { default: 'BUILD' },
  paused: { default: 'PAUSED', tasks: migrate },
  suspended: { default: 'SUSPENDED' },
  stopped: { default: 'SHUTOFF', tasks: { ...resize, ...rebuild } },
  rescued: { default: 'RESCUE' },
  resized: { default: 'VERIFY_RESIZE', tasks: each('REVERT_RESIZE', 'resize_reverting') },
  'soft-delete': { default: 'SOFT_DELETED' },
  deleted: { default: 'DELETED' },
  error: { default: 'ERROR', tasks: rebuild },
  shelved: { default: 'SHELVED' },
  shelved_offloaded: { default: 'SHELVED_OFFLOADED' },
  pending: { default: 'PENDING' },
};

/** The status of a vm_state and a task_state; `UNKNOWN` for a vm_state Nova has no word for. */
export function statusFor(vmState: string | null, taskState: string | null): string {
  const row = vmStates.includes(vmState as KnownVmState) ? rows[vmState as KnownVmState] : undefined;
  return row?.tasks?.[taskState as KnownTaskState] ?? row?.default ?? 'UNKNOWN';
}

/** A server's status. A deleted server is DELETED, whatever its vm_state was. */
export const statusOf = (server: {
  readonly vmState: VmState;
  readonly taskState: TaskState | null;
  readonly deletedAt?: string;
}): string => (server.deletedAt === undefined ? statusFor(server.vmState, server.taskState) : 'DELETED');

/**
 * What Nova looks for when people ask for some statuses: vm_states and, unless `default` is among them, task_states.
 * It finds more than was asked for (ACTIVE also finds REBOOT), never less. Without vm_states nothing is a status.
 */
export interface StatusFilter {
  readonly vmStates: readonly VmState[];
  readonly taskStates: readonly (TaskState | 'default')[];
}

/** The filter for statuses in any mixture of case, such as `?status=active&status=BUILD`. */
export function filterFor(statuses: readonly string[]): StatusFilter {
  const wanted = statuses.map((status) => status.toUpperCase());
  const found = vmStates.flatMap((vmState) =>
    (['default', ...taskStates] as const)
      .filter((task) => wanted.some((status) => status === mapped(vmState, task)))
      .map((task) => ({ vmState, task })),
  );
  return {
    vmStates: [...new Set(found.map(({ vmState }) => vmState))].sort(),
    taskStates: [...new Set(found.map(({ task }) => task))].sort(),
  };
}

const mapped = (vmState: KnownVmState, task: KnownTaskState | 'default'): string | undefined =>
  task === 'default' ? rows[vmState].default : rows[vmState].tasks?.[task];

export const matchesFilter = (
  filter: StatusFilter,
  server: { readonly vmState: VmState; readonly taskState: TaskState | null },
): boolean =>
  filter.vmStates.includes(server.vmState) &&
  (filter.taskStates.includes('default') ||
    (server.taskState !== null && filter.taskStates.includes(server.taskState)));
