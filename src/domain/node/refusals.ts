import { lifetimeRefusals } from '../kernel/aggregate.ts';
import { type RefusalDefinition, type RefusalHelp, refuser } from '../kernel/refusal.ts';
import type { NodeEvent } from './events.ts';

/** `ironic`: the fault by which Ironic's clients know the refusal. It is sent along. */
interface NodeRefusal extends RefusalDefinition {
  readonly ironic: string;
}

const lifetime = lifetimeRefusals('node');

export const nodeRefusals = {
  'node-not-found': { ...lifetime['node-not-found'], ironic: 'NodeNotFound' },
  'node-deleted': { ...lifetime['node-deleted'], ironic: 'NodeNotFound' },
  'node-exists': {
    category: 'conflict',
    title: 'The node exists with other attributes',
    explanation:
      'EnrollNode named an id that is taken by a living node whose attributes differ from the ones given. A repeated EnrollNode with the same attributes is answered as done. Use UpdateNode to change the node.',
    ironic: 'NodeAlreadyExists',
  },

  'invalid-state-requested': {
    category: 'conflict',
    title: 'The verb cannot be carried out in this provision state',
    explanation:
      'SetProvisionState takes a verb, not a state, and each provision state knows only some verbs. `allowed` lists the ones that would be accepted now. `reason` is `already-there` or `already-under-way` where what was asked for has happened or is happening, `internal-event` for words only workers use, `no-such-verb` for unknown ones.',
    ironic: 'InvalidStateRequested',
  },
  'node-locked': {
    category: 'conflict',
    title: 'The node is locked',
    explanation:
      'Somebody works on the node: `holder` and `purpose` say who and for what. This is temporary. Repeat the command after `retryAfter` seconds. If the holder is gone for good, TakeOverConductor or BreakReservation frees the node.',
    ironic: 'NodeLocked',
  },
  'node-in-maintenance': {
    category: 'conflict',
    title: 'The node is in maintenance',
    explanation:
      'The verb is not accepted while the node is in maintenance. `maintenance` says why it is. ClearMaintenance ends it, one cause at a time.',
    ironic: 'NodeInMaintenance',
  },
  'node-protected': {
    category: 'conflict',
    title: 'The node is protected',
    explanation:
      'A protected node cannot be undeployed, rebuilt or deleted. Set `protected` to false with UpdateNode first, if that is really meant.',
    ironic: 'NodeProtected',
  },
  'node-retired': {
    category: 'conflict',
    title: 'The node is retired',
    explanation:
      'A retired node cannot be made available again. Set `retired` to false with UpdateNode first, if it is to come back.',
    ironic: 'NodeIsRetired',
  },
  'argument-required': {
    category: 'invalid',
    title: 'The verb needs an argument',
    explanation: 'Some verbs cannot do without an argument: `argument` names the one that is missing or empty.',
    ironic: 'ClientSideError',
  },
  'argument-not-applicable': {
    category: 'invalid',
    title: 'The argument does not belong to the verb',
    explanation: '`argument` is only accepted with the verbs in `verbs`. Leave it out, or use one of those.',
    ironic: 'ClientSideError',
  },
  'concurrent-action-limit': {
    category: 'unavailable',
    title: 'Too many nodes are being worked on',
    explanation:
      'The site limits how many nodes are deployed, and how many are cleaned, at the same time. Nothing was stored. Try again when others have finished.',
    ironic: 'ConcurrentActionLimit',
  },
  'no-free-worker': {
    category: 'unavailable',
    title: 'No worker is free',
    explanation: 'Nobody could take the work on, so the node was left as it is. Nothing was stored. Try again later.',
    ironic: 'NoFreeConductorWorker',
  },
  'abort-not-supported': {
    category: 'conflict',
    title: 'The driver cannot interrupt an inspection',
    explanation: "The node's driver cannot stop an inspection that runs. Wait until it ends or times out.",
    ironic: 'UnsupportedDriverExtension',
  },

  'report-not-applicable': {
    category: 'conflict',
    title: 'The report does not fit the provision state',
    explanation:
      'ReportProvisionEvent named an event that the provision state does not know. `allowed` lists the reports that would be accepted now.',
    ironic: 'InvalidState',
  },
  'stale-report': {
    category: 'conflict',
    title: 'The report is of an attempt that is over',
    explanation:
      'The attempt or lock that the report names has ended: the node was failed, aborted, taken over or set to work anew since. Stop working on the node. Reading it shows the attempt and the lock at hand.',
    ironic: 'InvalidState',
  },
  'ambiguous-report': {
    category: 'conflict',
    title: 'The report may be about two things',
    explanation:
      'A power action runs on a node that is on the way somewhere, and the report could be about either. Give the `token` of the lock if the power action is meant, the `attempt` if the work is.',
    ironic: 'InvalidState',
  },
  'unknown-attempt': {
    category: 'invalid',
    title: 'The report is of an attempt that never began',
    explanation: '`attempt` or `token` is higher than any the node has given out. Check that it is the right node.',
    ironic: 'InvalidState',
  },
  'reservation-not-held': {
    category: 'conflict',
    title: 'Somebody else holds the lock',
    explanation:
      'Only the holder of the lock may report on the work or release the node. Name the holder in `holder`, or prove the lock with its `token`; both stand in the reservation of the node.',
    ironic: 'NodeLocked',
  },
  'work-under-way': {
    category: 'conflict',
    title: 'The lock cannot be released while the work runs',
    explanation:
      'A node that is being worked on would hang without its lock. Report `done`, `fail` or `wait`, which releases it; or use BreakReservation, which gives the work up.',
    ironic: 'InvalidState',
  },

  'node-associated': {
    category: 'conflict',
    title: 'The node has an instance',
    explanation:
      'An instance is associated with the node, and this is permanent, not a lock: retrying does not help. `current` names the instance. Undeploy the node, or clear the association with `instanceId: null`, or adopt the instance that is there.',
    ironic: 'NodeAssociated',
  },
  'instance-associated': {
    category: 'conflict',
    title: 'The instance is on another node',
    explanation:
      'An instance is on one node at most. `node` names the one that has it. Clear the association there first.',
    ironic: 'InstanceAssociated',
  },
  'transition-under-way': {
    category: 'conflict',
    title: 'The node cannot be updated while it changes its state',
    explanation:
      'Attributes are fixed while a transition is under way. Wait until it ends. Clearing `instanceId`, and nothing else, is accepted on a node in maintenance.',
    ironic: 'ClientSideError',
  },
  'attribute-fixed': {
    category: 'conflict',
    title: 'The attribute cannot be changed in this provision state',
    explanation: '`states` lists the provision states in which `attribute` may be set like this.',
    ironic: 'InvalidState',
  },
  'node-not-deletable': {
    category: 'conflict',
    title: 'The node cannot be deleted in this provision state',
    explanation:
      'Only nodes in one of `states` are deleted without more ado. A node in maintenance is deleted in any state: SetMaintenance first, if that is really meant.',
    ironic: 'InvalidState',
  },
  'invalid-power-state-requested': {
    category: 'conflict',
    title: 'The power action cannot be carried out',
    explanation:
      '`allowed` lists the power actions there are. None is accepted while the node is cleaned, which needs the power for itself.',
    ironic: 'InvalidStateRequested',
  },
  'power-off-disabled': {
    category: 'conflict',
    title: 'The node must not be powered off',
    explanation: '`disablePowerOff` is set on the node. Reboot it instead, or clear the attribute with UpdateNode.',
    ironic: 'PowerStateFailure',
  },
} as const satisfies Readonly<Record<string, NodeRefusal>>;

export type NodeRefusalSlug = keyof typeof nodeRefusals;

const refuseAs = refuser(nodeRefusals);

/** Refuses, with the name of Ironic's fault along. */
export const refuse = (
  slug: NodeRefusalSlug,
  detail: string,
  help: RefusalHelp = {},
  recorded: readonly NodeEvent[] = [],
): never => refuseAs(slug, detail, { ironic: nodeRefusals[slug].ironic, ...help }, recorded);
