import { isAlive, type Related } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { DataOf } from '../node/events.ts';
import type { ProvisionState } from '../node/provision-machine.ts';
import type { Node } from '../node/state.ts';
import { pathOf } from '../node/verbs.ts';
import type { Server } from '../server/state.ts';
import type { Flow, FlowCommand, FlowEvent } from './flow.ts';
import { deletions, isOnlyClaimed, release, worker } from './server-to-node.ts';

const serverRef = (id: string): ResourceRef => ({ kind: 'server', id });

/** What it means to a server that its node has come to a state: which work is done, or has failed. */
interface Arrival {
  readonly builds?: 'done' | 'failed';
  readonly actions: Readonly<Record<string, 'done' | 'failed'>>;
}

const arrivals: Partial<Readonly<Record<ProvisionState, Arrival>>> = {
  active: { builds: 'done', actions: { RebuildServer: 'done', UnrescueServer: 'done' } },
  'deploy failed': { builds: 'failed', actions: { RebuildServer: 'failed' } },
  rescue: { actions: { RescueServer: 'done' } },
  'rescue failed': { actions: { RescueServer: 'failed' } },
  'unrescue failed': { actions: { UnrescueServer: 'failed' } },
};

/** Actions that a power state completes, and the power state as Nova counts it. */
const switched: Readonly<Record<string, { ends: readonly string[]; powerState: number }>> = {
  'power on': { ends: ['StartServer', 'SoftRebootServer', 'HardRebootServer'], powerState: 1 },
  'power off': { ends: ['StopServer'], powerState: 4 },
};

const reactions: Readonly<Record<string, (event: FlowEvent, node: Node, server: Server) => FlowCommand[]>> = {
  NodeProvisionStateChanged(event, node, server) {
    const { to, error } = event.data as DataOf<'NodeProvisionStateChanged'>;
    const arrival = arrivals[to];
    if (!arrival) return [];
    const { operation, build } = server;
    const verdict = operation ? arrival.actions[operation.action] : build ? arrival.builds : undefined;
    if (!verdict) return [];
    if (operation) return [endAction(server, verdict, firstCause(node, error))];
    return [verdict === 'done' ? built(server) : buildFailed(server, firstCause(node, error))];
  },

  /** Torn down is enough: what follows, such as cleaning, is the node's own affair. */
  NodeInstanceReleased(event, node, server) {
    const { why } = event.data as DataOf<'NodeInstanceReleased'>;
    if (!server.operation || !deletions.includes(server.operation.action)) return [];
    return [endAction(server, why === 'undeploy-failed' ? 'failed' : 'done', firstCause(node, undefined))];
  },

  NodePowerStateReported(event, _node, server) {
    const { powerState, completes } = event.data as DataOf<'NodePowerStateReported'>;
    const change = powerState === null ? undefined : switched[powerState];
    if (!change || !completes) return [];
    const { operation } = server;
    const ends = operation !== null && change.ends.includes(operation.action);
    return ends ? [endAction(server, 'done', '', { powerState: change.powerState })] : [];
  },

  NodePowerRequestFailed(event, _node, server) {
    const { error } = event.data as DataOf<'NodePowerRequestFailed'>;
    const powered = Object.values(switched).some(({ ends }) => ends.includes(server.operation?.action ?? ''));
    return powered ? [endAction(server, 'failed', error)] : [];
  },
};

/**
 * Whether it is a moment at which a node that was at work before may be given back. A tear-down that failed is for an
 * operator: begun again by itself, it might go on for ever.
 */
const chances: Readonly<Record<string, (event: FlowEvent, node: Node) => boolean>> = {
  NodeProvisionStateChanged({ data }, node) {
    const { from, to } = data as DataOf<'NodeProvisionStateChanged'>;
    return from !== 'deleting' && to === node.provisionState && canBeGivenBack(node);
  },
  /** Whoever had locked it kept others from giving it back, whatever the lock was for. */
  NodeReleased: (_event, node) => canBeGivenBack(node) && node.provisionState !== 'error',
};

/**
 * Whether the server has gone while its node was at work: the node was not to be torn down then, and nobody else will see
 * to it. Of a server that runs, and is not said to be elsewhere, nothing is torn down.
 */
function isLeftBehind({ id, reservation }: Node, { deletedAt, nodeId, vmState, host }: Server): boolean {
  if (reservation !== null || nodeId === id) return false;
  const isNowhere = vmState === 'building' || vmState === 'pending' || (vmState === 'error' && host === null);
  return deletedAt !== undefined || nodeId !== undefined || isNowhere;
}

const canBeGivenBack = (node: Node): boolean => isOnlyClaimed(node) || pathOf(node.provisionState, 'deleted') !== null;

const built = (server: Server): FlowCommand => ({
  resource: serverRef(server.id),
  type: 'ReportBuildSuccess',
  data: { powerState: 1, ...aboutAttempt(server) },
});

/** The server tries elsewhere or fails. When it leaves the node, the node is torn down for whoever comes next. */
const buildFailed = (server: Server, message: string): FlowCommand => ({
  resource: serverRef(server.id),
  type: 'ReportBuildFailure',
  data: { reason: 'InstanceDeployFailure', message, ...aboutAttempt(server) },
});

const aboutAttempt = ({ build }: Server) => (build?.attempt ? { attempt: build.attempt } : {});

const endAction = (server: Server, verdict: 'done' | 'failed', message: string, more: object = {}): FlowCommand => {
  const { action, id } = server.operation!;
  const about = { action, operationId: id, worker };
  const resource = serverRef(server.id);
  return verdict === 'done'
    ? { resource, type: 'ReportActionSuccess', data: { ...about, ...more } }
    : { resource, type: 'ReportActionFailure', data: { ...about, reason: 'BareMetalFailure', message } };
};

/** What went wrong first is what the server is told, not what followed from it. */
const firstCause = ({ trouble, lastError }: Node, error: string | undefined): string =>
  (trouble?.message ?? lastError ?? error ?? 'The node failed without a word.').slice(0, 10_000);

/** Whose node it is: after a release, the one it was given to until then. */
function ownerOf({ type, data, resource }: FlowEvent, known: Related): ResourceRef | null {
  if (type === 'NodeInstanceReleased') return serverRef((data as DataOf<'NodeInstanceReleased'>).instanceId);
  const node = known.stateOf(resource) as Node | null;
  return node?.instanceId ? serverRef(node.instanceId) : null;
}

/** A node tells the server on it what has become of the work; one whose server has gone meanwhile is given back. */
export const nodeToServer: Flow = {
  name: 'node-to-server',
  types: [...new Set([...Object.keys(reactions), ...Object.keys(chances)])],

  needs(event, known) {
    const server = ownerOf(event, known);
    return server ? [event.resource, server] : [event.resource];
  },

  react(event, related) {
    const ref = ownerOf(event, related);
    const node = related.stateOf(event.resource) as Node | null;
    const server = ref && (related.stateOf(ref) as Server | null);
    if (!node || !server) return [];
    const isChance = isAlive(node) && chances[event.type]?.(event, node);
    if (isChance && isLeftBehind(node, server)) return [release(node)];
    if (!isAlive(server) || !reactions[event.type]) return [];
    if (event.type !== 'NodeInstanceReleased' && server.nodeId !== node.id) return [];
    return reactions[event.type]!(event, node, server);
  },
};
