import type { FastifyInstance } from 'fastify';
import { agentTypes } from '../../../domain/agent/identity.ts';
import type { Agent } from '../../../domain/agent/state.ts';
import { uuidFrom } from '../new-id.ts';
import type { Resources, State } from '../resources.ts';
import { forRole } from '../service.ts';
import { type Attributes, dataOf, membersOf, truthValue } from './body.ts';
import { badRequest, invalid, notFound } from './faults.ts';
import { fieldsOf, listFew, type Shown } from './listing.ts';
import { networkWith } from './networks.ts';

type AgentState = Agent & State;

/** The programs behind the types that Neutron knows. */
const binaries: Readonly<Record<string, string>> = {
  [agentTypes.openVswitch]: 'neutron-openvswitch-agent',
  [agentTypes.linuxBridge]: 'neutron-linuxbridge-agent',
  [agentTypes.sriov]: 'neutron-sriov-nic-agent',
  [agentTypes.macvtap]: 'neutron-macvtap-agent',
  [agentTypes.dhcp]: 'neutron-dhcp-agent',
};

const attributes: Attributes = {
  kept: { admin_state_up: { as: 'adminStateUp', value: truthValue } },
  fixed: { description: '' },
};

/** Agents go by host and type here, and by a UUID in Neutron: this one follows from the two. */
const uuidOf = ({ id }: AgentState): string => uuidFrom(`neutron agent ${id}`);

/** `2026-01-31 12:05:00`. */
const agentTime = (time: string): string => time.replace('T', ' ').replace(/\.\d+Z$/, '');

const agentShown = (agent: AgentState): Shown => ({
  id: uuidOf(agent),
  agent_type: agent.type,
  binary: binaries[agent.type] ?? agent.type,
  topic: 'N/A',
  host: agent.host,
  admin_state_up: agent.adminStateUp,
  alive: agent.alive,
  configurations: agent.configurations,
  created_at: agentTime(agent.createdAt),
  started_at: agentTime(agent.createdAt),
  heartbeat_timestamp: agentTime(agent.lastHeartbeatAt),
  availability_zone: null,
  description: '',
  resources_synced: null,
});

const names = [
  'id',
  'agent_type',
  'binary',
  'topic',
  'host',
  'admin_state_up',
  'alive',
  'availability_zone',
  'description',
];

type OnAgent = { Params: { id: string } };
type OnServed = { Params: { id: string; networkId: string } };

/** `/v2.0/agents`, and which DHCP agents serve which networks. */
export function agentRoutes(scope: FastifyInstance): void {
  scope.get('/v2.0/agents', forRole('reader'), async (request) =>
    listFew(request, 'agents', (await allAgents(request.resources)).map(agentShown), names),
  );

  scope.get<OnAgent>('/v2.0/agents/:id', forRole('reader'), async (request) => ({
    agent: fieldsOf(request, agentShown(await agentWith(request.resources, request.params.id))),
  }));

  scope.put<OnAgent>('/v2.0/agents/:id', forRole('reader'), async (request) => {
    const agent = await agentWith(request.resources, request.params.id);
    const data = dataOf(membersOf(request, 'agent'), attributes, 'update');
    if (data.adminStateUp === undefined) return { agent: agentShown(agent) };
    const resource = { kind: 'agent', id: agent.id } as const;
    const { state } = await request.resources.command<AgentState>(request, resource, 'SetAgentAdminState', data);
    return { agent: agentShown(state) };
  });

  scope.delete<OnAgent>('/v2.0/agents/:id', forRole('reader'), async (request, reply) => {
    const { id } = await agentWith(request.resources, request.params.id);
    await request.resources.command(request, { kind: 'agent', id }, 'DeleteAgent');
    return reply.code(204).send();
  });

  scope.get<OnAgent>('/v2.0/networks/:id/dhcp-agents', forRole('reader'), async (request) => {
    const { dhcpAgents } = await networkWith(request.resources, request.params.id);
    const hosts = dhcpAgents.map(({ host }) => host);
    const agents = (await allAgents(request.resources)).filter(
      ({ type, host }) => type === agentTypes.dhcp && hosts.includes(host),
    );
    return listFew(request, 'agents', agents.map(agentShown), names);
  });

  scope.get<OnAgent>('/v2.0/agents/:id/dhcp-networks', forRole('reader'), async (request) => {
    const { id, host } = await dhcpAgentWith(request.resources, request.params.id);
    const networks: object[] = [];
    for await (const network of request.resources.list({ kind: 'network', dependsOn: { kind: 'agent', id } })) {
      networks.push({ id: network.id, name: network.name, status: 'ACTIVE', host });
    }
    return { networks };
  });

  scope.post<OnAgent>('/v2.0/agents/:id/dhcp-networks', forRole('reader'), async (request, reply) => {
    const { host } = await dhcpAgentWith(request.resources, request.params.id);
    const networkId = (request.body as { network_id?: unknown } | null)?.network_id;
    if (typeof networkId !== 'string') throw badRequest('Say which network, as {"network_id": "..."}.');
    const { id } = await networkWith(request.resources, networkId);
    await request.resources.command(request, { kind: 'network', id }, 'ScheduleDhcpAgent', { host });
    return reply.code(201).send();
  });

  scope.delete<OnServed>('/v2.0/agents/:id/dhcp-networks/:networkId', forRole('reader'), async (request, reply) => {
    const { host } = await dhcpAgentWith(request.resources, request.params.id);
    const { id } = await networkWith(request.resources, request.params.networkId);
    await request.resources.command(request, { kind: 'network', id }, 'UnscheduleDhcpAgent', { host });
    return reply.code(204).send();
  });
}

async function allAgents(resources: Resources): Promise<AgentState[]> {
  const agents: AgentState[] = [];
  for await (const agent of resources.list<AgentState>({ kind: 'agent' })) {
    // The list's copy does not know who is heard right now.
    agents.push((await resources.find<AgentState>({ kind: 'agent', id: agent.id })) ?? agent);
  }
  return agents;
}

/** @throws Fault where there is none */
async function agentWith(resources: Resources, uuid: string): Promise<AgentState> {
  const agent = (await allAgents(resources)).find((known) => uuidOf(known) === uuid.toLowerCase());
  if (agent) return agent;
  throw notFound('agent', uuid);
}

async function dhcpAgentWith(resources: Resources, uuid: string): Promise<AgentState> {
  const agent = await agentWith(resources, uuid);
  if (agent.type === agentTypes.dhcp) return agent;
  throw invalid(`The agent ${uuid} is an ${agent.type}, not a DHCP agent.`);
}
