import { type Guard, guarded, unguarded } from './guards.ts';
import { type PowerState, power, type TaskState, type VmState } from './states.ts';

/** One task_state an action passes through. */
export interface Step {
  /** Null where the server is idle between two parts of one action. */
  readonly task: TaskState | null;
  /** What the server is from this step on, where the step changes it. */
  readonly enters?: { readonly vmState: VmState; readonly powerState: PowerState };
  /** Where success leads, if it is reported at this step and that differs from the action's own end. */
  readonly ends?: End;
  /** What is to be assumed about the guest when the action fails here and the worker does not say. */
  readonly failure: 'as-before' | 'unknown';
}

export interface End {
  /**
   * `as-before`: the action leaves the vm_state alone. `by-power`: stopped where the guest is shut down, else active.
   * `as-it-ran`: active, and stopped again where the server was stopped when it was rebuilt or resized.
   */
  readonly vmState: VmState | 'as-before' | 'by-power' | 'as-it-ran';
  /** What a hypervisor says then, unless the worker reports otherwise; null: as before. */
  readonly powerState: PowerState | null;
  /** The guest is on no host any more. */
  readonly leavesHost?: true;
}

export interface Action {
  readonly command: string;
  readonly guard: Guard;
  readonly steps: readonly Step[];
  readonly ends: End;
  /** The guest may be on another host afterwards. */
  readonly moves?: true;
  /** The guest is started anew: from an image or on another flavor. */
  readonly launches?: true;
}

const step =
  (failure: Step['failure']) =>
  (...tasks: TaskState[]): Step[] =>
    tasks.map((task) => ({ task, failure }));
const safe = step('as-before');
const risky = step('unknown');

const ends = (vmState: End['vmState'], powerState: PowerState | null = null): End => ({ vmState, powerState });
const unchanged = ends('as-before');

const running: VmState[] = ['active', 'paused', 'stopped', 'suspended'];
const resizing = {
  steps: [...safe('resize_prep'), ...risky('resize_migrating', 'resize_migrated', 'resize_finish')],
  ends: ends('resized'),
  moves: true,
  launches: true,
} as const;
const rebuilding = {
  steps: [...safe('rebuilding'), ...risky('rebuild_block_device_mapping', 'rebuild_spawning')],
  ends: ends('as-it-ran', power.running),
  launches: true,
} as const;
const offloading: Step = {
  task: 'shelving_offloading',
  enters: { vmState: 'shelved', powerState: power.shutdown },
  ends: { vmState: 'shelved_offloaded', powerState: power.shutdown, leavesHost: true },
  failure: 'as-before',
};

const define = <T extends Record<string, Action>>(table: T): T => table;

/** What can be done to a server: when it is accepted, the tasks it passes through, and where it ends. */
export const actions = define({
  StopServer: {
    command: 'StopServer',
    guard: guarded('stop', ['active', 'error'], { host: 'looked-at-first' }),
    steps: safe('powering-off'),
    ends: ends('stopped', power.shutdown),
  },
  StartServer: {
    command: 'StartServer',
    guard: guarded('start', ['stopped'], { host: 'looked-at-first' }),
    steps: safe('powering-on'),
    ends: ends('active', power.running),
  },
  SoftRebootServer: {
    command: 'RebootServer',
    guard: guarded('reboot', ['active']),
    steps: safe('rebooting', 'reboot_pending', 'reboot_started'),
    ends: ends('active', power.running),
  },
  HardRebootServer: {
    command: 'RebootServer',
    guard: guarded('reboot', ['active', 'stopped', 'paused', 'suspended', 'error'], {
      taskStates: [
        null,
        'rebooting',
        'reboot_pending',
        'reboot_started',
        'rebooting_hard',
        'pausing',
        'unpausing',
        'suspending',
        'resuming',
      ],
    }),
    steps: [...safe('rebooting_hard', 'reboot_pending_hard'), ...risky('reboot_started_hard')],
    ends: ends('active', power.running),
  },
  PauseServer: {
    command: 'PauseServer',
    guard: guarded('pause', ['active']),
    steps: safe('pausing'),
    ends: ends('paused', power.paused),
  },
  UnpauseServer: {
    command: 'UnpauseServer',
    guard: guarded('unpause', ['paused']),
    steps: safe('unpausing'),
    ends: ends('active', power.running),
  },
  SuspendServer: {
    command: 'SuspendServer',
    guard: guarded('suspend', ['active']),
    steps: safe('suspending'),
    ends: ends('suspended', power.suspended),
  },
  ResumeServer: {
    command: 'ResumeServer',
    guard: guarded('resume', ['suspended']),
    steps: safe('resuming'),
    ends: ends('active', power.running),
  },
  RescueServer: {
    command: 'RescueServer',
    guard: guarded('rescue', ['active', 'stopped', 'error']),
    steps: safe('rescuing'),
    ends: ends('rescued', power.running),
  },
  UnrescueServer: {
    command: 'UnrescueServer',
    guard: guarded('unrescue', ['rescued']),
    steps: safe('unrescuing'),
    ends: ends('active', power.running),
  },
  RebuildServer: {
    command: 'RebuildServer',
    guard: guarded('rebuild', ['active', 'stopped', 'error']),
    ...rebuilding,
  },
  EvacuateServer: {
    command: 'EvacuateServer',
    guard: guarded('evacuate', ['active', 'stopped', 'error'], { taskStates: 'any', lock: false }),
    ...rebuilding,
    moves: true,
  },
  ResizeServer: {
    command: 'ResizeServer',
    guard: guarded('resize', ['active', 'stopped'], { host: 'looked-at-last' }),
    ...resizing,
  },
  MigrateServer: {
    command: 'MigrateServer',
    guard: guarded('migrate', ['active', 'stopped'], { host: 'looked-at-last' }),
    ...resizing,
  },
  ConfirmResize: {
    command: 'ConfirmResize',
    guard: guarded('confirmResize', ['resized']),
    steps: [],
    ends: ends('by-power'),
  },
  RevertResize: {
    command: 'RevertResize',
    guard: guarded('revertResize', ['resized']),
    steps: risky('resize_reverting'),
    ends: ends('as-it-ran', power.running),
    moves: true,
  },
  LiveMigrateServer: {
    command: 'LiveMigrateServer',
    guard: guarded('os-migrateLive', ['active', 'paused']),
    steps: safe('migrating'),
    ends: unchanged,
    moves: true,
  },
  ShelveServer: {
    command: 'ShelveServer',
    guard: guarded('shelve', running),
    steps: [...safe('shelving', 'shelving_image_pending_upload', 'shelving_image_uploading'), offloading],
    ends: ends('shelved', power.shutdown),
  },
  ShelveOffloadServer: {
    command: 'ShelveOffloadServer',
    guard: guarded('shelveOffload', ['shelved']),
    steps: [offloading],
    ends: offloading.ends!,
  },
  UnshelveServer: {
    command: 'UnshelveServer',
    guard: guarded('unshelve', ['shelved', 'shelved_offloaded']),
    steps: safe('unshelving', 'powering-on', 'spawning'),
    ends: ends('active', power.running),
    moves: true,
  },
  ChangePassword: {
    command: 'ChangePassword',
    guard: guarded('changePassword', ['active']),
    steps: safe('updating_password'),
    ends: unchanged,
  },
  CreateImage: {
    command: 'CreateImage',
    guard: guarded('createImage', running, { lock: false }),
    steps: safe('image_snapshot_pending', 'image_snapshot', 'image_pending_upload', 'image_uploading'),
    ends: unchanged,
  },
  CreateBackup: {
    command: 'CreateBackup',
    guard: guarded('createBackup', running, { lock: false }),
    steps: safe('image_backup', 'image_pending_upload', 'image_uploading'),
    ends: unchanged,
  },
  SoftDeleteServer: {
    command: 'SoftDeleteServer',
    guard: unguarded('delete', { launched: true }),
    steps: safe('soft-deleting'),
    ends: ends('soft-delete', power.shutdown),
  },
  RestoreServer: {
    command: 'RestoreServer',
    guard: guarded('restore', ['soft-delete']),
    steps: safe('restoring'),
    ends: ends('active', power.running),
  },
  DeleteServer: {
    command: 'DeleteServer',
    guard: unguarded('delete'),
    steps: risky('deleting'),
    ends: ends('deleted', power.none),
  },
  ForceDeleteServer: {
    command: 'ForceDeleteServer',
    guard: unguarded('forceDelete'),
    steps: risky('deleting'),
    ends: ends('deleted', power.none),
  },
});

export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as ActionName[];
export const actionOf = (name: ActionName): Action => actions[name];

/** A guest that was shut down before it was built anew runs for a moment, for all to see, and is shut down again. */
const backToStopped: readonly Step[] = [
  { task: null, enters: { vmState: 'active', powerState: power.running }, failure: 'as-before' },
  { task: 'powering-off', failure: 'as-before' },
];

/** The steps of an action on its way to `endsIn`. */
export const stepsOf = (action: Action, endsIn: VmState): readonly Step[] =>
  action.ends.vmState === 'as-it-ran' && endsIn === 'stopped' ? [...action.steps, ...backToStopped] : action.steps;
