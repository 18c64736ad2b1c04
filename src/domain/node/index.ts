import { conductorRef } from '../agent/conductor.ts';
import type { Aggregate } from '../kernel/aggregate.ts';
import { type ResourceRef, Uuid } from '../kernel/resource.ts';
import { serverOf } from './attributes.ts';
import { type NodeCommand, nodeCommands } from './commands.ts';
import { deadlinesOf } from './deadlines.ts';
import { decide, open } from './decide.ts';
import { nodeEvents } from './events.ts';
import { begin, evolve } from './evolve.ts';
import { defaultNodeSettings } from './facts.ts';
import { nodeRefusals } from './refusals.ts';
import type { Node } from './state.ts';
import { countsAs } from './under-way.ts';
import { allowedVerbs } from './verb-guards.ts';
import { warningsOf } from './warnings.ts';

/** Whether a new server may be placed on the node: not before it is available again, whatever was released before. */
const isSchedulable = ({ provisionState, instanceId, maintenance, reservation, retired, deletedAt }: Node): boolean =>
  provisionState === 'available' && !instanceId && !maintenance && !reservation && !retired && deletedAt === undefined;

/** What a decision on a command sees besides the node. */
function seenBy({ type, data }: NodeCommand): readonly ResourceRef[] {
  // Whether an instance is on another node is seen on the instance.
  if (type === 'UpdateNode') return data.instanceId ? [serverOf(data.instanceId)] : [];
  return type === 'TakeOverConductor' ? [conductorRef(data.conductor)] : [];
}

export const nodeAggregate: Aggregate<Node> = {
  kind: 'node',
  id: Uuid,
  foldVersion: 2,
  events: nodeEvents,
  commands: nodeCommands,
  refusals: nodeRefusals,
  begin,
  evolve,
  open,
  decide,
  internal: ['DeadlinePassed'],
  signsOfLife: ['Heartbeat'],
  needs: (_node, command) => seenBy(command as NodeCommand),
  countsAs,
  status: (node) => node.provisionState,
  deadlines: deadlinesOf,
  view: (node) => ({
    ...node,
    allowed: allowedVerbs(node, defaultNodeSettings),
    schedulable: isSchedulable(node),
    warnings: warningsOf(node),
  }),
};
