import { kindOf, ruleOf, type StateKind } from '../node/provision-machine.ts';
import type { Reservation } from '../node/state.ts';
import {
  byItself,
  byNobody,
  byOperator,
  byOwner,
  type ConditionDraft,
  type Explainer,
  listed,
  remedy,
} from './explainer.ts';
import type { Owner, Remedy } from './explanation.ts';
import { lockOwner } from './lock-owner.ts';
import { nodeHints } from './node-hints.ts';
import { latest, living, ref, type Seen, type World } from './world.ts';

type Node = Seen['node'];
const self = ({ id }: Node) => ref('node', id);
const anOperator: Owner = { kind: 'operator', id: 'operator', host: null, alive: null, lastSeenAt: null };
const arrived = (node: Node) => [
  { on: self(node), types: ['NodeProvisionStateChanged', 'NodeEnrolled'], at: node.stateSince },
];
const lockedBy = (node: Node, { token }: Reservation) => ({
  on: self(node),
  types: ['NodeReserved'],
  where: (data: Readonly<Record<string, unknown>>) => data.token === token,
});

/** What keeps a node from going on, by the kind of state it is in. */
const progress: Readonly<Record<StateKind, (node: Node, world: World) => ConditionDraft[]>> = {
  stable: (node) => (node.provisionState === 'error' ? failed(node) : []),
  working,
  waiting: callBack,
  held: (node) => [
    {
      what: 'hold',
      met: false,
      summary: `It is held in ${node.provisionState}${inStep(node)}: somebody must let it go on.`,
      since: node.stateSince,
      owner: anOperator,
      clearable: byOperator(`These verbs lead on: ${verbs(node)}.`, { command: verb(node, 'unhold') }),
      proof: arrived(node),
    },
  ],
  failed,
  foreign: (node) => [
    {
      what: 'foreign-state',
      met: false,
      summary: `An outside system says that it is ${node.provisionState}, which no rule here knows.`,
      since: node.stateSince,
      clearable: byItself('The next observation says more.'),
      proof: [{ on: self(node), types: ['NodeObserved', 'NodeProvisionStateChanged'] }],
    },
  ],
};

const conditions: Explainer<Node>['conditions'] = {
  progress: (node, world) => progress[kindOf(node.provisionState)](node, world),

  /** Something the node owes its worker was told while somebody else held the lock. */
  continuation(node, world) {
    const { postponed, reservation } = node;
    if (!postponed) return [];
    const events = world.happened(self(node));
    const since = events.findIndex(({ type }) => type === 'NodeReportPostponed');
    const locks = events
      .slice(0, Math.max(since, 0))
      .filter(({ type }) => type === 'NodeReserved')
      .map(({ data }) => String(data.purpose));
    const purposes = [...new Set([postponed.blockedBy.purpose, ...locks.toReversed()])];
    const times = locks.length + 1;
    return [
      {
        what: 'continuation',
        met: false,
        summary: `${postponed.holder} reported ${postponed.event}; it goes on when the lock is free. Since then it was locked ${times} ${times === 1 ? 'time' : 'times'}, for ${purposes.join(', ')}.`,
        since: postponed.since,
        owner: reservation ? lockOwner(node, reservation, world) : null,
        clearable: reservation
          ? byOwner(`${reservation.holder} gives the lock back.`, {
              deadline: reservation.expiresAt ?? null,
              command: breakLock(node, reservation),
            })
          : byItself('The lock is free.'),
        proof: [{ on: self(node), types: ['NodeReportPostponed'], at: postponed.since }],
      },
    ];
  },

  /** A lock on a node that nobody works on keeps everybody else out. */
  lock(node, world) {
    const { reservation } = node;
    if (!reservation || kindOf(node.provisionState) === 'working') return [];
    const owner = lockOwner(node, reservation, world);
    const gone = owner.alive === false;
    const how = gone
      ? `${reservation.holder} is dead. Break the lock.`
      : `${reservation.holder} gives it back${reservation.expiresAt ? ', or it expires' : ''}.`;
    return [
      {
        what: 'lock',
        met: false,
        summary: `${reservation.holder} has locked it for ${reservation.purpose}${gone ? ', and is dead' : ''}.`,
        since: reservation.since,
        owner,
        clearable: (gone && !reservation.expiresAt ? byNobody : byOwner)(how, {
          deadline: reservation.expiresAt ?? null,
          command: breakLock(node, reservation),
        }),
        proof: [lockedBy(node, reservation)],
      },
    ];
  },

  maintenance: (node) =>
    (node.maintenance?.causes ?? []).map(({ cause, reason, since }) => ({
      what: 'maintenance',
      met: false,
      summary: `It is in maintenance (${cause}${reason === null ? '' : `: ${reason}`})${node.callBack ? ', and while it is, time stands still for its call-back' : ''}.`,
      since,
      owner: anOperator,
      clearable: byOperator('Clear it when the node is fit again.', {
        command: remedy(self(node), 'ClearMaintenance', { fault: cause === 'operator' ? null : cause }),
      }),
      proof: [{ on: self(node), types: ['NodeMaintenanceSet'], at: since, where: (data) => data.cause === cause }],
    })),

  power(node, world) {
    const { targetPowerState, powerState } = node;
    if (targetPowerState === null) return [];
    const proof = [{ on: self(node), types: ['NodePowerStateRequested'] }];
    const summary = `It is being brought to ${targetPowerState}; the last that was heard is ${powerState ?? 'nothing'}.`;
    const owner: Owner | null = node.conductor === null ? null : holder(node, node.conductor);
    const command = remedy(self(node), 'ReportPowerState', { powerState: targetPowerState });
    const clearable = byOwner('The worker reports the power state.', { command });
    const since = latest(world, self(node), ['NodePowerStateRequested'])?.time ?? node.updatedAt;
    return [{ what: 'power', met: false, summary, since, owner, clearable, proof }];
  },

  /** What made it fine. */
  arrived(node) {
    if (kindOf(node.provisionState) !== 'stable' || node.provisionState === 'error') return [];
    const summary = `It came to ${node.provisionState}.`;
    return [{ what: 'provision-state', met: true, summary, since: node.stateSince, proof: arrived(node) }];
  },
};

const inStep = ({ step }: Node): string =>
  step ? `, at the step ${step.name}${step.progress === null ? '' : ` (${step.progress} %)`}` : '';

const verbs = ({ allowed }: Node): string => (allowed.length === 0 ? 'none' : allowed.join(', '));

/** The first of the verbs that is accepted now, as a command. */
function verb(node: Node, ...preferred: string[]): Remedy | null {
  const target = preferred.find((name) => node.allowed.includes(name));
  return target === undefined ? null : remedy(self(node), 'SetProvisionState', { target });
}

const breakLock = (node: Node, { token }: Reservation): Remedy =>
  remedy(self(node), 'BreakReservation', { reason: 'its holder is gone', token });

const holder = ({ lastHeardAt }: Node, id: string): Owner => ({
  kind: 'worker',
  id,
  host: id,
  alive: null,
  lastSeenAt: lastHeardAt,
});

/** The ports of the guest that is being put on the node. */
const portsNotActive = (node: Node, world: World) => {
  const own = world.dependants(self(node)).filter(({ kind }) => kind === 'port');
  return own.filter(({ id }) => {
    const port = living(world, ref('port', id));
    return port !== null && port.status !== 'ACTIVE';
  });
};

function working(node: Node, world: World): ConditionDraft[] {
  const { reservation, provisionState, stateSince, attempts } = node;
  const { activity } = ruleOf(provisionState);
  const because = activity === 'deploy' ? portsNotActive(node, world) : [];
  if (!reservation) {
    return [
      {
        what: 'worker',
        met: false,
        summary: `It is ${provisionState}${inStep(node)}, and nobody holds the lock that work needs: nobody is at it.`,
        since: stateSince,
        clearable: byNobody('Report for the lost worker that it failed.', {
          command: remedy(self(node), 'ReportProvisionEvent', {
            event: 'fail',
            ...(attempts > 0 && { attempt: attempts }),
            error: 'The worker was lost.',
          }),
        }),
        proof: arrived(node),
      },
    ];
  }
  const owner = lockOwner(node, reservation, world);
  const dead = owner.alive === false;
  const at = `${provisionState}${inStep(node)}`;
  const heard = owner.lastSeenAt === null ? 'It has said nothing yet' : `It was last heard at ${owner.lastSeenAt}`;
  const command = breakLock(node, reservation);
  return [
    {
      what: 'worker',
      met: false,
      summary: `${reservation.holder} ${dead ? 'died at its work' : 'is at work'} (${at}). ${heard}.`,
      since: stateSince,
      owner,
      clearable:
        dead && !reservation.expiresAt
          ? byNobody(
              'A dead worker reports nothing. Let another conductor take over, or break the lock: what was begun then counts as failed.',
              { command },
            )
          : byOwner(`${reservation.holder} reports what became of it.`, {
              deadline: reservation.expiresAt ?? null,
              command,
            }),
      proof: [...arrived(node), lockedBy(node, reservation)],
      because,
    },
  ];
}

function callBack(node: Node, world: World): ConditionDraft[] {
  const { callBack: owed, provisionState, stateSince, lastHeardAt } = node;
  const heardAt = world.heardAt(self(node));
  const deadline = owed && !node.maintenance && !node.reservation ? owed.deadline : null;
  const until = deadline === null ? 'Nothing ends the wait by itself' : `If it has not by ${deadline}, it fails`;
  const seen = [lastHeardAt, owed && heardAt && heardAt > owed.since ? heardAt : null].filter((at) => at !== null);
  return [
    {
      what: 'call-back',
      met: false,
      summary: `It is in ${provisionState}${inStep(node)}: its ramdisk must call back. ${until}.`,
      since: owed?.since ?? stateSince,
      owner: {
        kind: 'ramdisk',
        id: node.id,
        host: node.conductor,
        alive: null,
        lastSeenAt: seen.sort().at(-1) ?? null,
      },
      clearable: byOwner(`The ramdisk calls back. These verbs lead out: ${verbs(node)}.`, {
        deadline,
        command: verb(node, 'abort', 'deleted'),
      }),
      proof: arrived(node),
      because: ruleOf(provisionState).activity === 'deploy' ? portsNotActive(node, world) : [],
    },
  ];
}

/** What it was to become, what went wrong first, and which verbs lead out. */
function failed(node: Node): ConditionDraft[] {
  const { trouble, lastError, targetProvisionState: target, provisionState } = node;
  const first = trouble?.message ?? lastError ?? 'no reason was told';
  const follow = trouble?.followUps.map(({ message }) => message) ?? [];
  const then = follow.length === 0 ? '' : ` What followed: ${listed(follow)}`;
  return [
    {
      what: 'error',
      met: false,
      summary: `It is in ${provisionState}${target === null ? '' : ` on the way to ${target}`}: ${first}${then}`,
      since: node.stateSince,
      owner: anOperator,
      clearable: byOperator(`These verbs lead out: ${verbs(node)}.`, {
        command: verb(node, 'manage', 'deleted', 'unrescue', 'abort', 'active', 'inspect'),
      }),
      proof: [
        ...arrived(node),
        ...(trouble && trouble.raisedAt !== node.stateSince
          ? [{ on: self(node), types: ['NodeErrorRaised', 'NodeProvisionStateChanged'], at: trouble.raisedAt }]
          : []),
      ],
    },
  ];
}

export const nodeExplainer: Explainer<Node> = {
  looksAt: () => [],
  belongsTo: ({ instanceId }) => (instanceId === null ? [] : [ref('server', instanceId)]),
  name: ({ name }) => name,
  status: ({ provisionState }) => provisionState,
  since: ({ stateSince }) => stateSince,
  conditions,
  hints: nodeHints,
  whenFine: ({ provisionState, instanceId }) =>
    `It is ${provisionState}${instanceId === null ? '' : ` with the instance ${instanceId}`}. Nothing is being done to it.`,
};
