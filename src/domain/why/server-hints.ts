import { isAlive } from '../kernel/aggregate.ts';
import { deviceOf } from './device.ts';
import { type Explainer, type HintDraft, remedy } from './explainer.ts';
import { restless } from './restless.ts';
import { living, ref, type Seen, type World } from './world.ts';

type Server = Seen['server'];
const self = ({ id }: { id: string }) => ref('server', id);

/** What does not keep a server from being well, and is worth a look. */
export const serverHints: Explainer<Server>['hints'] = {
  /** The result of an action and the state of the server are two things. */
  lastOperation({ lastOperation: last, vmState, id }) {
    if (last?.result !== 'failed' || vmState === 'error') return [];
    const left = last.outcome === 'as-before' ? ' It left the server as it was.' : '';
    return [
      {
        what: 'last-action-failed',
        kind: 'note',
        summary: `The last action, ${last.action}, failed: ${last.reason ?? 'without a reason'}.${left}`,
        since: last.endedAt,
        proof: [{ on: ref('server', id), types: ['ServerActionEnded'], at: last.endedAt }],
        command: null,
      },
    ];
  },

  attempts: (server) =>
    server.vmState === 'active'
      ? []
      : server.attempts
          .filter(({ outcome }) => outcome === 'failed')
          .slice(-5)
          .map(({ number, host, reason, endedAt, startedAt }): HintDraft => {
            const at = endedAt ?? startedAt;
            return {
              what: 'failed-attempt',
              kind: 'note',
              summary: `Attempt ${number} ${host === null ? 'found no host' : `on ${host} failed`}: ${reason ?? 'no reason told'}.`,
              since: at,
              proof: [{ on: self(server), types: ['BuildAttemptEnded'], at, where: (data) => data.number === number }],
              command: null,
            };
          }),

  forced: (server) =>
    server.forced
      ? [
          {
            what: 'forced-state',
            kind: 'note',
            summary: `Its state was ordered (${server.forced.cause}), and no worker has confirmed it since.`,
            since: server.forced.since,
            proof: [{ on: self(server), types: ['ServerStateChanged'], at: server.forced.since }],
            command: null,
          },
        ]
      : [],

  locked: (server) =>
    server.lock
      ? [
          {
            what: 'locked',
            kind: 'note',
            summary: `${server.lock.by} has locked it${server.lock.reason === null ? '' : `: ${server.lock.reason}`}.`,
            since: server.lock.since,
            proof: [{ on: self(server), types: ['ServerLocked'], at: server.lock.since }],
            command: remedy(self(server), 'UnlockServer'),
          },
        ]
      : [],

  outsideView: (server) =>
    server.observation?.unexpected
      ? [
          {
            what: 'unexpected-observation',
            kind: 'contradiction',
            summary: `${server.observation.source} said it was ${server.observation.condition.vmState}; the rules would not have led there.`,
            since: server.observation.at,
            proof: [{ on: self(server), types: ['ServerObserved'], at: server.observation.at }],
            command: null,
          },
        ]
      : [],

  /** An evacuation whose outcome nobody has told: not done, not undone. */
  undecided: (server) =>
    server.evacuations
      .filter(({ verdict }) => verdict === 'undecided' && server.operation === null)
      .map(
        ({ from, since }): HintDraft => ({
          what: 'undecided-evacuation',
          kind: 'contradiction',
          summary: `It was to be evacuated from ${from}, and nobody has told what became of that.`,
          since,
          proof: [{ on: self(server), types: ['ServerActionStarted'], at: since }],
          command: null,
        }),
      ),

  ports: (server, world) => (isAlive(server) ? disagreements(server, world) : leftBehind(server, world)),

  node: (server, world) => nodeDisagrees(server, world),

  restless: (server, world) =>
    restless(world, self(server), 'ServerStateChanged', ({ to }) => (to as { vmState: string }).vmState),
};

const atRest = ({ operation, build, vmState }: Server): boolean => !operation && !build && vmState === 'active';

/** Ports of a server that runs, and that are not as it believes. */
function disagreements(server: Server, world: World): HintDraft[] {
  if (!atRest(server)) return [];
  return server.ports.flatMap((id): HintDraft[] => {
    const port = world.stateOf(ref('port', id));
    if (!port) return [];
    const proof = [{ on: ref('port', id), types: ['PortStatusChanged', 'PortDeleted', 'PortUpdated'] }];
    if (!isAlive(port)) {
      const summary = `Its port ${id} was deleted.`;
      const command = remedy(self(server), 'DetachInterface', { portId: id });
      return [{ what: 'port-deleted', kind: 'contradiction', summary, since: port.deletedAt!, proof, command }];
    }
    const owner = deviceOf(port);
    if (owner && owner.id !== server.id) {
      const summary = `Its port ${id} says that it belongs to the ${owner.kind} ${owner.id}.`;
      const command = remedy(self(server), 'DetachInterface', { portId: id });
      return [{ what: 'port-of-another', kind: 'contradiction', summary, since: port.updatedAt, proof, command }];
    }
    if (port.status === 'ACTIVE') return [];
    const summary = `It is ACTIVE, and its port ${port.name || id} is ${port.status}.`;
    return [{ what: 'port-not-active', kind: 'contradiction', summary, since: port.round.since, proof, command: null }];
  });
}

/** What still names a server that is gone. */
const leftBehind = (server: Server, world: World): HintDraft[] =>
  world.dependants(self(server)).flatMap((dependant): HintDraft[] => {
    const deleted = { since: server.deletedAt!, proof: [{ on: self(server), types: ['ServerDeleted'] }] };
    if (dependant.kind === 'port') {
      const command = remedy(dependant, 'UpdatePort', { deviceId: '', deviceOwner: '', host: null });
      const summary = `The port ${dependant.id} still belongs to it.`;
      return [{ what: 'port-left-behind', kind: 'leftover', summary, ...deleted, command }];
    }
    const command = remedy(dependant, 'SetProvisionState', { target: 'deleted' });
    const summary = `The node ${dependant.id} still has it as its instance.`;
    return [{ what: 'node-left-behind', kind: 'leftover', summary, ...deleted, command }];
  });

/** The server names a node that does not name the server, or is in no state to run it. */
function nodeDisagrees(server: Server, world: World): HintDraft[] {
  if (server.nodeId === undefined || !isAlive(server) || !atRest(server)) return [];
  const on = ref('node', server.nodeId);
  const node = living(world, on);
  if (!node) return [];
  if (node.instanceId !== server.id) {
    const whose = node.instanceId === null ? 'which has no instance' : `whose instance is ${node.instanceId}`;
    return [
      {
        what: 'node-has-another-instance',
        kind: 'contradiction',
        summary: `It is on the node ${node.id}, ${whose}.`,
        since: node.updatedAt,
        proof: [{ on, types: ['NodeInstanceReleased', 'NodeInstanceAssociated', 'NodeEnrolled'] }],
        command: node.instanceId === null ? remedy(on, 'UpdateNode', { instanceId: server.id }) : null,
      },
    ];
  }
  if (runsAnInstance.includes(node.provisionState)) return [];
  return [
    {
      what: 'node-not-active',
      kind: 'contradiction',
      summary: `It is ACTIVE, and its node is ${node.provisionState}.`,
      since: node.stateSince,
      proof: [{ on, types: ['NodeProvisionStateChanged', 'NodeEnrolled'] }],
      command: null,
    },
  ];
}

const runsAnInstance = ['active', 'servicing', 'service wait', 'service hold', 'service failed'];
