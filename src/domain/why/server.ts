import type { ResourceRef } from '../kernel/resource.ts';
import type { Server } from '../server/state.ts';
import { isOpen } from '../server/waits.ts';
import { byOperator, byOwner, type ConditionDraft, type Explainer, remedy } from './explainer.ts';
import type { Owner, Remedy } from './explanation.ts';
import { originOf, serverError } from './server-error.ts';
import { serverHints } from './server-hints.ts';
import { awaitedEvents } from './server-waits.ts';
import { latest, living, ref, type Seen, type World } from './world.ts';

type Conditions = Explainer<Seen['server']>['conditions'];

const self = ({ id }: Server) => ref('server', id);
const stateEvents = ['ServerStateChanged', 'ServerCreated', 'ServerDiscovered'];

/** Somebody who works on a server: known only by what it reports. */
const worker = (id: string, host: string | null, lastSeenAt: string): Owner => ({
  kind: 'worker',
  id,
  host,
  alive: null,
  lastSeenAt,
});

const hostOwner = (host: string): Owner => ({ kind: 'host', id: host, host, alive: null, lastSeenAt: null });

/** What a server needs to come to rest: room, a worker, the events it waits for, its node; and to be in no error. */
const conditions: Conditions = {
  error: serverError,

  capacity(server) {
    const { pending } = server;
    if (!pending) return [];
    const { reason, attempt, since, lease, deadline } = pending;
    const times = attempt === 1 ? '' : `, for the ${attempt}th time`;
    const command = remedy(self(server), 'RebuildServer');
    return [
      {
        what: 'capacity',
        met: false,
        summary: lease
          ? `No host had room (${reason}${times}). ${lease.holder} makes room until ${lease.expiresAt}.`
          : `No host had room (${reason}${times}), and nobody has taken it on to make some.`,
        since,
        owner: lease ? worker(lease.holder, null, lease.since) : null,
        clearable: lease
          ? byOwner(`${lease.holder} rebuilds it when there is room.`, { deadline: lease.expiresAt, command })
          : byOperator('Make room, then rebuild it.', { deadline, command }),
        proof: [{ on: self(server), types: ['PendingStarted'] }],
      },
    ];
  },

  /** While no host is chosen. */
  host(server) {
    const { build } = server;
    if (!build || build.attempt !== null || server.operation) return [];
    const { tried, maxAttempts, deadline, since } = build;
    const before = tried === 0 ? '' : ` ${tried} of at most ${maxAttempts} have been tried.`;
    return [
      {
        what: 'host',
        met: false,
        summary: `A host is being sought for it.${before}`,
        since: tried === 0 ? since : server.conditionSince,
        owner: { kind: 'service', id: 'scheduler', host: null, alive: null, lastSeenAt: null },
        clearable: byOwner('The scheduler names a host.', { deadline }),
        proof: [{ on: self(server), types: ['BuildStarted', 'BuildAttemptEnded', 'ServerCreated'] }],
      },
    ];
  },

  guest(server) {
    const { build, guestReady, host, taskState } = server;
    if (!build || build.attempt === null || host === null || server.operation) return [];
    const attempt = `attempt ${build.attempt} of at most ${build.maxAttempts}`;
    const proof = [{ on: self(server), types: [guestReady ? 'GuestReady' : 'BuildAttemptStarted'] }];
    if (guestReady) {
      const summary = `${host} has done its part of the build.`;
      return [{ what: 'guest', met: true, summary, since: guestReady.at, proof }];
    }
    const node = server.nodeId === undefined ? [] : [ref('node', server.nodeId)];
    return [
      {
        what: 'guest',
        met: false,
        summary: `${host} builds the guest (${taskState ?? 'no step told'}, ${attempt}).`,
        since: server.conditionSince,
        owner: hostOwner(host),
        clearable: byOwner(`${host} reports that the guest is built, or that it failed.`, {
          deadline: build.deadline,
          command: remedy(self(server), 'ReportBuildFailure', { reason: 'BuildAbortException' }),
        }),
        proof,
        because: node,
      },
    ];
  },

  events: awaitedEvents,

  action(server, world) {
    const { operation } = server;
    if (!operation) return [];
    const { action, since, step, stepSince, worker: by } = operation;
    const node = server.nodeId === undefined ? [] : [ref('node', server.nodeId)];
    const isDeletion = action.includes('Delete');
    const command: Remedy = isDeletion
      ? remedy(self(server), 'ForceDeleteServer')
      : remedy(self(server), 'ReportActionFailure', { action, operationId: operation.id, reason: 'GivenUp' });
    if (server.guestReady) {
      const summary = `The worker has done its part of ${action}.`;
      const proof = [{ on: self(server), types: ['GuestReady'] }];
      return [{ what: 'action', met: true, summary, since: server.guestReady.at, proof }];
    }
    if (by === null) {
      const host = server.host === null ? null : hostOwner(server.host);
      return [
        {
          what: 'worker',
          met: false,
          summary: `${action} was accepted and not started: nobody has taken it up.`,
          since,
          owner: host,
          clearable: host
            ? byOwner(`A worker on ${host.id} takes it up.`, { command })
            : byOperator('It is on no host that could take it up.', { command }),
          proof: [{ on: self(server), types: ['ServerActionStarted'], at: since }],
          because: node,
        },
      ];
    }
    const at = step ?? server.taskState;
    return [
      {
        what: 'action',
        met: false,
        summary: `${by} is at ${action}${at === null ? '' : `: the step ${at}`}. Its last word came at ${stepSince}.`,
        since: stepSince,
        owner: worker(by, server.host, lastWordOf(server, world) ?? stepSince),
        clearable: byOwner(`${by} reports progress, success or failure.`, { command }),
        proof: [
          { on: self(server), types: ['ServerActionProgressed'] },
          { on: self(server), types: ['ServerActionStarted'], at: since },
        ],
        because: node,
      },
    ];
  },

  /** A task without anybody of whom it is known that he does it: it was seen from outside, or left behind. */
  task(server) {
    const { taskState, operation, build } = server;
    if (taskState === null || operation || build) return [];
    return [
      {
        what: 'task',
        met: false,
        summary: `Its task_state is ${taskState}, and who does that is not known here.`,
        since: server.conditionSince,
        clearable: byOperator('If nobody is at it, set the state right.', {
          command: remedy(self(server), 'ResetServerState', { state: 'active' }),
        }),
        proof: [{ on: self(server), types: stateEvents }],
      },
    ];
  },

  ports: (server, world) =>
    server.vmState === 'active' && server.taskState === null
      ? server.ports.flatMap((id): ConditionDraft[] => {
          const port = living(world, ref('port', id));
          if (port?.status !== 'ACTIVE') return [];
          const since = latest(world, ref('port', id), ['PortStatusChanged'])?.time ?? port.round.since;
          const proof = [{ on: ref('port', id), types: ['PortStatusChanged'] }];
          return [{ what: 'port', met: true, summary: `Its port ${port.name || id} is ACTIVE.`, since, proof }];
        })
      : [],

  launched(server) {
    const { launchedAt, vmState, host } = server;
    if (launchedAt === undefined || vmState !== 'active') return [];
    const proof = [{ on: self(server), types: ['ServerLaunched', 'ServerDiscovered'] }];
    return [
      { what: 'launched', met: true, summary: `It was started on ${host ?? 'its host'}.`, since: launchedAt, proof },
    ];
  },
};

/** When the worker was last heard about this server. */
const lastWordOf = (server: Server, world: World): string | undefined =>
  latest(world, self(server), ['ServerActionProgressed'])?.time;

const belowIt = ({ waits, ports, nodeId }: Server): ResourceRef[] => [
  ...waits.filter(isOpen).flatMap(({ event, tag }) => (event.startsWith('network-vif-') ? [ref('port', tag)] : [])),
  ...(nodeId === undefined ? [] : [ref('node', nodeId)]),
  ...ports.map((id) => ref('port', id)),
];

export const serverExplainer: Explainer<Seen['server']> = {
  looksAt: (server, world) => [...belowIt(server), ...(server.vmState === 'error' ? originOf(server, world) : [])],
  name: ({ name }) => name || null,
  status: ({ status }) => status,
  since: ({ conditionSince }) => conditionSince,
  conditions,
  hints: serverHints,
  whenFine: ({ status, lastOperation, launchedAt }) => {
    const done =
      lastOperation?.result === 'succeeded' ? `: ${lastOperation.action} ended well at ${lastOperation.endedAt}` : '';
    return `It is ${status}${done || (launchedAt === undefined ? '' : `, launched at ${launchedAt}`)}. Nothing is being done to it.`;
  },
};
