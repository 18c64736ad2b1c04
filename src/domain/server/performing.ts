import type { Decide } from '../kernel/aggregate.ts';
import { sameJson } from '../kernel/json.ts';
import { type ActionName, actionOf, stepsOf } from './actions.ts';
import { admit, situation } from './admission.ts';
import { toHost } from './changes.ts';
import type { ServerCommands } from './commands.ts';
import type { ServerEvent } from './events.ts';
import { awaitEvents } from './external-events.ts';
import type { ServerFacts } from './facts.ts';
import { type Arguments, begin, failOperation, positionOf, toStep } from './operation.ts';
import { refuse } from './refusals.ts';
import { finish, settle } from './settle.ts';
import type { Operation, Server } from './state.ts';
import { inTurn } from './turns.ts';
import { outlookOf } from './waits.ts';

/** What was asked for, without what was left out. */
const given = (data: object): Arguments =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));

/** Whether just this is being done already. */
const isUnderWay = ({ operation }: Server, name: ActionName, data: object): boolean =>
  operation?.action === name && sameJson(operation.arguments, given(data));

/** Begins the action if the server may do it now; asked for again while it is done, it is answered as accepted. */
export function start(server: Server, name: ActionName, data: object, facts: ServerFacts): ServerEvent[] {
  if (isUnderWay(server, name, data)) return [];
  admit(server, actionOf(name), facts);
  return begin(server, name, given(data), actionOf(name).command);
}

type Requested = Exclude<ActionName, 'SoftRebootServer' | 'HardRebootServer' | Deletion | 'RebuildServer'>;
export type Deletion = 'DeleteServer' | 'ForceDeleteServer' | 'SoftDeleteServer';

const starting =
  (name: Requested) =>
  (server: Server, data: object, facts: ServerFacts): ServerEvent[] =>
    start(server, name, data, facts);

interface AboutAction {
  readonly action: ActionName;
  readonly operationId?: string | undefined;
}

/**
 * The action a report is about, or null where that is over: its outcome is known, and the report is answered as taken.
 * @throws Refusal where the server has never begun it
 */
function operationOf(server: Server, about: AboutAction, command: string, facts: ServerFacts): Operation | null {
  const { operation, lastOperation } = server;
  const { action, operationId } = about;
  const meant = operation?.action === action && (operationId === undefined || operationId === operation.id);
  if (meant) return operation;
  if (operationId !== undefined || lastOperation?.action === action) return null;
  const instead = operation ? `The server performs ${operation.action}.` : 'The server performs no action.';
  return refuse('action-not-running', `${command} is about ${action}. ${instead}`, situation(server, facts));
}

/** A report from another host than the guest's, about an action that moves nothing, is not about this guest. */
const isElsewhere = (server: Server, action: ActionName, host: string | undefined): boolean =>
  host !== undefined && host !== server.host && !actionOf(action).moves;

type Report = 'ReportActionProgress' | 'ReportActionSuccess' | 'ReportActionFailure';

export const actionDecisions: Decide<
  Server,
  Pick<ServerCommands, Requested | 'RebootServer' | Report>,
  ServerEvent,
  ServerFacts
> = {
  StopServer: starting('StopServer'),
  StartServer: starting('StartServer'),
  RebootServer(server, { type }, facts) {
    return start(server, type === 'HARD' ? 'HardRebootServer' : 'SoftRebootServer', {}, facts);
  },
  PauseServer: starting('PauseServer'),
  UnpauseServer: starting('UnpauseServer'),
  SuspendServer: starting('SuspendServer'),
  ResumeServer: starting('ResumeServer'),
  RescueServer: starting('RescueServer'),
  UnrescueServer: starting('UnrescueServer'),
  EvacuateServer: starting('EvacuateServer'),
  ResizeServer: starting('ResizeServer'),
  MigrateServer: starting('MigrateServer'),
  ConfirmResize: starting('ConfirmResize'),
  RevertResize: starting('RevertResize'),
  LiveMigrateServer: starting('LiveMigrateServer'),
  ShelveServer: starting('ShelveServer'),
  ShelveOffloadServer: starting('ShelveOffloadServer'),
  UnshelveServer: starting('UnshelveServer'),
  ChangePassword: starting('ChangePassword'),
  CreateImage: starting('CreateImage'),
  CreateBackup: starting('CreateBackup'),
  RestoreServer: starting('RestoreServer'),

  ReportActionProgress(server, { taskState, worker, host, waitFor = [], ...about }, facts) {
    const operation = operationOf(server, about, 'ReportActionProgress', facts);
    const { action } = about;
    if (!operation || isElsewhere(server, action, host)) return [];

    const steps = stepsOf(actionOf(action), operation.endsIn);
    const step = taskState === undefined ? server.taskState : taskState;
    const there = steps.findIndex(({ task }) => task === step);
    if (there < 0 && step !== server.taskState) {
      const tasks = steps.map(({ task }) => task);
      refuse('step-not-in-action', `${action} never passes through ${step ?? 'an idle moment'}.`, { steps: tasks });
    }
    if (there < positionOf(server, steps)) return [];

    const cause = 'ReportActionProgress';
    const who = worker ?? facts.actor.id;
    const known = operation.worker === who && operation.step === step;
    return inTurn(
      server,
      facts,
      () => (known ? [] : [{ type: 'ServerActionProgressed', data: { action, worker: who, step } }]),
      (next) => (host === undefined ? [] : toHost(next, host)),
      (next) => (steps[there] ? toStep(next, steps[there], { cause, action }) : []),
      (next) => awaitEvents(next, waitFor, facts),
      (next) => settle(next, facts, cause),
    );
  },

  ReportActionSuccess(server, { powerState = null, host, worker: _, ...about }, facts) {
    const operation = operationOf(server, about, 'ReportActionSuccess', facts);
    if (!operation || isElsewhere(server, about.action, host) || server.guestReady) return [];
    const ready = { powerState, host: host ?? null };
    if (outlookOf(server.waits) === 'waiting') return [{ type: 'GuestReady', data: ready }];
    return finish(server, ready, 'ReportActionSuccess');
  },

  ReportActionFailure(server, { host, worker: _, action, operationId, ...failure }, facts) {
    const operation = operationOf(server, { action, operationId }, 'ReportActionFailure', facts);
    if (!operation || isElsewhere(server, action, host)) return [];
    return failOperation(server, failure, facts, 'ReportActionFailure');
  },
};
