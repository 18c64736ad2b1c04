import type { Command, State } from '../../../client/kinds.ts';
import { type ActionName, actionNames, actionOf, stepsOf } from '../../../domain/server/actions.ts';
import type { Notification, Row } from './recording.ts';

type ServerCommand = Command<'server'>;
type Server = State<'server'>;

/** A command that a notification stands for, and the part of Nova whose report it is. */
export interface Told {
  readonly by: string;
  readonly command: ServerCommand;
}

const scheduler = 'nova-scheduler';
const conductor = 'nova-conductor';
const compute = (host: string | null): string => (host === null ? conductor : `nova-compute:${host}`);

type Tell = (notification: Notification, server: Server) => Told | null;

const report = (by: string, command: ServerCommand): Told => ({ by, command });

/** What each type of notification tells. Those that are not here tell nothing that another does not. */
const types: Readonly<Record<string, Tell>> = {
  'instance.update': (notification, server) => {
    const row = notification.row!;
    return rowRules.find(({ when }) => when(row, server))?.tell(row, server, notification) ?? null;
  },

  'instance.create.end': ({ row }, { host }) =>
    report(compute(host), { type: 'ReportBuildSuccess', data: { powerState: row!.powerState } }),

  'instance.create.error': ({ fault }, server) =>
    report(compute(server.host), { type: 'ReportBuildFailure', data: buildFailure(fault!, server) }),

  'compute_task.build_instances.error': ({ fault }) =>
    report(conductor, { type: 'ReportBuildFailure', data: { ...fault! } }),
};

/**
 * What a compute makes of an exception before it gives a build up, since the notification has the exception itself:
 * failures of the network are no other host's chance.
 */
function buildFailure(fault: NonNullable<Notification['fault']>, { id, host }: Server) {
  const about = host === null ? {} : { host };
  if (!networkFailures.includes(fault.reason)) return { ...fault, ...about };
  const message = `Build of instance ${id} aborted: Failed to allocate the network(s), not rescheduling.`;
  return { reason: 'BuildAbortException', message, ...about };
}

const networkFailures = ['VirtualInterfaceCreateException', 'VirtualInterfaceMacAddressException', 'NoMoreNetworks'];

interface RowRule {
  readonly when: (row: Row, server: Server) => boolean;
  readonly tell: (row: Row, server: Server, notification: Notification) => Told | null;
}

const isTried = ({ attempts }: Server): boolean => attempts.at(-1)?.outcome === 'running';
const isBuilding = (row: Row, { vmState, operation }: Server): boolean =>
  row.vmState === 'building' && vmState === 'building' && operation === null;

const buildSteps = ['networking', 'block_device_mapping', 'spawning'] as const;
type BuildStep = (typeof buildSteps)[number];

const workerOf = (row: Row, server: Server): string => compute(row.host ?? server.host);
const place = ({ host }: Row): { host?: string } => (host === null ? {} : { host });

/** What a changed row tells of the server as it was before; the first rule that fits. */
const rowRules: readonly RowRule[] = [
  {
    // The first that is known of the host that was chosen is that it has claimed the server.
    when: (row, server) => isBuilding(row, server) && row.host !== null && !isTried(server),
    tell: ({ host }) => report(scheduler, { type: 'ServerScheduled', data: { host: host! } }),
  },
  {
    when: (row, server) =>
      isBuilding(row, server) &&
      isTried(server) &&
      buildSteps.includes(row.taskState as BuildStep) &&
      row.taskState !== server.taskState,
    tell: (row, server) =>
      report(workerOf(row, server), {
        type: 'ReportBuildProgress',
        data: { taskState: row.taskState as BuildStep, ...place(row) },
      }),
  },
  {
    when: (row, server) => server.operation !== null && isIdle(row) && endsOf(server).includes(row.vmState),
    tell: (row, server) =>
      report(workerOf(row, server), {
        type: 'ReportActionSuccess',
        data: { action: actionAt(server), powerState: row.powerState, ...place(row) },
      }),
  },
  {
    when: (row, server) =>
      server.operation !== null &&
      (row.taskState !== server.taskState || isElsewhere(row, server)) &&
      tasksOf(actionAt(server), server).includes(row.taskState),
    tell: (row, server) =>
      report(workerOf(row, server), {
        type: 'ReportActionProgress',
        data: { action: actionAt(server), taskState: row.taskState as 'rebooting' | null, ...place(row) },
      }),
  },
  {
    // Somebody else began something, and only its row says so.
    when: ({ taskState }, { operation, deletedAt }) =>
      operation === null && deletedAt === undefined && unrecorded[taskState ?? ''] !== undefined,
    tell: (row, _server, { initiator }) => report(initiator ?? 'admin', unrecorded[row.taskState!]!),
  },
];

const isElsewhere = ({ host }: Row, server: Server): boolean => host !== null && host !== server.host;
const isIdle = ({ taskState }: Row): boolean => taskState === null;
const actionAt = ({ operation }: Server): ActionName => operation!.action as ActionName;

const tasksOf = (name: ActionName, { operation }: Server): (string | null)[] =>
  stepsOf(actionOf(name), operation!.endsIn).map(({ task }) => task);

/** Where the action that runs may end: where it said, or where success at the step it is at leads. */
function endsOf({ operation, taskState }: Server): string[] {
  const step = stepsOf(actionOf(operation!.action as ActionName), operation!.endsIn).find(
    ({ task }) => task === taskState,
  );
  return [step?.ends?.vmState ?? operation!.endsIn];
}

const unrecorded: Readonly<Record<string, ServerCommand>> = {
  rebooting: { type: 'RebootServer', data: { type: 'SOFT' } },
  rebooting_hard: { type: 'RebootServer', data: { type: 'HARD' } },
  'powering-off': { type: 'StopServer', data: {} },
  'powering-on': { type: 'StartServer', data: {} },
  deleting: { type: 'DeleteServer', data: {} },
};

/** The command that a notification stands for, on the server as it is; null where it tells nothing new. */
export function commandOf(notification: Notification, server: Server): Told | null {
  return types[notification.type]?.(notification, server) ?? actionFailure(notification, server);
}

/** `instance.<action>.error`: the action that runs has failed. */
function actionFailure({ type, fault, row }: Notification, server: Server): Told | null {
  if (!/^instance\.\w+\.error$/.test(type) || !fault || !server.operation) return null;
  return report(workerOf(row ?? noRow, server), {
    type: 'ReportActionFailure',
    data: { action: actionAt(server), ...fault },
  });
}

const noRow: Row = { vmState: '', taskState: null, powerState: 0, host: null };

/** First task_states of the actions that a command begins. */
const firstTasks = (command: string): (string | null | undefined)[] =>
  actionNames
    .map(actionOf)
    .filter((action) => action.command === command)
    .map(({ steps }) => steps[0]?.task);

/** Whether a notification shows what the command itself did, so that the command came before it. */
export function isEchoOf(command: ServerCommand, { row, type }: Notification): boolean {
  if (command.type === 'CreateServer') return true;
  if (type !== 'instance.update' || !row) return false;
  if (command.type === 'ResetServerState') return row.vmState === command.data.state && isIdle(row);
  return row.taskState !== null && firstTasks(asCarriedOut(command, row).type).includes(row.taskState);
}

/** A request to delete is carried out at once, or later where the site reclaims what is deleted. */
export const asCarriedOut = (command: ServerCommand, { taskState }: Row): ServerCommand =>
  command.type === 'DeleteServer' && taskState === 'soft-deleting' ? { type: 'SoftDeleteServer', data: {} } : command;
