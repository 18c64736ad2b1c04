import { agentRef, agentTypes } from '../agent/identity.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { Network } from '../network/state.ts';
import { byOperator, type Explainer, remedy } from './explainer.ts';
import { agentOwner, ref } from './world.ts';

const self = ({ id }: Network) => ref('network', id);

const agentsOf = ({ dhcpAgents }: Network): ResourceRef[] =>
  dhcpAgents.map(({ host }) => agentRef(host, agentTypes.dhcp));

const usesDhcp = ({ subnets }: Network): boolean => subnets.some(({ enableDhcp }) => enableDhcp);

export const networkExplainer: Explainer<Network> = {
  looksAt: agentsOf,
  name: ({ name }) => name || null,
  status: ({ deletedAt }) => (deletedAt === undefined ? 'ACTIVE' : 'deleted'),
  since: ({ createdAt, deletedAt }) => deletedAt ?? createdAt,

  conditions: {
    /** Its ports can get addresses: one of its DHCP agents is alive. */
    dhcp(network, world) {
      const agents = agentsOf(network);
      if (!usesDhcp(network) || agents.length === 0) return [];
      const owners = agents.flatMap((agent) => agentOwner(world, agent) ?? []);
      const alive = owners.find((owner) => owner.alive);
      const since = network.dhcpAgents[0]!.since;
      const proof = [{ on: self(network), types: ['DhcpAgentScheduled'], at: since }];
      if (alive) {
        const summary = `Its ${alive.id} is alive and serves it.`;
        return [{ what: 'dhcp-agent', met: true, summary, since, owner: alive, proof }];
      }
      return [
        {
          what: 'dhcp-agent',
          met: false,
          summary: `None of its ${agents.length} DHCP agents is alive: new ports of it wait.`,
          since:
            owners
              .map(({ lastSeenAt }) => lastSeenAt ?? since)
              .sort()
              .at(-1) ?? since,
          owner: owners[0] ?? null,
          clearable: byOperator('Start one of them again, or schedule one that lives.'),
          proof,
          because: agents,
        },
      ];
    },
  },

  hints: {
    withoutSegments: (network) =>
      network.segments.length > 0
        ? []
        : [
            {
              what: 'no-segments',
              kind: 'note',
              summary: 'It has no segments: most drivers cannot bind its ports.',
              since: network.createdAt,
              proof: [{ on: self(network), types: ['NetworkCreated'] }],
              command: remedy(self(network), 'AddSegment', { networkType: 'vxlan' }),
            },
          ],
    withoutDhcp: (network) =>
      !usesDhcp(network) || network.dhcpAgents.length > 0
        ? []
        : [
            {
              what: 'no-dhcp-agent',
              kind: 'note',
              summary: 'DHCP is on, and no DHCP agent serves it: its ports do not wait for DHCP, and get no answer.',
              since: network.updatedAt,
              proof: [{ on: self(network), types: ['SubnetAdded', 'SubnetUpdated', 'DhcpAgentUnscheduled'] }],
              command: null,
            },
          ],
  },
  whenFine: ({ name, id }) => `The network ${name || id} lacks nothing.`,
};
