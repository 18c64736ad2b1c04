import { isAlive, type Related } from '../kernel/aggregate.ts';
import type { ResourceRef } from '../kernel/resource.ts';
import type { ProvisionState } from '../node/provision-machine.ts';
import type { Node } from '../node/state.ts';
import type { DataOf } from '../server/events.ts';
import type { Server } from '../server/state.ts';
import type { Flow, FlowCommand, FlowEvent, FlowRefusal } from './flow.ts';

const nodeRef = (id: string): ResourceRef => ({ kind: 'node', id });
const provision = (nodeId: string, target: string, more: object = {}): FlowCommand => ({
  resource: nodeRef(nodeId),
  type: 'SetProvisionState',
  data: { target, ...more },
});
const power = (nodeId: string, target: string): FlowCommand => ({
  resource: nodeRef(nodeId),
  type: 'SetPowerState',
  data: { target },
});
const associate = (nodeId: string, instanceId: string | null): FlowCommand => ({
  resource: nodeRef(nodeId),
  type: 'UpdateNode',
  data: { instanceId },
});

/** The password itself goes from the compute service to the worker; the ledger knows only that there is one. */
const handedOver = { rescuePassword: 'handed over by the compute service' };

/** What an action on a server asks of the node below it. Actions that are not named here do not reach the node. */
const actions: Readonly<Record<string, (nodeId: string) => FlowCommand>> = {
  RebuildServer: (id) => provision(id, 'rebuild'),
  RescueServer: (id) => provision(id, 'rescue', handedOver),
  UnrescueServer: (id) => provision(id, 'unrescue'),
  StopServer: (id) => power(id, 'power off'),
  StartServer: (id) => power(id, 'power on'),
  SoftRebootServer: (id) => power(id, 'soft rebooting'),
  HardRebootServer: (id) => power(id, 'rebooting'),
};
export const deletions = ['DeleteServer', 'ForceDeleteServer'];

/** Who does what the node does, to the server. */
export const worker = 'bare metal';

const serverOf = ({ resource }: FlowEvent, related: Related): Server | null =>
  related.stateOf(resource) as Server | null;

/** The node, if it is there and given to this server. */
function nodeOf(server: ResourceRef, nodeId: string | undefined | null, related: Related): Node | null {
  const node = nodeId ? (related.stateOf(nodeRef(nodeId)) as Node | null) : null;
  return isAlive(node) && node!.instanceId === server.id ? node : null;
}

/** States in which nothing of a server is on a node. An operator may have taken it out of service since it was claimed. */
const bare: readonly ProvisionState[] = ['available', 'manageable', 'enroll', 'clean failed', 'inspect failed'];

export const isOnlyClaimed = ({ provisionState }: Node): boolean => bare.includes(provisionState);

/** A node that was only claimed is let go; one that has something of the server on it is torn down. */
export const release = (node: Node): FlowCommand =>
  isOnlyClaimed(node) ? associate(node.id, null) : provision(node.id, 'deleted');

const reactions: Readonly<Record<string, (event: FlowEvent, related: Related) => FlowCommand[]>> = {
  /** The node is claimed when it is chosen: whoever comes second is told. */
  BuildAttemptStarted(event) {
    const { nodeId } = event.data as DataOf<'BuildAttemptStarted'>;
    return nodeId === null ? [] : [associate(nodeId, event.resource.id)];
  },

  /** The builder has prepared everything else. */
  ServerStateChanged(event, related) {
    const { to } = event.data as DataOf<'ServerStateChanged'>;
    const server = serverOf(event, related);
    const node = nodeOf(event.resource, server?.nodeId, related);
    const spawning = to.vmState === 'building' && to.taskState === 'spawning';
    return spawning && server?.build && node ? [provision(node.id, 'active')] : [];
  },

  /** An attempt that failed, or a server that went elsewhere, leaves its node behind. */
  ServerMoved(event, related) {
    const { leavesNode } = event.data as DataOf<'ServerMoved'>;
    const node = nodeOf(event.resource, leavesNode, related);
    return node ? [release(node)] : [];
  },

  ServerActionStarted(event, related) {
    const { action } = event.data as DataOf<'ServerActionStarted'>;
    const server = serverOf(event, related);
    if (!server?.nodeId) return [];
    const node = nodeOf(event.resource, server.nodeId, related);
    if (!deletions.includes(action)) return node && actions[action] ? [actions[action](node.id)] : [];
    return [node ? release(node) : deletionDone(event.resource, action)];
  },

  /** Deleted by other ways than an action of its own: the node must not stay behind. */
  ServerDeleted(event, related) {
    const node = nodeOf(event.resource, (event.data as DataOf<'ServerDeleted'>).nodeId, related);
    return node ? [release(node)] : [];
  },
};

/** The node is gone, or free, or somebody else's: nothing of the server is left on it, so nothing need be waited for. */
const deletionDone = (server: ResourceRef, action: string): FlowCommand => ({
  resource: server,
  type: 'ReportActionSuccess',
  data: { action, worker },
});

/** The node below a server is claimed, deployed, switched, rebuilt, rescued and torn down as the server's life asks. */
export const serverToNode: Flow = {
  name: 'server-to-node',
  types: Object.keys(reactions),

  needs(event, known) {
    const { leavesNode, nodeId } = event.data as { leavesNode?: string; nodeId?: string | null };
    const ids = [leavesNode, nodeId, serverOf(event, known)?.nodeId].filter((id) => id !== undefined && id !== null);
    return [event.resource, ...[...new Set(ids)].map(nodeRef)];
  },

  react: (event, related) => reactions[event.type]!(event, related),

  /** What the node refuses, the server must hear: nobody else would tell it. */
  refused(event, command, refusal) {
    if (command.resource.kind !== 'node') return [];
    const { type, data } = event;
    if (type === 'BuildAttemptStarted' || type === 'ServerStateChanged') return [buildFailed(event.resource, refusal)];
    if (type !== 'ServerActionStarted') return [];
    const { action } = data as DataOf<'ServerActionStarted'>;
    return [
      {
        resource: event.resource,
        type: 'ReportActionFailure',
        data: { action, ...failure(refusal), outcome: 'as-before', worker },
      },
    ];
  },
};

const buildFailed = (server: ResourceRef, refusal: FlowRefusal): FlowCommand => ({
  resource: server,
  type: 'ReportBuildFailure',
  data: failure(refusal),
});

const failure = ({ slug, detail }: FlowRefusal) => ({ reason: 'NodeUnavailable', message: detail, details: slug });
