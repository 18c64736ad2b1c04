import { z } from 'zod';
import { defineEvents, type EventOf } from '../kernel/events.ts';
import { orForeign, origin } from '../kernel/observation.ts';
import { Timestamp, Uuid } from '../kernel/resource.ts';
import { kindOf, provisionEvents, provisionStates } from './provision-machine.ts';

const ProvisionState = z.enum(provisionStates);
/** As an outside system says it. */
export const SeenState = orForeign(ProvisionState);
/** What a node can be on the way to. */
const TargetState = ProvisionState.refine((state) => kindOf(state) === 'stable', 'must be a stable state');

/** Who works on a node: a conductor, an agent, a console, a person. */
export const Holder = z.string().min(1).max(255);
export const Text = z.string().max(255);
/** An error or a reason as somebody told it. Long ones are cut, with a mark, before they are stored. */
const ErrorText = z.string().min(1);
export const Bag = z.record(z.string().max(255), z.json());

const powerStates = ['power on', 'power off', 'error'] as const;
export const PowerState = z.enum(powerStates);

/** What a node is, apart from what happens to it. */
export const nodeAttributes = {
  name: Text.nullable(),
  driver: Text.min(1),
  /** The conductor that works on the node. Null: whoever asks for the work does it. */
  conductor: Holder.nullable(),
  interfaces: z.record(z.string().max(64), Text),
  driverInfo: Bag,
  instanceInfo: Bag,
  properties: Bag,
  extra: Bag,
  resourceClass: Text.nullable(),
  owner: Text.nullable(),
  lessee: Text.nullable(),
  description: z.string().max(4096).nullable(),
  protected: z.boolean(),
  protectedReason: Text.nullable(),
  retired: z.boolean(),
  retiredReason: Text.nullable(),
  /** Null: as the site does it. */
  automatedClean: z.boolean().nullable(),
  disablePowerOff: z.boolean(),
};

/** How a transition came about. */
export const causes = ['command', 'worker', 'timeout', 'takeover', 'lock-broken', 'lock-expired'] as const;
export const Cause = z.enum(causes);

/** A lock is for provisioning, for tidying up after an abort, for a power action, or for anything else. */
export const lockKinds = ['provision', 'clean-up', 'power', 'other'] as const;

export const faults = ['power failure', 'clean failure', 'rescue abort failure', 'service failure'] as const;
export const MaintenanceCause = z.enum(['operator', ...faults]);

const token = z.int().positive();
const attempt = z.int().nonnegative();

/** A step of a deployment, a cleaning or a service. Arguments may hold secrets and are never stored. */
export const PlannedStep = z.object({
  interface: z.string().max(64),
  step: z.string().max(255),
  priority: z.int().nonnegative().optional(),
});

export const Markers = z.record(z.string().max(255), z.union([z.string().max(255), z.number(), z.boolean()]));

// What can happen to a node. These names are the storage format.
export const nodeEvents = defineEvents('node', {
  NodeEnrolled: z.object({
    ...nodeAttributes,
    provisionState: ProvisionState,
    /** Where the numbering of locks and attempts goes on: a node that is enrolled anew never repeats one. */
    lastToken: z.int().nonnegative(),
    attempts: attempt,
  }),
  NodeUpdated: z.object({ changes: z.object(nodeAttributes).partial() }),
  NodeDeleted: z.object({}),

  /** One step of the provision state machine. */
  NodeProvisionStateChanged: z.object({
    event: z.enum(provisionEvents),
    from: ProvisionState,
    to: ProvisionState,
    targetBefore: TargetState.nullable(),
    targetAfter: TargetState.nullable(),
    cause: Cause,
    /** How Ironic's notifications would call it. */
    phase: z.enum(['start', 'success', 'end', 'error']),
    attempt,
    error: ErrorText.optional(),
    /** Whether an earlier error is history with this: a new worker starts afresh, a success settles it. */
    settlesError: z.boolean(),
    /** By when the node must have called back, and how much longer each sign of life gives it. */
    callBack: z.object({ deadline: Timestamp, timeoutMs: z.int().positive() }).optional(),
  }),

  /** An attempt at something that takes a worker: numbered, so that what an earlier one still says is recognised. */
  NodeOperationStarted: z.object({
    attempt,
    verb: z.string().max(64),
    /** The lock it begins under. */
    token,
    cleaning: z.enum(['manual', 'automated']).nullable(),
    steps: z.array(PlannedStep).max(1000),
    /** Which arguments came with the command. Their content may be secret and is not stored. */
    given: z.array(z.string().max(64)),
    /** How many other nodes were under way in what the site limits, and how many it allows. */
    limit: z.object({ of: z.enum(['deploy', 'clean']), underWay: z.int(), allowed: z.int() }).optional(),
  }),
  /** What the worker is doing now, and how far it is (0 to 100). */
  NodeStepReported: z.object({
    attempt,
    kind: z.string().max(64),
    interface: z.string().max(64).nullable(),
    name: z.string().max(255),
    priority: z.int().nonnegative(),
    abortable: z.boolean(),
    progress: z.number().min(0).max(100).nullable(),
  }),
  /** The step at work cannot be interrupted: the operation ends when it does. */
  NodeAbortRequested: z.object({ attempt, step: z.string().max(255) }),
  /** Notes of a worker about its attempt; they vanish with it. */
  NodeAttemptMarked: z.object({ attempt, markers: Markers }),
  /** The node called back while somebody else held the lock. Acted on when the lock is free. */
  NodeReportPostponed: z.object({
    attempt,
    event: z.enum(provisionEvents),
    holder: Holder,
    error: ErrorText.optional(),
    blockedBy: z.object({ holder: Holder, purpose: Text }),
  }),
  /**
   * A report of an attempt that is over, named by its number or by its lock. Kept, and without effect. Unless it was an
   * outcome, its sender was refused.
   */
  NodeReportIgnored: z.object({
    attempt: attempt.nullable(),
    token: token.nullable(),
    event: z.string().max(64),
    holder: Holder,
    error: ErrorText.optional(),
    currentAttempt: attempt,
  }),
  /** Signs of life that put off the moment at which the node is given up. */
  NodeCallBackExtended: z.object({ attempt, deadline: Timestamp }),

  NodeReserved: z.object({
    holder: Holder,
    purpose: Text,
    kind: z.enum(lockKinds),
    /** Rises with each lock of the node, so that a holder that lost it is recognised. */
    token,
    expiresAt: Timestamp.nullable(),
  }),
  NodeReservationExtended: z.object({ token, expiresAt: Timestamp }),
  NodeReleased: z.object({
    holder: Holder,
    token,
    why: z.enum(['released', 'work-done', 'expired', 'take-over']),
  }),
  /** Somebody took the lock away from its holder. */
  NodeReservationBroken: z.object({ holder: Holder, token, purpose: Text, reason: z.string().max(1000) }),
  /** `by` works on the node from now on; `conductor` is lost. */
  NodeTakenOver: z.object({ conductor: Holder, by: Holder }),

  /** A cause for maintenance. Each is set and cleared on its own. */
  NodeMaintenanceSet: z.object({ cause: MaintenanceCause, reason: ErrorText.nullable() }),
  NodeMaintenanceCleared: z.object({ cause: MaintenanceCause }),

  /** `requested` keeps apart what `target` does not: a reboot and a power on. */
  NodePowerStateRequested: z.object({ requested: z.string().max(64), target: PowerState }),
  NodePowerRequestFailed: z.object({ target: PowerState, error: ErrorText }),
  /** `completes`: this is what was requested. */
  NodePowerStateReported: z.object({ powerState: PowerState.nullable(), completes: z.boolean() }),

  /** Something went wrong that moved the node nowhere. A second trouble in one attempt follows from the first. */
  NodeErrorRaised: z.object({ during: z.string().max(255), error: ErrorText, attempt }),
  /** The node is well again. */
  NodeErrorResolved: z.object({ by: z.string().max(255) }),

  NodeInstanceAssociated: z.object({ instanceId: Uuid }),
  /**
   * An outside system says that the node is in a state. What else it says stands in the events beside this one.
   * `targetProvisionState` is what it is said to be on the way to, in any words; `target` what the ledger makes of that.
   */
  NodeObserved: z.object({
    source: origin.source,
    observedAt: Timestamp.nullable(),
    provisionState: SeenState,
    targetProvisionState: SeenState.nullable(),
    target: TargetState.nullable(),
    deleted: z.boolean(),
    /** The rules would not have led there. */
    unexpected: z.boolean(),
    /** It is of a moment before what is known: history, which changes nothing. */
    late: z.boolean(),
  }),

  NodeInstanceReleased: z.object({ instanceId: Uuid, why: z.enum(['undeployed', 'undeploy-failed', 'updated']) }),
});

export type NodeEvent = EventOf<typeof nodeEvents>;
export type DataOf<T extends NodeEvent['type']> = Extract<NodeEvent, { type: T }>['data'];
export type NodeAttributes = z.infer<z.ZodObject<typeof nodeAttributes>>;
export type Cause = z.infer<typeof Cause>;
export type MaintenanceCause = z.infer<typeof MaintenanceCause>;
export type PowerState = z.infer<typeof PowerState>;
export type PlannedStep = z.infer<typeof PlannedStep>;
export type Markers = z.infer<typeof Markers>;
