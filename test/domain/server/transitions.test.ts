import { describe, expect, test } from 'vitest';
import type { Server } from '../../../src/domain/server/state.ts';
import type { Resource } from '../../support/story.ts';
import { aServer, readVectors } from './support.ts';

interface Row {
  vm_state: string;
  task_state: string | null;
  power_state: number;
  host: string | null;
}
interface Recorded {
  action: string;
  status_after?: string | number;
  db_transitions: { from: Row; to: Row }[];
}

const place = ({ vmState, taskState, powerState, host }: Server): Row => ({
  vm_state: vmState,
  task_state: taskState,
  power_state: powerState,
  host,
});

/** A command, and the rows it makes: mostly one; two where a host is taken or left with it; none where nothing moves. */
interface Step {
  command: readonly [type: string, data?: object];
  rows: 0 | 1 | 2;
}
type Script = (rows: readonly Row[]) => Step[];

const makes =
  (rows: Step['rows']) =>
  (type: string, data: object = {}): Step => ({ command: [type, data], rows });
const one = makes(1);
const two = makes(2);
const none = makes(0);

const at = (action: string, { task_state, host }: Row): Step =>
  one('ReportActionProgress', { action, taskState: task_state, ...(host !== null && { host }) });

/** The hypervisor of the recording was a fake that is paused and suspended without noticing: its power is reported. */
const done = (action: string, powerState: number) => ({ action, powerState });

const simple =
  (command: string, data: object = {}, action = command): Script =>
  (rows) => [
    one(command, data),
    ...rows.slice(1, -1).map((row) => at(action, row)),
    one('ReportActionSuccess', done(action, rows.at(-1)!.power_state)),
  ];

const scripts: Readonly<Record<string, Script>> = {
  create: () => [
    none('CreateServer', { name: 's' }),
    two('ServerScheduled', { host: 'host2' }),
    one('ReportBuildProgress', { taskState: 'networking' }),
    one('ReportBuildProgress', { taskState: 'block_device_mapping' }),
    one('ReportBuildProgress', { taskState: 'spawning' }),
    one('ReportBuildSuccess'),
  ],
  'create NoValidHost': () => [
    none('CreateServer', { name: 's' }),
    one('ReportBuildFailure', { reason: 'NoValidHost', message: 'No valid host was found. ' }),
  ],
  'os-stop': simple('StopServer'),
  'os-start': simple('StartServer'),
  'reboot:{"type": "SOFT"}': simple('RebootServer', { type: 'SOFT' }, 'SoftRebootServer'),
  'reboot:{"type": "HARD"}': simple('RebootServer', { type: 'HARD' }, 'HardRebootServer'),
  pause: simple('PauseServer'),
  unpause: simple('UnpauseServer'),
  suspend: simple('SuspendServer'),
  resume: simple('ResumeServer'),
  rescue: simple('RescueServer'),
  unrescue: simple('UnrescueServer'),
  'changePassword:{"adminPass": "x"}': simple('ChangePassword'),
  'createImage:{"name": "snap"}': simple('CreateImage', { name: 'snap' }),
  'rebuild:{"imageRef": "155d900f-4e14-4e4c-a73d-069cbf4541e6"}': simple('RebuildServer', { imageRef: 'cirros' }),
  'resize:{"flavorRef": "2"}': simple('ResizeServer', { flavorRef: '2' }),
  migrate: simple('MigrateServer'),
  confirmResize: () => [none('ConfirmResize'), one('ReportActionSuccess', { action: 'ConfirmResize' })],
  revertResize: simple('RevertResize'),
  lock: () => [none('LockServer')],
  unlock: () => [none('UnlockServer')],
  shelve: ([, uploading, offloading]) => [
    one('ShelveServer'),
    at('ShelveServer', uploading!),
    at('ShelveServer', offloading!),
    two('ReportActionSuccess', { action: 'ShelveServer' }),
  ],
  unshelve: simple('UnshelveServer'),
  'os-resetState:{"state": "error"}': () => [one('ResetServerState', { state: 'error' })],
  delete: simple('DeleteServer'),
  'delete (soft)': simple('SoftDeleteServer'),
  restore: simple('RestoreServer'),
  forceDelete: simple('ForceDeleteServer'),
  'delete never-launched with reclaim on: falls back to hard delete': () => [two('DeleteServer')],
};

/** The places that the events of one command lead through, each once. */
function walk(server: Resource<Server>, [type, data = {}]: Step['command']): Row[] {
  const passed: Row[] = [];
  for (const event of server.decide(type, data)) {
    server.record(event);
    const here = place(server.state!);
    if (JSON.stringify(here) !== JSON.stringify(passed.at(-1))) passed.push(here);
  }
  return passed;
}

function replay(server: Resource<Server>, { action, db_transitions: transitions, status_after }: Recorded): void {
  const expected = transitions.map(({ to }) => to);
  for (const { command, rows } of scripts[action]!(expected)) {
    const before = server.state && place(server.state);
    const passed = walk(server, command);
    const made = expected.splice(0, rows);
    if (rows === 0) expect(place(server.state!)).toEqual(before ?? transitions[0]!.from);
    if (rows === 1) expect(place(server.state!)).toEqual(made[0]);
    if (rows === 2) expect(passed.slice(-2)).toEqual(made);
  }
  expect(expected).toEqual([]);
  if (typeof status_after === 'string') expect(server.view.status).toBe(status_after);
  if (status_after === 404) expect(server.view.status).toBe('DELETED');
}

describe.each(['transitions-observed.json', 'transitions-observed-softdelete.json'])(
  "every change of Nova's own database, one after the other: %s",
  (file) => {
    const { actions } = readVectors<{ actions: Recorded[] }>(file);
    let server = aServer();

    test.each(actions.map((recorded, index) => ({ ...recorded, title: `${index + 1}. ${recorded.action}` })))(
      '$title',
      (recorded) => {
        if (/^create( |$)/.test(recorded.action)) server = aServer();
        replay(server, recorded);
      },
    );
  },
);
