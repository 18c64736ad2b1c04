import { sameJson } from '../kernel/json.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { NodeAttributes, NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { requireUnlocked } from './lock.ts';
import type { ProvisionState } from './provision-machine.ts';
import { refuse } from './refusals.ts';
import type { Node } from './state.ts';
import { withoutSecrets } from './texts.ts';

type NodeChanges = { readonly [K in keyof NodeAttributes]?: NodeAttributes[K] | undefined };

interface NodeUpdate extends NodeChanges {
  readonly instanceId?: string | null | undefined;
  readonly token?: number | undefined;
}

/** The attributes whose value would change, as they would be stored. */
export function changesOf(node: Pick<Node, keyof NodeAttributes>, given: NodeChanges): Partial<NodeAttributes> {
  const told = Object.entries(given).filter(([, value]) => value !== undefined);
  const stored = told.map(([name, value]) => [name, withoutSecrets(value as never)] as const);
  return Object.fromEntries(stored.filter(([name, value]) => !sameJson(node[name as keyof NodeAttributes], value)));
}

/** Changes attributes and the instance. What has the value already is no change, locked or not. */
export function updateNode(node: Node, { instanceId, token, ...given }: NodeUpdate, facts: NodeFacts): NodeEvent[] {
  const changes = changesOf(node, given);
  const movesInstance = instanceId !== undefined && instanceId !== node.instanceId;
  const changesAttributes = Object.keys(changes).length > 0;
  if (!changesAttributes && !movesInstance) return [];

  const onlyLetsGo = instanceId === null && !changesAttributes && node.maintenance !== null;
  if (!onlyLetsGo) requireAtRest(node);
  requireUnlocked(node, token, facts);
  requireChangeable(node, changes);
  const instance = movesInstance ? instanceMoved(node, instanceId, facts) : [];
  return [...(changesAttributes ? [{ type: 'NodeUpdated', data: { changes } } as const] : []), ...instance];
}

/** Where a node may be updated although it is on the way somewhere: it has failed there, or has hardly left. */
const changeableOnTheWay: readonly ProvisionState[] = [
  'deploy failed',
  'inspect failed',
  'inspect wait',
  'clean failed',
  'error',
  'verifying',
  'adopt failed',
  'rescue failed',
  'unrescue failed',
  'service hold',
  'service failed',
];

function requireAtRest({ provisionState, targetProvisionState }: Node): void {
  const isChangeable = targetProvisionState === null || changeableOnTheWay.includes(provisionState);
  if (isChangeable && provisionState !== 'inspecting') return;
  const towards = targetProvisionState ? ` on the way to ${targetProvisionState}` : '';
  refuse('transition-under-way', `The node is ${provisionState}${towards}; update it when that has ended.`, {
    provisionState,
  });
}

/** In which states an attribute may be set like this. What is not here is free. */
interface Fixed {
  readonly applies: (changes: Partial<NodeAttributes>) => boolean;
  readonly allows: (node: Node) => boolean;
  readonly states: string;
}

const interfaceStates: readonly ProvisionState[] = ['enroll', 'inspecting', 'inspect wait', 'manageable', 'available'];

const fixedAttributes: Readonly<Record<string, Fixed>> = {
  protected: {
    applies: (changes) => changes.protected === true,
    allows: ({ provisionState }) => provisionState === 'active' || provisionState === 'rescue',
    states: 'active, rescue',
  },
  retired: {
    applies: (changes) => changes.retired === true,
    allows: ({ provisionState }) => provisionState !== 'available',
    states: 'every state but available',
  },
  interfaces: {
    applies: (changes) => changes.interfaces !== undefined || changes.driver !== undefined,
    allows: ({ provisionState, maintenance }) => maintenance !== null || interfaceStates.includes(provisionState),
    states: `${interfaceStates.join(', ')}, or any in maintenance`,
  },
};

function requireChangeable(node: Node, changes: Partial<NodeAttributes>): void {
  for (const [attribute, { applies, allows, states }] of Object.entries(fixedAttributes)) {
    if (!applies(changes) || allows(node)) continue;
    const detail = `${attribute} cannot be set like this while the node is ${node.provisionState}; it can in: ${states}.`;
    refuse('attribute-fixed', detail, { attribute, states });
  }
}

/** The instance as the ledger knows it, where it does: Nova's servers and Ironic's instances share their ids. */
export const serverOf = (instanceId: string): ResourceRef => ({ kind: 'server', id: instanceId });

/** An association is a claim: it is never overwritten, only given up and made. */
function instanceMoved({ instanceId: current }: Node, instanceId: string | null, facts: NodeFacts): NodeEvent[] {
  if (instanceId === null) {
    return [{ type: 'NodeInstanceReleased', data: { instanceId: current!, why: 'updated' } }];
  }
  if (current !== null) {
    const detail = `The node has the instance ${current}. Clear the association first, or adopt that instance.`;
    refuse('node-associated', detail, { reason: 'associated', retryable: false, current });
  }
  const { nodeId: node } = (facts.related?.stateOf(serverOf(instanceId)) ?? {}) as { nodeId?: string | null };
  if (node && node !== facts.resource.id) {
    const detail = `The instance ${instanceId} is on the node ${node}.`;
    refuse('instance-associated', detail, { reason: 'associated', retryable: false, node });
  }
  return [{ type: 'NodeInstanceAssociated', data: { instanceId } }];
}
