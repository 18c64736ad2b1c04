import { isAlive } from '../kernel/aggregate.ts';
import { type Explainer, type HintDraft, remedy } from './explainer.ts';
import { lockOwner } from './lock-owner.ts';
import { restless } from './restless.ts';
import { ref, type Seen } from './world.ts';

type Node = Seen['node'];
const self = ({ id }: Node) => ref('node', id);

/** What does not keep a node from going on, and is worth a look. */
export const nodeHints: Explainer<Node>['hints'] = {
  warnings: (node) =>
    node.warnings.map(
      ({ sign, detail }): HintDraft => ({
        what: sign,
        kind: 'contradiction',
        summary: detail,
        since: node.stateSince,
        proof: [{ on: self(node), types: ['NodeProvisionStateChanged', 'NodeEnrolled'], at: node.stateSince }],
        command: null,
      }),
    ),

  deadHolder(node, world) {
    const { reservation } = node;
    if (!reservation || lockOwner(node, reservation, world).alive !== false) return [];
    return [
      {
        what: 'reservation-of-dead-holder',
        kind: 'leftover',
        summary: `${reservation.holder}, which holds its lock for ${reservation.purpose}, is dead.`,
        since: reservation.since,
        proof: [{ on: self(node), types: ['NodeReserved'], where: ({ token }) => token === reservation.token }],
        command: remedy(self(node), 'BreakReservation', {
          reason: 'its holder is dead',
          token: reservation.token,
        }),
      },
    ];
  },

  /** A trouble that moved the node nowhere, or is kept beside a state in which it does not matter. */
  pastTrouble: (node) =>
    node.trouble && node.provisionState !== 'error' && !node.provisionState.endsWith('failed')
      ? [
          {
            what: 'trouble',
            kind: 'note',
            summary: `Something went wrong during ${node.trouble.during}: ${node.trouble.message}`,
            since: node.trouble.raisedAt,
            proof: [
              {
                on: self(node),
                types: ['NodeErrorRaised', 'NodeProvisionStateChanged', 'NodePowerRequestFailed'],
                at: node.trouble.raisedAt,
              },
            ],
            command: null,
          },
        ]
      : [],

  instance(node, world) {
    if (node.instanceId === null) return [];
    const server = world.stateOf(ref('server', node.instanceId));
    if (!server) return [];
    const on = ref('server', node.instanceId);
    const command = remedy(self(node), 'SetProvisionState', { target: 'deleted' });
    if (!isAlive(server)) {
      if (!node.allowed.includes('deleted')) return [];
      return [
        {
          what: 'instance-deleted',
          kind: 'leftover',
          summary: `Its instance, the server ${server.id}, was deleted.`,
          since: server.deletedAt!,
          proof: [{ on, types: ['ServerDeleted'] }],
          command,
        },
      ];
    }
    if (server.nodeId === node.id || server.build || server.operation) return [];
    const where = server.nodeId === undefined ? 'on no node' : `on the node ${server.nodeId}`;
    return [
      {
        what: 'instance-is-elsewhere',
        kind: 'contradiction',
        summary: `Its instance is the server ${server.id}, which is ${where}.`,
        since: node.updatedAt,
        proof: [
          { on: self(node), types: ['NodeInstanceAssociated'] },
          { on, types: ['ServerMoved', 'ServerCreated', 'ServerDiscovered'] },
        ],
        command,
      },
    ];
  },

  restless: (node, world) => restless(world, self(node), 'NodeProvisionStateChanged', ({ to }) => String(to)),
};
