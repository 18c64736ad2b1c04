import type { Draft } from 'immer';
import type { Begin, Evolve } from '../kernel/aggregate.ts';
import type { Awaited, ServerEvent, WaitResult } from './events.ts';
import type { Fault } from './faults.ts';
import type { Server } from './state.ts';
import { power } from './states.ts';
import { isOpen, sameSubject, sameWait, withEvent } from './waits.ts';

type Opening = 'ServerCreated' | 'ServerDiscovered';

/** More subjects of external events are not remembered at once; the oldest is forgotten. */
const keptEvents = 256;

const newborn = () => ({
  ownPorts: [],
  build: null,
  attempts: [],
  pending: null,
  timesPending: 0,
  operation: null,
  lastOperation: null,
  resizedFrom: null,
  evacuations: [],
  lateObservation: null,
  waits: [],
  guestReady: null,
  externalEvents: [],
  faults: [],
  lock: null,
  forced: null,
});

export const begin: Begin<Server, ServerEvent, Opening> = {
  ServerCreated(attributes, { id, time }) {
    return {
      id,
      ...attributes,
      ...newborn(),
      vmState: 'building',
      taskState: 'scheduling',
      powerState: power.none,
      conditionSince: time,
      host: null,
      observation: null,
    };
  },

  ServerDiscovered({ condition, nodeId, launchedAt, source, observedAt, unexpected, ...attributes }, { id, time }) {
    return {
      id,
      ...attributes,
      ...newborn(),
      ...condition,
      conditionSince: time,
      ...(nodeId !== null && { nodeId }),
      ...(launchedAt !== null && { launchedAt }),
      observation: { source, observedAt, at: time, condition, unexpected },
    };
  },
};

export const evolve: Evolve<Server, ServerEvent, Opening> = {
  ServerUpdated(server, { changes }) {
    Object.assign(server, changes);
  },

  ServerDeleted(server, _data, { time }) {
    server.deletedAt = time;
  },

  ServerStateChanged(server, { from, to, cause, fault, forced }, { time }) {
    Object.assign(server, to);
    server.conditionSince = time;
    keepFault(server, fault);

    if (to.vmState !== 'building') server.build = null;
    if (to.vmState !== 'pending') server.pending = null;
    if (to.vmState !== 'resized') server.resizedFrom = null;
    if (to.vmState === 'resized' && from.vmState !== 'resized') server.resizedFrom = resizeOrigin(server);
    if (to.taskState === null) server.forced = null; // a worker has had its say since
    if (forced !== undefined) server.forced = { since: time, cause, note: forced };
  },

  ServerMoved(server, { to, nodeId }) {
    server.host = to;
    delete server.nodeId;
    if (nodeId !== null) server.nodeId = nodeId;
  },

  ServerLaunched(server, { at }, { time }) {
    server.launchedAt = at ?? time;
  },

  GuestReady(server, { powerState, host }, { time }) {
    server.guestReady = { at: time, powerState, host };
  },

  ServerObserved(server, { late, fault, ...observed }, { time }) {
    keepFault(server, fault);
    server[late ? 'lateObservation' : 'observation'] = { ...observed, at: time };
  },

  BuildStarted(server, { round, maxAttempts, deadline }, { time }) {
    server.build = { round, since: time, attempt: null, tried: 0, maxAttempts, alternates: null, deadline };
  },

  BuildAttemptStarted(server, { number, host, alternates }, { time }) {
    const build = server.build!;
    build.attempt = number;
    build.tried += 1;
    build.alternates = alternates;
    const { round } = build;
    server.attempts.push({ number, round, host, outcome: 'running', reason: null, startedAt: time, endedAt: null });
    // What came before a host was chosen is about this attempt only if it is the first, or names its host.
    server.externalEvents = server.externalEvents.filter(
      (event) => event.host === host || (number === 1 && event.host === undefined),
    );
  },

  BuildAttemptEnded(server, { number, host, outcome, reason = null, fault }, { time }) {
    const round = server.build?.round ?? 1;
    const running = server.attempts.find((attempt) => attempt.number === number);
    if (running) Object.assign(running, { outcome, reason, endedAt: time });
    else server.attempts.push({ number, round, host, outcome, reason, startedAt: time, endedAt: time });
    if (server.build) server.build.attempt = null;
    forgetWaits(server);
    keepFault(server, fault);
  },

  ServerActionStarted(server, { action, arguments: given, before, endsIn }, { time, eventId }) {
    server.operation = {
      id: eventId,
      action,
      arguments: given,
      since: time,
      before,
      endsIn,
      step: null,
      stepSince: time,
      worker: null,
    };
    forgetWaits(server);
    server.externalEvents = [];
    if (action === 'EvacuateServer' && before.host !== null) {
      server.evacuations = server.evacuations.filter(({ from }) => from !== before.host);
      server.evacuations.push({ from: before.host, to: null, since: time, verdict: 'undecided' });
    }
  },

  ServerActionProgressed(server, { worker, step }, { time }) {
    const operation = server.operation!;
    operation.worker = worker;
    if (operation.step !== step) operation.stepSince = time;
    operation.step = step;
  },

  ServerActionEnded(server, { action, result, outcome, reason, fault }, { time }) {
    const { id, since, before } = server.operation!;
    server.lastOperation = {
      id,
      action,
      since,
      endedAt: time,
      result,
      ...(outcome !== undefined && { outcome }),
      ...(reason !== undefined && { reason }),
    };
    server.operation = null;
    forgetWaits(server);
    keepFault(server, fault);

    const evacuation = action === 'EvacuateServer' && server.evacuations.find(({ from }) => from === before.host);
    if (!evacuation) return;
    if (result === 'succeeded') Object.assign(evacuation, { verdict: 'evacuated', to: server.host });
    if (result === 'failed' && outcome === 'as-before') evacuation.verdict = 'failed';
  },

  ExternalEventsAwaited(server, { waits, deadline, fatal }, { time }) {
    const begun = waits.map((wait) => ({
      ...wait,
      since: time,
      deadline,
      fatal,
      ...(wait.result !== undefined && { endedAt: time }),
    }));
    server.waits.push(...begun);
  },

  ExternalEventReceived(server, { verdict, ...event }, { time }) {
    if (verdict === 'satisfied' || verdict === 'failed') server.waits = withEvent(server.waits, event, time);
    const others = server.externalEvents.filter((kept) => !sameSubject(kept, event));
    server.externalEvents = [...others, { ...event, at: time }].slice(-keptEvents);
  },

  ExternalEventsWaived(server, { waits }, { time }) {
    endWaits(server, waits, 'waived', time);
  },

  ExternalEventsTimedOut(server, { waits }, { time }) {
    endWaits(server, waits, 'timed-out', time);
  },

  PendingStarted(server, { reason, attempt, deadline }, { time }) {
    server.timesPending = attempt;
    server.pending = { since: time, reason, attempt, deadline };
  },

  PendingServerClaimed(server, { holder, expiresAt }, { time }) {
    const pending = server.pending!;
    const since = pending.lease?.holder === holder ? pending.lease.since : time;
    pending.lease = { holder, since, expiresAt };
  },

  PendingClaimEnded(server) {
    delete server.pending!.lease;
  },

  PortAttached(server, { portId, own }) {
    server.ports = [...server.ports, portId];
    if (own) server.ownPorts = [...server.ownPorts, portId];
  },

  PortDetached(server, { portId }) {
    server.ports = server.ports.filter((id) => id !== portId);
    server.ownPorts = server.ownPorts.filter((id) => id !== portId);
  },

  ServerLocked(server, { by, reason }, { time }) {
    server.lock = { by, since: time, reason };
  },

  ServerUnlocked(server) {
    server.lock = null;
  },
};

/** The fault of an attempt or an action is also that of the state it leads to: it is kept once. */
function keepFault(server: Draft<Server>, fault: Fault | undefined): void {
  if (fault === undefined) return;
  if (JSON.stringify(server.faults.at(-1)) !== JSON.stringify(fault)) server.faults.push(fault);
}

function forgetWaits(server: Draft<Server>): void {
  server.waits = [];
  server.guestReady = null;
}

function endWaits(server: Draft<Server>, ended: readonly Awaited[], result: WaitResult, time: string): void {
  for (const wait of server.waits) {
    if (isOpen(wait) && ended.some((other) => sameWait(wait, other))) Object.assign(wait, { result, endedAt: time });
  }
}

const resizeOrigin = ({ operation, flavorRef }: Draft<Server>) =>
  operation ? { host: operation.before.host, vmState: operation.before.vmState, flavorRef } : null;
