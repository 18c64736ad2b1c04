import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/domain/kernel/refusal.ts';
import { type Guard, obstacleTo, sideGuards } from '../../../src/domain/server/guards.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import { taskStates, vmStates } from '../../../src/domain/server/states.ts';
import type { Resource } from '../../support/story.ts';
import { anObservedServer, aRunningServer, aServer, readVectors } from './support.ts';

interface Recorded {
  lock_checked?: boolean;
  host_required?: boolean;
  allowed_vm_states?: string[] | 'any';
  allowed_task_states?: (string | null)[] | 'any';
  must_not_be_task_states?: string[];
  must_have_launched?: boolean;
  verified_by_execution?: { combinations: number; accepted: number };
  message_wrong_state?: string;
  message_never_launched?: string;
  codes_verified_by_execution?: boolean;
}
const { actions } = readVectors<{ actions: Record<string, Recorded> }>('action-guards.json');

/** What Nova's API calls an action, and the command that asks for it here. */
const commands: Readonly<Record<string, readonly [type: string, data?: object]>> = {
  confirmResize: ['ConfirmResize'],
  revertResize: ['RevertResize'],
  'reboot(SOFT)': ['RebootServer', { type: 'SOFT' }],
  'reboot(HARD)': ['RebootServer', { type: 'HARD' }],
  rebuild: ['RebuildServer', { imageRef: 'cirros' }],
  resize: ['ResizeServer', { flavorRef: 'large' }],
  migrate: ['MigrateServer'],
  'createImage(image-backed)': ['CreateImage'],
  'createImage(volume-backed)': ['CreateImage'],
  'os-start': ['StartServer'],
  'os-stop': ['StopServer'],
  createBackup: ['CreateBackup'],
  pause: ['PauseServer'],
  unpause: ['UnpauseServer'],
  suspend: ['SuspendServer'],
  resume: ['ResumeServer'],
  rescue: ['RescueServer'],
  unrescue: ['UnrescueServer'],
  shelve: ['ShelveServer'],
  shelveOffload: ['ShelveOffloadServer'],
  unshelve: ['UnshelveServer'],
  'os-migrateLive': ['LiveMigrateServer'],
  evacuate: ['EvacuateServer'],
  forceDelete: ['ForceDeleteServer'],
  restore: ['RestoreServer'],
  changePassword: ['ChangePassword'],
  'DELETE server (reclaim_instance_interval<=0)': ['DeleteServer'],
  'DELETE server (reclaim_instance_interval>0)': ['SoftDeleteServer'],
  'POST os-interface': ['AttachInterface', { portId: '22222222-2222-2222-2222-222222222222' }],
  lock: ['LockServer'],
  unlock: ['UnlockServer'],
  'os-resetState': ['ResetServerState', { state: 'error' }],
  'PUT server (update name/description/...)': ['UpdateServer', { name: 'renamed' }],
  'PUT/POST metadata': ['UpdateServer', { metadata: { a: 'b' } }],
  'server tags (PUT/DELETE)': ['UpdateServer', { tags: ['a'] }],
};

/** Actions that leave the state alone: only whether they are accepted is known here. */
const asides: Readonly<Record<string, Guard>> = {
  trigger_crash_dump: sideGuards.triggerCrashDump,
  injectNetworkInfo: sideGuards.injectNetworkInfo,
  'os-getConsoleOutput': sideGuards.getConsoleOutput,
  'os-getVNCConsole': sideGuards.getVncConsole,
  'os-getSPICEConsole': sideGuards.getSpiceConsole,
  'os-getSerialConsole': sideGuards.getSerialConsole,
  addFixedIp: sideGuards.addFixedIp,
  removeFixedIp: sideGuards.removeFixedIp,
  'POST os-volume_attachments': sideGuards.attachVolume,
  'DELETE os-volume_attachments': sideGuards.detachVolume,
  'PUT os-volume_attachments (swap)': sideGuards.swapVolume,
  'DELETE os-interface': sideGuards.detachInterface,
  'DELETE metadata': sideGuards.deleteMetadata,
  'migrations force_complete': sideGuards.forceCompleteLiveMigration,
  'DELETE migrations (abort)': sideGuards.abortLiveMigration,
};

type Obstacle = { slug: string; help: Record<string, unknown> } | null;

function obstacle(name: string, server: Resource<Server>): Obstacle {
  const aside = asides[name];
  if (aside) {
    const found = obstacleTo(server.state!, aside, {});
    return found && { slug: found.slug, help: { action: aside.verb, ...found } };
  }
  try {
    server.decide(...commands[name]!);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { slug: error.slug, help: error.help };
  }
}

const launchedAt = '2025-12-31T12:00:00.000Z';
const everywhere = vmStates.flatMap((vmState) =>
  [null, ...taskStates].flatMap((taskState) =>
    [launchedAt, null].map((launched) => ({
      vmState,
      taskState,
      launched,
      server: anObservedServer({ vmState, taskState, launchedAt: launched, host: 'host-1' }),
    })),
  ),
);

/** A server that waits for capacity is rebuilt while nothing else is done to it, although Nova's guard forbids it. */
const rebuiltWhilePending = (name: string, vmState: string): boolean => name === 'rebuild' && vmState === 'pending';

const includes = (allowed: readonly (string | null)[] | 'any' | undefined, value: string | null): boolean =>
  allowed === undefined || allowed === 'any' || allowed.includes(value);

const guarded = Object.entries(actions).filter(([name]) => commands[name] || asides[name]);

describe("what is accepted when, in all of Nova's combinations of vm_state, task_state and launched", () => {
  test("every recorded guard has a rule here, but for three that are Neutron's or are gone", () => {
    const without = Object.keys(actions).filter((name) => !commands[name] && !asides[name]);
    expect(without).toEqual([
      'resetNetwork',
      'os-getRDPConsole',
      'security group add/remove',
      'POST remote-consoles', // the same as the three consoles above
    ]);
  });

  test.each(guarded)('%s', (name, recorded) => {
    let accepted = 0;
    for (const { vmState, taskState, launched, server } of everywhere) {
      const found = obstacle(name, server);
      if (rebuiltWhilePending(name, vmState)) {
        expect(found?.slug).toBe(taskState === null ? undefined : 'server-busy');
        continue;
      }
      const vm = includes(recorded.allowed_vm_states, vmState);
      const task =
        includes(recorded.allowed_task_states, taskState) && !recorded.must_not_be_task_states?.includes(taskState!);
      const ran = !recorded.must_have_launched || launched !== null;

      if (vmState === 'deleted' && found?.slug === 'server-deleted') continue;
      const inTheWay = !vm
        ? 'server-in-wrong-state'
        : !task
          ? taskState === null
            ? 'server-in-wrong-state'
            : 'server-busy'
          : 'server-not-launched';
      expect([vmState, taskState, launched, found?.slug]).toEqual([
        vmState,
        taskState,
        launched,
        vm && task && ran ? undefined : inTheWay,
      ]);
      if (!found) accepted += 1;
    }
    const deleted = vmStates.includes('deleted') && includes(recorded.allowed_vm_states, 'deleted');
    const unreachable = deleted && !/delete/i.test(name) && commands[name] ? accepted / 12 : 0;
    if (recorded.verified_by_execution && name !== 'DELETE server (reclaim_instance_interval>0)') {
      expect(accepted + unreachable).toBe(recorded.verified_by_execution.accepted);
    }
  });
});

describe('the order in which obstacles are named', () => {
  const resizing = ['resize', 'migrate']; // a resize was seen to be refused for its state, on no host as on any
  const needHost = guarded.filter(([name, { host_required }]) => host_required && !resizing.includes(name));
  test.each(needHost)('%s: no host comes before a wrong state', (name) => {
    const server = anObservedServer({ vmState: 'building', taskState: 'scheduling', launchedAt: null });
    expect(obstacle(name, server)?.slug).toBe('server-without-host');
  });

  test.each(resizing)('%s: a wrong state comes before no host', (name) => {
    const launched = { launchedAt: '2025-12-31T12:00:00.000Z' };
    expect(obstacle(name, anObservedServer({ vmState: 'error', ...launched }))?.slug).toBe('server-in-wrong-state');
    expect(obstacle(name, anObservedServer({ vmState: 'active', ...launched }))?.slug).toBe('server-without-host');
  });

  const lockable = guarded.filter(([, { lock_checked }]) => lock_checked);
  test.each(lockable)('%s: a lock comes before all else', (name) => {
    const server = anObservedServer({ vmState: 'building', taskState: 'scheduling', launchedAt: null });
    server.execute('LockServer', { reason: 'audit' });
    expect(obstacle(name, server)?.slug).toBe('server-locked');
    if (!commands[name]) return;
    server.facts = { administrator: true };
    expect(obstacle(name, server)?.slug).not.toBe('server-locked');
  });

  const free = guarded.filter(([, { lock_checked }]) => lock_checked === false);
  test.each(free)('%s: a lock does not hold it up', (name) => {
    const server = aRunningServer();
    server.execute('LockServer');
    expect(obstacle(name, server)?.slug).not.toBe('server-locked');
  });
});

describe("a refusal says what Nova's message says, and what to do instead", () => {
  const id = '11111111-1111-1111-1111-111111111111';
  const messageOf = ({ action, attribute, state }: Record<string, unknown>) =>
    state === null
      ? `Instance ${id} is in an invalid state for '${action}'`
      : `Cannot '${action}' instance ${id} while it is in ${attribute} ${state}`;

  const worded = guarded.filter(([, recorded]) => recorded.codes_verified_by_execution && recorded.message_wrong_state);
  const stateful = worded.filter(([, { allowed_vm_states }]) => allowed_vm_states !== 'any');

  test.each(stateful)('%s', (name, { message_wrong_state, message_never_launched, allowed_vm_states }) => {
    const suspended = anObservedServer({ vmState: 'pending', host: 'host-1' });
    if (name !== 'rebuild') expect(messageOf(obstacle(name, suspended)!.help)).toBe(message_wrong_state);

    const vmState = allowed_vm_states![0];
    const neverLaunched = anObservedServer({ vmState, host: 'host-1', launchedAt: null });
    expect(messageOf(obstacle(name, neverLaunched)!.help)).toBe(message_never_launched);
  });

  test('a busy server names the task and the action in the way, and what can be done meanwhile', () => {
    const server = aRunningServer();
    server.execute('ResizeServer', { flavorRef: 'large' });
    expect(obstacle('os-stop', server)).toEqual({
      slug: 'server-busy',
      help: {
        action: 'stop',
        attribute: 'task_state',
        state: 'resize_prep',
        vmState: 'active',
        taskState: 'resize_prep',
        operation: 'ResizeServer',
        retryable: true,
        allowed: [
          'EvacuateServer',
          'SoftDeleteServer',
          'DeleteServer',
          'ForceDeleteServer',
          'UpdateServer',
          'ResetServerState',
          'LockServer',
          'UnlockServer',
        ],
      },
    });
  });

  test('an action without task_state is in the way all the same', () => {
    const server = anObservedServer({ vmState: 'resized', host: 'host-1' });
    server.execute('ConfirmResize');
    expect(server.view).toMatchObject({ taskState: null, operation: { action: 'ConfirmResize' } });
    expect(obstacle('revertResize', server)).toMatchObject({
      slug: 'server-busy',
      help: { operation: 'ConfirmResize', state: null },
    });
  });

  test('each command that is named as allowed is accepted', () => {
    const data: Record<string, object> = {
      RebootServer: { type: 'HARD' },
      ResizeServer: { flavorRef: 'large' },
      ResetServerState: { state: 'error' },
      AttachInterface: { portId: '22222222-2222-2222-2222-222222222222' },
      DetachInterface: { portId: '22222222-2222-2222-2222-222222222222' },
    };
    for (const { server } of everywhere) {
      for (const command of server.view.allowed as string[]) {
        expect(() => server.decide(command, data[command] ?? {})).not.toThrow();
      }
    }
  });

  test('two requests that cross: the second is a conflict and names the first', () => {
    const server = aRunningServer();
    server.execute('ShelveServer');
    expect(server.refusalOf('RebootServer')).toBe('server-busy');
    expect(server.decide('ShelveServer')).toEqual([]);
  });

  test('nothing can be asked of a server that never was', () => {
    expect(aServer().refusalOf('StopServer')).toBe('server-not-found');
    expect(aServer().refusalOf('DeleteServer')).toBe('server-not-found');
  });
});
