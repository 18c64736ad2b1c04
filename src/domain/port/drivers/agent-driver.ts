import type { Json, JsonObject } from '../../kernel/json.ts';
import {
  type AgentOnHost,
  type BindRequest,
  type MechanismDriver,
  type OfferedSegment,
  refused,
  type Verdict,
} from './mechanism-driver.ts';

/** What tells one driver with an agent from another. */
export interface AgentDriver extends Pick<MechanismDriver, 'name' | 'vnicTypes'> {
  readonly agentType: string;
  /** Network types besides those that need no physical network of their own. */
  readonly networkTypes: (agent: AgentOnHost) => readonly string[];
  /** Where the agent's configuration maps physical networks to the host's devices. */
  readonly mappings: readonly string[];
  /** Why it does not take this port at all, where the vnic type alone does not say. */
  readonly declines?: (request: BindRequest, agent: AgentOnHost) => string | null;
  readonly attach: (request: BindRequest, segment: OfferedSegment, agent: AgentOnHost) => Attachment;
}

type Attachment = Pick<Extract<Verdict, { verdict: 'bound' }>, 'vifType' | 'vifDetails' | 'status'>;

/**
 * A driver whose agent does the work: it takes the first segment that the live agent on the host can carry. Whether the
 * agent is administratively up does not matter, as in Neutron: it serves what it has, and ports may be placed there.
 */
export const agentDriver = ({ declines, attach, ...driver }: AgentDriver): MechanismDriver => ({
  name: driver.name,
  vnicTypes: driver.vnicTypes,
  connectivity: 'l2',
  agentType: driver.agentType,
  reporter: 'agent',

  bind(request) {
    const { agent, host, segments } = request;
    if (!agent) return refused('no-agent', `no ${driver.agentType} is registered on ${host}`);
    if (!agent.alive) {
      return refused('agent-dead', `the ${driver.agentType} on ${host} is dead: silent since ${agent.silentSince}`);
    }
    const declined = declines?.(request, agent);
    if (declined) return refused('vnic-type', declined);

    const obstacles: string[] = [];
    for (const segment of segments) {
      const obstacle = obstacleTo(segment, agent, driver);
      if (obstacle === null) return { verdict: 'bound', segment, ...attach(request, segment, agent) };
      obstacles.push(obstacle);
    }
    return refused('no-segment', obstacles.join('; '));
  },
});

/** Why the agent cannot carry the segment; null where it can. */
function obstacleTo(
  { networkType, physicalNetwork }: OfferedSegment,
  agent: AgentOnHost,
  { networkTypes, mappings }: Pick<AgentDriver, 'networkTypes' | 'mappings'>,
): string | null {
  const types = networkTypes(agent);
  if (!types.includes(networkType)) return `${networkType} is not among ${types.join(', ')}`;
  if (physicalNetwork === null) return null;
  const mapped = Object.keys(mappingsOf(agent, mappings));
  if (mapped.includes(physicalNetwork)) return null;
  return `${physicalNetwork} is not in ${mappings.join(' or ')} (${mapped.join(', ') || 'empty'})`;
}

/** Several mappings of one agent's configuration as one. */
export const mappingsOf = ({ configurations }: AgentOnHost, names: readonly string[]): JsonObject =>
  Object.assign({}, ...names.map((name) => objectOf(configurations[name])));

export const tunnelTypesOf = ({ configurations }: AgentOnHost): string[] => stringsOf(configurations.tunnel_types);

/** Agents say what they like; what is not of the expected form is taken for absent. */
export const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

export const stringsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
