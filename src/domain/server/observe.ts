import { type Decide, isAlive } from '../kernel/aggregate.ts';
import { isLate, isLater } from '../kernel/observation.ts';
import { type ActionName, actionOf, stepsOf } from './actions.ts';
import { changesOf } from './attributes.ts';
import { buildStarted } from './build.ts';
import { attemptEnded, nextAttempt, runningAttempt } from './build-outcome.ts';
import { toCondition, toHost } from './changes.ts';
import { type DataFor, type ServerCommands, serverCommands } from './commands.ts';
import type { ServerEvent } from './events.ts';
import type { ServerFacts } from './facts.ts';
import { type Fault, faultOf } from './faults.ts';
import { deleted, positionOf } from './operation.ts';
import { isExpected } from './paths.ts';
import type { Server } from './state.ts';
import { type Condition, power, sameCondition, taskStates, type VmState, vmStates } from './states.ts';
import { born, inTurn } from './turns.ts';

type Observed = DataFor<'ObserveServer'>;
const cause = 'ObserveServer';

/** Servers in these states have not run, or nobody can tell. In all others they have, since an unknown moment. */
const neverRan: readonly VmState[] = ['building', 'pending', 'error', 'deleted'];

const conditionIn = ({ vmState, taskState, powerState }: Observed, known: Condition['powerState']): Condition => ({
  vmState,
  taskState,
  powerState: powerState ?? known,
});

const attributesOf = ({ name, projectId, userId, imageRef, flavorRef, metadata }: Observed) => ({
  name,
  projectId,
  userId,
  imageRef,
  flavorRef,
  metadata,
});

function launchedAt(data: Observed, known: string | undefined, { time }: ServerFacts): string | null {
  if (data.launchedAt !== undefined) return data.launchedAt;
  if (known !== undefined) return known;
  return neverRan.includes(data.vmState) ? null : (data.observedAt ?? time);
}

/** Whether the rules know the words for its state. */
const isKnown = ({ vmState, taskState }: Observed): boolean =>
  (vmStates as readonly string[]).includes(vmState) &&
  (taskState === null || (taskStates as readonly string[]).includes(taskState));

/** What is known of a server of which nothing was told. */
const unknown = serverCommands.CreateServer.parse({});

/** An outside system has a server that the ledger has never heard of. */
function discover(data: Observed, facts: ServerFacts): ServerEvent[] {
  const { host = null, nodeId = null, source, ports = [] } = data;
  const discovered = {
    ...unknown,
    ...defined(attributesOf(data)),
    ports,
    condition: conditionIn(data, power.none),
    host,
    nodeId,
    launchedAt: launchedAt(data, undefined, facts),
    source,
    observedAt: data.observedAt ?? null,
    unexpected: !isKnown(data),
  };
  return [
    { type: 'ServerDiscovered', data: discovered },
    ...inTurn(
      born(discovered, facts),
      facts,
      (next) => enter(next, facts),
      (next) => place(next),
      (next) => (data.failure ? [observed(next, data, { unexpected: discovered.unexpected }, facts)] : []),
      (next) => leave(next),
    ),
  ];
}

const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** What a server has only while it is being built, or waits for capacity. */
function enter({ vmState, timesPending, forcedHost, build, pending }: Server, facts: ServerFacts): ServerEvent[] {
  if (vmState === 'building' && !build) return [buildStarted(timesPending + 1, forcedHost, facts)];
  if (vmState !== 'pending' || pending) return [];
  return [{ type: 'PendingStarted', data: { reason: 'observed', attempt: timesPending + 1, deadline: null } }];
}

/** A build that is seen on a host, and not being deleted there, is an attempt. */
function place(server: Server): ServerEvent[] {
  const { vmState, taskState, host, nodeId = null, operation } = server;
  const isBuilt = vmState === 'building' && taskState !== 'scheduling' && !operation && !runningAttempt(server);
  if (!isBuilt || host === null) return [];
  return [{ type: 'BuildAttemptStarted', data: { number: nextAttempt(server), host, nodeId, alternates: null } }];
}

const leave = (server: Server): ServerEvent[] => (server.vmState === 'deleted' ? [deleted(server)] : []);

/** The attempt that ran is over where the observed state is not on its way, or is on the way elsewhere. */
function closeAttempt(server: Server, to: Condition, host: string | null | undefined): ServerEvent[] {
  const attempt = runningAttempt(server);
  const there = host === undefined || host === attempt?.host;
  const goesOn = to.vmState === 'building' && to.taskState !== 'scheduling' && there;
  if (!attempt || goesOn) return [];
  if (to.vmState === 'active') return attemptEnded(server, 'succeeded');
  return attemptEnded(server, to.vmState === 'error' ? 'failed' : 'abandoned');
}

/** So is the action. */
function closeOperation(server: Server, to: Condition, { time }: ServerFacts): ServerEvent[] {
  if (!server.operation) return [];
  const action = server.operation.action as ActionName;
  const { endsIn } = server.operation;
  const steps = stepsOf(actionOf(action), endsIn);
  const there = steps.findIndex((step) => step.task === to.taskState);
  if (to.taskState !== null && there >= positionOf(server, steps)) return [];
  if (to.taskState === null && to.vmState === endsIn) {
    return [{ type: 'ServerActionEnded', data: { action, result: 'succeeded', reason: 'observed' } }];
  }
  if (to.taskState !== null || to.vmState !== 'error') {
    return [{ type: 'ServerActionEnded', data: { action, result: 'superseded', reason: 'observed' } }];
  }
  const fault = faultOf({ reason: 'observed', message: `The server was observed in error during ${action}.` }, time);
  return [
    { type: 'ServerActionEnded', data: { action, result: 'failed', outcome: 'unknown', reason: fault.kind, fault } },
  ];
}

/** A known server is seen in a state: the ledger takes that over, and says whether it could have been foreseen. */
function observe(server: Server, data: Observed, facts: ServerFacts): ServerEvent[] {
  const { source } = data;
  const condition = conditionIn(data, server.powerState);
  const seen = observed(server, data, { unexpected: !isExpected(server, condition) }, facts);
  const launched = launchedAt(data, server.launchedAt, facts);
  const changed = inTurn(
    server,
    facts,
    (next) => closeAttempt(next, condition, data.host),
    (next) => (sameCondition(next, condition) ? [] : closeOperation(next, condition, facts)),
    (next) => toCondition(next, condition, { cause, reason: source }),
    (next) => enter(next, facts),
    (next) => (data.host === undefined ? [] : toHost(next, data.host, data.nodeId ?? next.nodeId ?? null)),
    (next) => place(next),
    (next) =>
      launched === null || launched === next.launchedAt
        ? []
        : [{ type: 'ServerLaunched', data: { host: next.host, at: launched } }],
    (next) => update(next, data),
    (next) => leave(next),
  );
  const isNews = seen.data.fault !== undefined || isLater(server.observation, data.observedAt);
  return changed.length === 0 && !isNews ? [] : [seen, ...changed];
}

function update(server: Server, data: Observed): ServerEvent[] {
  const changes = changesOf(server, attributesOf(data));
  const updated: ServerEvent[] = Object.keys(changes).length > 0 ? [{ type: 'ServerUpdated', data: { changes } }] : [];
  const attached = data.ports?.filter((portId) => !server.ports.includes(portId)) ?? [];
  const detached = data.ports && server.ports.filter((portId) => !data.ports?.includes(portId));
  return [
    ...updated,
    ...attached.map((portId): ServerEvent => ({ type: 'PortAttached', data: { portId, own: false } })),
    ...(detached ?? []).map((portId): ServerEvent => ({ type: 'PortDetached', data: { portId, cause } })),
  ];
}

/** History that comes after what followed it. */
function recordLate(server: Server, data: Observed, facts: ServerFacts): ServerEvent[] {
  const seen = observed(server, data, { late: true }, facts);
  const { source, observedAt, condition } = seen.data;
  const known = server.lateObservation;
  const isRepeated = known?.source === source && known.observedAt === observedAt;
  return isRepeated && sameCondition(known.condition, condition) ? [] : [seen];
}

/** News of a deleted server is kept and changes nothing: it comes from before, or from somebody who is wrong. */
function recall(server: Server, data: Observed, facts: ServerFacts): ServerEvent[] {
  const seen = observed(server, data, { unexpected: true }, facts);
  const { source, condition } = seen.data;
  if (condition.vmState === 'deleted') return [];
  const known = server.observation;
  return known?.source === source && sameCondition(known.condition, condition) ? [] : [seen];
}

type Seen = Extract<ServerEvent, { type: 'ServerObserved' }>;

function observed(
  server: Server,
  data: Observed,
  { unexpected = false, late = false }: { unexpected?: boolean; late?: boolean },
  { time }: ServerFacts,
): Seen {
  const { source, observedAt = null, failure } = data;
  const condition = conditionIn(data, server.powerState);
  const fault = failure && faultOf(failure, time);
  const said = { source, observedAt, condition, ...(fault && !isTold(server, fault) && { fault }) };
  return { type: 'ServerObserved', data: { ...said, unexpected, late } };
}

/** Several messages tell of one failure. */
const isTold = ({ faults }: Server, { kind, message }: Fault): boolean => {
  const last = faults.at(-1);
  return last?.kind === kind && last.message === message;
};

export const openObservation: Decide<Server | null, Pick<ServerCommands, 'ObserveServer'>, ServerEvent, ServerFacts> = {
  ObserveServer(server, data, facts) {
    if (!server) return discover(data, facts);
    const isEnd = data.vmState === 'deleted';
    if (!isEnd && isLate(server, data.observedAt)) return recordLate(server, data, facts);
    return isAlive(server) ? observe(server, data, facts) : recall(server, data, facts);
  },
};
