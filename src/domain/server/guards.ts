import type { ServerFacts } from './facts.ts';
import type { Server } from './state.ts';
import { type TaskState, taskStates, type VmState } from './states.ts';

/** What must be so for an action to be accepted. */
export interface Guard {
  /** Nova's word for the action, as its messages have it: "Cannot 'stop' instance ...". */
  readonly verb: string;
  readonly vmStates: readonly VmState[] | 'any';
  readonly taskStates: readonly (TaskState | null)[] | 'any';
  /** Whether the guest must have run once. */
  readonly launched: boolean;
  /** Whether the guest must be on a host, and when that is looked at: for a resize, after all else. */
  readonly host: 'looked-at-first' | 'looked-at-last' | 'not-needed';
  /** Whether a lock keeps people from it. */
  readonly lock: boolean;
}

/** Nova's usual guard: idle, launched, not locked. What differs is said. */
export const guarded = (verb: string, vmStates: Guard['vmStates'], exceptions: Partial<Guard> = {}): Guard => ({
  verb,
  vmStates,
  taskStates: [null],
  launched: true,
  host: 'not-needed',
  lock: true,
  ...exceptions,
});

/** Accepted in every state; only a lock may stand in the way. */
export const unguarded = (verb: string, exceptions: Partial<Guard> = {}): Guard =>
  guarded(verb, 'any', { taskStates: 'any', launched: false, ...exceptions });

/** What stands in the way of an action: enough to print Nova's message, or a better one. */
export interface Obstacle {
  readonly slug:
    | 'server-locked'
    | 'server-without-host'
    | 'server-in-wrong-state'
    | 'server-busy'
    | 'server-not-launched';
  readonly attribute: 'locked' | 'host' | 'vm_state' | 'task_state' | 'launched_at';
  readonly state: string | null;
}

type Check = (server: Server, guard: Guard, facts: Pick<ServerFacts, 'administrator'>) => Obstacle | null;

/** In Nova's order: the first obstacle is the one that people are told. */
const checks: readonly Check[] = [
  (server, guard, { administrator }) =>
    guard.lock && server.lock && !administrator
      ? { slug: 'server-locked', attribute: 'locked', state: server.lock.by }
      : null,

  (server, { host }) => (host === 'looked-at-first' ? hostMissing(server) : null),

  (server, { vmStates }) =>
    vmStates === 'any' || vmStates.includes(server.vmState)
      ? null
      : { slug: 'server-in-wrong-state', attribute: 'vm_state', state: server.vmState },

  (server, guard) => {
    if (guard.taskStates === 'any') return null;
    const among = guard.taskStates.includes(server.taskState);
    // Confirming a resize has no task_state, and is under way all the same.
    const busy = server.taskState !== null || server.operation !== null;
    if (among && (server.taskState !== null || !server.operation)) return null;
    return { slug: busy ? 'server-busy' : 'server-in-wrong-state', attribute: 'task_state', state: server.taskState };
  },

  (server, guard) =>
    guard.launched && server.launchedAt === undefined
      ? { slug: 'server-not-launched', attribute: 'launched_at', state: null }
      : null,

  (server, { host }) => (host === 'looked-at-last' ? hostMissing(server) : null),
];

const hostMissing = ({ host }: Server): Obstacle | null =>
  host === null ? { slug: 'server-without-host', attribute: 'host', state: null } : null;

export function obstacleTo(server: Server, guard: Guard, facts: Pick<ServerFacts, 'administrator'>): Obstacle | null {
  for (const check of checks) {
    const obstacle = check(server, guard, facts);
    if (obstacle) return obstacle;
  }
  return null;
}

const attached: Guard['vmStates'] = [
  'active',
  'paused',
  'resized',
  'shelved',
  'shelved_offloaded',
  'soft-delete',
  'stopped',
];
const plugged: Guard['vmStates'] = ['active', 'paused', 'stopped'];
const described: Guard['vmStates'] = ['active', 'paused', 'stopped', 'suspended'];
const consoleTasks = [null, ...taskStates.filter((task) => task !== 'deleting' && task !== 'migrating')];
const consoleAccess = { lock: false, host: 'looked-at-first' as const, taskStates: consoleTasks };

/** What people do to a server without changing what it is doing. */
export const sideGuards = {
  attachVolume: guarded('attach_volume', attached),
  detachVolume: guarded('detach_volume', attached),
  swapVolume: guarded('swap_volume', ['active', 'paused', 'resized']),
  attachInterface: guarded('attach_interface', plugged),
  detachInterface: guarded('detach_interface', plugged),
  updateMetadata: guarded('update metadata', described, { taskStates: 'any' }),
  deleteMetadata: guarded('delete metadata', described, { taskStates: 'any' }),
  updateTags: guarded('update tags', described, { taskStates: 'any', launched: false, lock: false }),
  addFixedIp: unguarded('add_fixed_ip'),
  removeFixedIp: unguarded('remove_fixed_ip'),
  injectNetworkInfo: unguarded('inject_network_info'),
  triggerCrashDump: guarded('trigger_crash_dump', ['active', 'error', 'paused', 'rescued', 'resized'], {
    host: 'looked-at-first' as const,
  }),
  getConsoleOutput: unguarded('get_console_output', { lock: false, host: 'looked-at-first' as const }),
  getVncConsole: unguarded('get_vnc_console', consoleAccess),
  getSpiceConsole: unguarded('get_spice_console', consoleAccess),
  getSerialConsole: unguarded('get_serial_console', consoleAccess),
  forceCompleteLiveMigration: guarded('live_migrate_force_complete', ['active'], { taskStates: ['migrating'] }),
  abortLiveMigration: guarded('live_migrate_abort', 'any', { taskStates: ['migrating'] }),
} as const satisfies Readonly<Record<string, Guard>>;
