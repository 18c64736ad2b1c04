import { type Fault, faultShown } from './faults.ts';
import type { Server } from './state.ts';
import { type TaskState, type VmState, vmStates } from './states.ts';
import { filterFor, type StatusFilter, statusFor } from './status.ts';

/**
 * Whether a client's microversion has the word PENDING. To one that has not, a server that waits for capacity is in
 * ERROR: in its view, in what it finds by status or vm_state, and in nothing is it otherwise.
 */
export type Audience = 'knows-pending' | 'predates-pending';

type Seen = Pick<Server, 'vmState' | 'taskState' | 'faults' | 'attempts' | 'deletedAt'>;

const seenStates: Readonly<Record<Audience, (vmState: VmState) => VmState>> = {
  'knows-pending': (vmState) => vmState,
  'predates-pending': (vmState) => (vmState === 'pending' ? 'error' : vmState),
};

/** States with whose status Nova shows the progress of a server. */
const progressStatuses = ['ACTIVE', 'BUILD', 'REBUILD', 'RESIZE', 'VERIFY_RESIZE', 'MIGRATING', 'PENDING'];

export interface ServerAsSeen {
  status: string;
  vmState: VmState;
  taskState: TaskState | null;
  fault: Fault | null;
  showsProgress: boolean;
}

/** What an audience sees of a server where the audiences may differ. */
export function asSeenBy(audience: Audience, server: Seen): ServerAsSeen {
  const { vmState, taskState, deletedAt } = server;
  const seen = seenStates[audience](vmState);
  const status = deletedAt === undefined ? statusFor(seen, taskState) : 'DELETED';
  return {
    status,
    vmState: seen,
    taskState,
    fault: faultShown(status, server),
    showsProgress: progressStatuses.includes(status),
  };
}

/** What an audience finds that asks for vm_states, such as `?vm_state=error`. */
export const vmStatesFor = (audience: Audience, wanted: readonly string[]): VmState[] =>
  vmStates.filter((vmState) => wanted.includes(seenStates[audience](vmState)));

/** What an audience finds that asks for statuses. Without vm_states in it, nothing it asked for is a status to it. */
export function statusFilterFor(audience: Audience, statuses: readonly string[]): StatusFilter {
  const filter = filterFor(statuses);
  const found = vmStatesFor(audience, filter.vmStates);
  return { vmStates: found.sort(), taskStates: found.length > 0 ? filter.taskStates : [] };
}
