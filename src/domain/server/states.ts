import { z } from 'zod';
import { orForeign } from '../kernel/observation.ts';

/** Nova's stable states, spelt as Nova spells them (`soft-delete` but `shelved_offloaded`), and `pending`. */
export const vmStates = [
  'active',
  'building',
  'paused',
  'suspended',
  'stopped',
  'rescued',
  'resized',
  'soft-delete',
  'deleted',
  'error',
  'shelved',
  'shelved_offloaded',
  'pending',
] as const;
export const VmState = z.enum(vmStates);
export type KnownVmState = z.infer<typeof VmState>;
/** As an outside system says it: an observed server may be in a state, or in a task, that the rules do not know. */
export const SeenVmState = orForeign(VmState);
export type VmState = z.infer<typeof SeenVmState>;

/** What is being done to a server at the moment; null where nothing is. */
export const taskStates = [
  'scheduling',
  'block_device_mapping',
  'networking',
  'spawning',
  'image_snapshot',
  'image_snapshot_pending',
  'image_pending_upload',
  'image_uploading',
  'image_backup',
  'updating_password',
  'resize_prep',
  'resize_migrating',
  'resize_migrated',
  'resize_finish',
  'resize_reverting',
  'resize_confirming',
  'rebooting',
  'reboot_pending',
  'reboot_started',
  'rebooting_hard',
  'reboot_pending_hard',
  'reboot_started_hard',
  'pausing',
  'unpausing',
  'suspending',
  'resuming',
  'powering-off',
  'powering-on',
  'rescuing',
  'unrescuing',
  'rebuilding',
  'rebuild_block_device_mapping',
  'rebuild_spawning',
  'migrating',
  'deleting',
  'soft-deleting',
  'restoring',
  'shelving',
  'shelving_image_pending_upload',
  'shelving_image_uploading',
  'shelving_offloading',
  'unshelving',
] as const;
export const TaskState = z.enum(taskStates);
export type KnownTaskState = z.infer<typeof TaskState>;
export const SeenTaskState = orForeign(TaskState);
export type TaskState = z.infer<typeof SeenTaskState>;

/**
 * Power states are the integers that Nova's API shows. Its notifications use words, one of which is `pending` for 0:
 * a server that is being built would seem to wait for capacity.
 */
export const power = { none: 0, running: 1, paused: 3, shutdown: 4, crashed: 6, suspended: 7 } as const;
export const powerStateWords = {
  0: 'pending',
  1: 'running',
  3: 'paused',
  4: 'shutdown',
  6: 'crashed',
  7: 'suspended',
} as const;
export const PowerState = z.literal(Object.values(power));
export type PowerState = z.infer<typeof PowerState>;

/** The three variables that tell what a server is, what is done to it, and what its hypervisor says. */
export const Condition = z.object({
  vmState: SeenVmState,
  taskState: SeenTaskState.nullable(),
  powerState: PowerState,
});
export type Condition = z.infer<typeof Condition>;

export const conditionOf = ({ vmState, taskState, powerState }: Condition): Condition => ({
  vmState,
  taskState,
  powerState,
});

export const sameCondition = (a: Condition, b: Condition): boolean =>
  a.vmState === b.vmState && a.taskState === b.taskState && a.powerState === b.powerState;
