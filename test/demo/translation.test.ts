import { describe, expect, test } from 'vitest';
import { asCarriedOut, commandOf, isEchoOf } from '../../src/cli/demo/nova/notifications.ts';
import type { Notification, Request, Response, Row } from '../../src/cli/demo/nova/recording.ts';
import { commandsOf } from '../../src/cli/demo/nova/requests.ts';
import { RowTrail, rowDifferences } from '../../src/cli/demo/nova/rows.ts';
import type { Command } from '../../src/client/kinds.ts';
import type { Server } from '../../src/domain/server/state.ts';
import type { PowerState } from '../../src/domain/server/states.ts';
import { aServer, readVectors } from '../domain/server/support.ts';
import type { Resource } from '../support/story.ts';

interface RecordedRow {
  vm_state: string;
  task_state: string | null;
  power_state: PowerState;
  host: string | null;
}
interface Recorded {
  action: string;
  db_transitions: { to: RecordedRow }[];
}

const id = '11111111-1111-1111-1111-111111111111';
const done: Response = { status: 202, microversion: 93, body: { server: { id } }, listed: null };
const request = (method: Request['method'], path: string, body: unknown): Request => ({
  ...{ method, path, body, query: new URLSearchParams(), as: 'admin' },
});

/** The request that an action of the recording stands for, as it is named there: `os-stop`, `reboot:{"type": "HARD"}`. */
function requestFor(action: string): Request {
  if (action.startsWith('create')) return action.startsWith('createImage') ? act(action) : creation;
  return action.startsWith('delete') ? request('DELETE', `/servers/${id}`, null) : act(action);
}

const creation = request('POST', '/servers', { server: { name: 's' } });
function act(action: string): Request {
  const [name = '', ...argument] = action.split(':');
  const given = argument.length > 0 ? JSON.parse(argument.join(':')) : null;
  return request('POST', `/servers/${id}/action`, { [name]: given });
}

const rowOf = ({ vm_state: vmState, task_state: taskState, power_state: powerState, host }: RecordedRow): Row => ({
  ...{ vmState, taskState, powerState, host },
});

const told = (type: string, row: Row, fault: Notification['fault'] = null): Notification => ({
  ...{ type, row, fault, serverId: id, initiator: 'admin', requestId: null, at: null, createdAt: null },
});

/** What is told of the rows that an action makes, in the types of notification that tell it. */
function notificationsOf({ action, db_transitions: transitions }: Recorded): Notification[] {
  const rows = transitions.map(({ to }) => rowOf(to));
  const updates = rows.map((row) => told('instance.update', row));
  const last = rows.at(-1)!;
  if (action === 'create') return [...updates, told('instance.create.end', last)];
  const fault = { reason: 'NoValidHost', message: 'No valid host was found. ' };
  return action.startsWith('create ') ? [...updates, told('compute_task.build_instances.error', last, fault)] : updates;
}

const place = ({ vmState, taskState, powerState, host }: Server): Row => ({ vmState, taskState, powerState, host });

/** Gives what Nova was asked and tells; @returns the rows that the server passes through, from the one it is in */
function play(server: Resource<Server>, recorded: Recorded): RowTrail {
  const trail = new RowTrail();
  if (server.state) trail.add(place(server.state));
  const give = ({ type, data }: Command<'server'>): void => trail.follow(server.execute(type, data));

  const asked = commandsOf(requestFor(recorded.action), done).map(({ command }) => command);
  if (server.state === null) give(asked.shift()!);
  for (const notification of notificationsOf(recorded)) {
    if (asked[0] && isEchoOf(asked[0], notification)) give(asCarriedOut(asked.shift()!, notification.row!));
    else if (asked[0]?.type === 'ConfirmResize') give(asked.shift()!);
    const heard = commandOf(notification, server.state!);
    if (heard) give(heard.command);
  }
  for (const command of asked) give(command);
  return trail;
}

describe.each(['transitions-observed.json', 'transitions-observed-softdelete.json'])(
  'what Nova is asked, and tells of it, leads through the rows of its database: %s',
  (file) => {
    const { actions } = readVectors<{ actions: Recorded[] }>(file);
    let server = aServer();

    test.each(actions.map((recorded, index) => ({ ...recorded, title: `${index + 1}. ${recorded.action}` })))(
      '$title',
      (recorded) => {
        if (/^create( |$)/.test(recorded.action)) server = aServer();
        const trail = play(server, recorded);
        const rows = [trail.rows[0]!, ...recorded.db_transitions.map(({ to }) => rowOf(to))];
        expect(rowDifferences(rows, trail)).toEqual([]);
        expect(place(server.state!)).toEqual(rows.length > 1 ? rows.at(-1) : expect.anything());
      },
    );
  },
);
