import { agentRef } from '../agent/identity.ts';
import type { Agent } from '../agent/state.ts';
import { byOperator, type Explainer, remedy } from './explainer.ts';
import { restless } from './restless.ts';
import { agentOwner, latest, ref } from './world.ts';

const self = ({ id }: Agent) => ref('agent', id);

export const agentExplainer: Explainer<Agent> = {
  looksAt: () => [],
  name: ({ type, host }) => `${type} on ${host}`,
  status: ({ alive, deletedAt }) => (deletedAt !== undefined ? 'deleted' : alive ? 'alive' : 'dead'),
  since: ({ since }) => since,

  conditions: {
    heard(agent, world) {
      const owner = agentOwner(world, agentRef(agent.host, agent.type));
      if (!owner) return [];
      const { lastSeenAt, alive } = owner;
      const proof = [{ on: self(agent), types: ['AgentRegistered', 'AgentBack', 'AgentLost'] }];
      if (alive) {
        const summary = `It gives signs of life; alive since ${agent.since}.`;
        return [{ what: 'heartbeat', met: true, summary, since: agent.since, owner, proof }];
      }
      return [
        {
          what: 'heartbeat',
          met: false,
          summary: `The ${agent.type} on ${agent.host} is dead: silent since ${lastSeenAt}.`,
          since: lastSeenAt ?? agent.since,
          owner,
          clearable: byOperator(
            `See what became of it on ${agent.host}, and start it again: its first heartbeat is enough.`,
          ),
          proof,
        },
      ];
    },

    switchedOn: (agent, world) =>
      agent.adminStateUp
        ? []
        : [
            {
              what: 'admin-state',
              met: false,
              summary: 'It is administratively down: nothing new is to be given to it.',
              since: latest(world, self(agent), ['AgentAdminStateChanged'])?.time ?? agent.updatedAt,
              clearable: byOperator('Switch it on.', {
                command: remedy(self(agent), 'SetAgentAdminState', { adminStateUp: true }),
              }),
              proof: [{ on: self(agent), types: ['AgentAdminStateChanged'] }],
            },
          ],
  },
  hints: {
    restless: (agent, world) => restless(world, self(agent), 'AgentLost', () => 'lost'),
  },
  whenFine: ({ host, type, since }) => `The ${type} on ${host} is alive since ${since}.`,
};
