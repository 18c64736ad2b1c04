import { isAlive } from '../kernel/aggregate.ts';
import { changesOf } from './attributes.ts';
import type { NodeAttributes, NodeEvent } from './events.ts';
import { type NodeFacts, settingsOf } from './facts.ts';
import { requireUnlocked } from './lock.ts';
import type { ProvisionState } from './provision-machine.ts';
import { refuse } from './refusals.ts';
import type { Node } from './state.ts';
import { withoutSecrets } from './texts.ts';

type Enrolment = NodeAttributes & { readonly provisionState: 'enroll' | 'available' };

/** Begins a node's life, or a new one for a node that was deleted: its locks and attempts are numbered on. */
export function enrollNode(node: Node | null, { provisionState, ...given }: Enrolment): NodeEvent[] {
  const attributes = withoutSecrets(given);
  if (!node || !isAlive(node)) {
    const { lastToken = 0, attempts = 0 } = node ?? {};
    return [{ type: 'NodeEnrolled', data: { ...attributes, provisionState, lastToken, attempts } }];
  }
  const differing = Object.keys(changesOf(node, given));
  if (differing.length === 0) return [];
  return refuse('node-exists', `The node ${node.id} exists and differs in ${differing.join(', ')}.`, { differing });
}

export const deletable: readonly ProvisionState[] = ['manageable', 'enroll', 'adopt failed'];

/** Ends a node's life. Its history stays. In maintenance an operator may delete it in any state. */
export function deleteNode(node: Node | null, facts: NodeFacts): NodeEvent[] {
  if (!node) return refuse('node-not-found', `There is no node ${facts.resource.id}.`);
  if (!isAlive(node)) return [];
  requireUnlocked(node, undefined, facts);

  const { instanceId, maintenance, provisionState } = node;
  if (instanceId && !maintenance) {
    const detail = `The node has the instance ${instanceId}. Undeploy it first, or set maintenance.`;
    refuse('node-associated', detail, { reason: 'associated', retryable: false, current: instanceId });
  }
  if (node.protected) refuse('node-protected', 'The node is protected, in maintenance too.');

  const available: ProvisionState[] = settingsOf(facts).allowDeletingAvailableNodes ? ['available'] : [];
  const states = [...deletable, ...available];
  if (!maintenance && !states.includes(provisionState)) {
    refuse('node-not-deletable', `The node is ${provisionState} and not in maintenance.`, { states, provisionState });
  }
  return [{ type: 'NodeDeleted', data: {} }];
}
